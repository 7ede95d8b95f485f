// The scene at one instant: instances of parts, lines, arrows, labels.

import { rotation, turn, along, norm, perpendicular, cross, dot, scale, add, sub } from './math.js';
import { INSTANCE } from './renderer.js';

// Surfaces that every scene has.
const CYLINDER = 6, CONE = 3, SPHERE = 1;

export const RAMP = [[0.27, 0.0, 0.33], [0.23, 0.32, 0.55], [0.13, 0.57, 0.55], [0.37, 0.79, 0.38], [0.99, 0.91, 0.14]];

export function ramp(s) {
  const x = Math.min(Math.max(s, 0), 1) * (RAMP.length - 1), k = Math.min(Math.floor(x), RAMP.length - 2), f = x - k;
  return [0, 1, 2].map((j) => RAMP[k][j] * (1 - f) + RAMP[k + 1][j] * f);
}

export class Stage {
  constructor(scene) {
    this.scene = scene;
    this.bodies = scene.bodies.length;
    this.poses = new Float32Array(7 * (this.bodies - 1));
    // Rotation and position of every body, the ground first.
    this.rotations = new Float64Array(9 * this.bodies);
    this.rotations.set([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    this.positions = new Float64Array(3 * this.bodies);
    this.colours = new Map();
    const number = new Map(scene.bodies.map((body, k) => [body.name, k]));
    const batches = new Map();
    this.parts = scene.parts.map((part) => {
      const which = part.opacity <= 0 ? -1 : part.scenery ? 1 : part.opacity < 0.995 ? 2 : 0;
      const key = `${part.mesh}:${which}`;
      if (!batches.has(key)) batches.set(key, { mesh: part.mesh, which, count: 0, data: null });
      const batch = batches.get(key);
      const body = part.body ?? number.get(part.of) ?? part.between?.[1] ?? 0;
      const own = { part, batch, at: batch.count++, body: part.scenery ? 0 : body };
      if (part.body !== undefined) {
        // The placing matrix within the body.
        const r = part.rotation, s = part.scale;
        own.local = Float64Array.from([r[0] * s[0], r[1] * s[1], r[2] * s[2], part.position[0], r[3] * s[0], r[4] * s[1], r[5] * s[2], part.position[1], r[6] * s[0], r[7] * s[1], r[8] * s[2], part.position[2]]);
      }
      return own;
    });
    this.batches = [...batches.values()];
    for (const batch of this.batches) batch.data = new Float32Array(batch.count * INSTANCE);
    this.glyphs = new Map();
    // Height of the ground for shadows and the grid.
    this.lowest = scene.floor;
  }

  setPoses(poses) {
    if (poses !== this.poses) this.poses.set(poses);
    const r = new Float64Array(9);
    this.lost = 0;
    for (let body = 1; body < this.bodies; body++) {
      const at = 7 * (body - 1), p = this.poses;
      rotation(p[at + 3], p[at + 4], p[at + 5], p[at + 6], r);
      this.rotations.set(r, 9 * body);
      this.positions.set(p.subarray(at, at + 3), 3 * body);
      if (!(Math.abs(r[0] + p[at] + p[at + 1] + p[at + 2]) < 1e30)) this.lost++;
    }
  }

  origin(body) {
    return [this.positions[3 * body], this.positions[3 * body + 1], this.positions[3 * body + 2]];
  }

  point(body, p) {
    const r = this.rotations, q = this.positions, a = 9 * body, b = 3 * body;
    return [
      r[a] * p[0] + r[a + 1] * p[1] + r[a + 2] * p[2] + q[b],
      r[a + 3] * p[0] + r[a + 4] * p[1] + r[a + 5] * p[2] + q[b + 1],
      r[a + 6] * p[0] + r[a + 7] * p[1] + r[a + 8] * p[2] + q[b + 2],
    ];
  }

  vector(body, v) {
    return turn(this.rotations.subarray(9 * body, 9 * body + 9), v);
  }

  // Where the mechanism is: the mean of its bodies.
  middle() {
    const sum = [0, 0, 0];
    let count = 0;
    for (let body = 1; body < this.bodies; body++) {
      const p = this.origin(body);
      if (Number.isFinite(p[0] + p[1] + p[2])) { for (let k = 0; k < 3; k++) sum[k] += p[k]; count++; }
    }
    return count ? scale(sum, 1 / count) : sum;
  }

  // Fills the batches; a ghost is drawn as glass in one colour.
  fill(ghost) {
    for (const { part, batch, at, body, local } of this.parts) {
      const data = batch.data, o = at * INSTANCE;
      if (local) {
        const b = part.body, r = this.rotations, a = 9 * b, q = this.positions, p = 3 * b;
        for (let row = 0; row < 3; row++) {
          const r0 = r[a + 3 * row], r1 = r[a + 3 * row + 1], r2 = r[a + 3 * row + 2];
          for (let c = 0; c < 4; c++) data[o + 4 * row + c] = r0 * local[c] + r1 * local[4 + c] + r2 * local[8 + c];
          data[o + 4 * row + 3] += q[p + row];
        }
      } else {
        const from = this.point(part.between[0], part.points[0]), to = this.point(part.between[1], part.points[1]);
        this.bar(data, o, from, to, part.radius);
      }
      const colour = ghost ? [0.55, 0.58, 0.62] : this.colours.get(body) || part.colour;
      data[o + 12] = colour[0]; data[o + 13] = colour[1]; data[o + 14] = colour[2];
      data[o + 15] = ghost ? 0.28 : part.opacity;
      data[o + 16] = ghost ? 0 : body;
    }
    return this.batches;
  }

  // A surface from z = 0 to 1 between two points.
  bar(data, o, from, to, radius) {
    const d = sub(to, from), length = norm(d);
    const r = length > 0 ? along(d) : [1, 0, 0, 0, 1, 0, 0, 0, 1];
    for (let row = 0; row < 3; row++) {
      data[o + 4 * row] = r[3 * row] * radius;
      data[o + 4 * row + 1] = r[3 * row + 1] * radius;
      data[o + 4 * row + 2] = r[3 * row + 2] * length;
      data[o + 4 * row + 3] = from[row];
    }
  }

  // Arrows as instances of a bar and a cone.
  arrows(list) {
    const bars = new Float32Array(list.length * INSTANCE), tips = new Float32Array(list.length * INSTANCE);
    list.forEach(({ from, vector, radius, colour }, k) => {
      const length = norm(vector), head = Math.min(4 * radius, 0.45 * length), direction = scale(vector, 1 / length);
      const neck = add(from, scale(direction, length - head)), o = k * INSTANCE;
      this.bar(bars, o, from, neck, radius);
      this.bar(tips, o, neck, add(neck, scale(direction, head)), 2.3 * radius);
      // The cone has its origin in the middle.
      for (let row = 0; row < 3; row++) tips[o + 4 * row + 3] += 0.5 * head * direction[row];
      for (const data of [bars, tips]) data.set([...colour, 1, 0], o + 12);
    });
    return [
      { mesh: CYLINDER, which: 0, count: list.length, data: bars },
      { mesh: CONE, which: 0, count: list.length, data: tips },
    ];
  }

  // Small balls.
  balls(list) {
    const data = new Float32Array(list.length * INSTANCE);
    list.forEach(({ at, radius, colour, body }, k) => {
      data.set([radius, 0, 0, at[0], 0, radius, 0, at[1], 0, 0, radius, at[2], ...colour, 1, body], k * INSTANCE);
    });
    return { mesh: SPHERE, which: 0, count: list.length, data };
  }
}

// The distance of grid lines: 1, 2 or 5 by a power of ten, about a sixth of a length.
export function gridStep(length) {
  const wanted = Math.max(length, 1e-9) / 6, ten = 10 ** Math.floor(Math.log10(wanted));
  return wanted / ten >= 5 ? 5 * ten : wanted / ten >= 2 ? 2 * ten : ten;
}

export function gridLines(camera, up, height, colour) {
  const reach = camera.distance * 0.25, step = gridStep(2 * reach), x = perpendicular(up), y = cross(up, x), out = [];
  const centre = sub(camera.target, scale(up, dot(camera.target, up) - height));
  const middle = [x, y].map((axis) => Math.round(dot(centre, axis) / step) * step);
  const count = 14;
  for (const [k, axis, other] of [[0, x, y], [1, y, x]]) {
    for (let line = -count; line <= count; line++) {
      const from = add(scale(axis, middle[k] + line * step), scale(up, height));
      for (let piece = -count; piece < count; piece++) {
        const far = Math.max(Math.abs(line), Math.abs(piece + 0.5)) / count, opacity = Math.max(0, 1 - far * far);
        for (const end of [piece, piece + 1]) out.push(...add(from, scale(other, middle[1 - k] + end * step)), ...colour, opacity);
      }
    }
  }
  return { numbers: out, step };
}
