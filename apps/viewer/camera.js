// From where the mechanism is looked at.

import { add, sub, scale, dot, cross, norm, unit, perpendicular } from './math.js';

// Tangent of half the vertical angle of view.
export const TANGENT = 0.25;

export class Camera {
  constructor(scene) {
    this.up = unit(scene.up);
    this.home = { target: scene.centre.slice(), radius: Math.max(scene.radius, 1e-9) };
    this.follow = false;
    this.view('auto', scene.axes.map((axis) => axis.direction));
    this.fit();
  }

  // Two directions on the horizon.
  horizon() {
    const x = Math.abs(dot(this.up, [1, 0, 0])) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const front = unit(sub(x, scale(this.up, dot(x, this.up))));
    return [front, cross(this.up, front)];
  }

  view(name, axes = []) {
    const [front, side] = this.horizon();
    const corner = unit(add(add(scale(front, 0.55), scale(side, -0.78)), scale(this.up, 0.42)));
    this.direction = corner;
    if (name === 'x') this.direction = front;
    if (name === 'y') this.direction = scale(side, -1);
    if (name === 'z') this.direction = unit(add(this.up, scale(side, -1e-3)));
    const lines = axes.filter((axis) => norm(axis) > 0.5);
    if (name === 'auto' && lines.length && lines.every((axis) => Math.abs(dot(axis, lines[0])) > 0.999)) {
      const towards = dot(lines[0], corner) < 0 ? scale(lines[0], -1) : lines[0];
      const aside = unit(sub(corner, scale(towards, dot(corner, towards))));
      this.direction = unit(add(towards, scale(aside, 0.45)));
    }
  }

  fit(target = this.home.target, radius = this.home.radius, aspect = 1) {
    this.target = target.slice();
    this.distance = (1.02 * radius) / TANGENT / Math.min(1, aspect);
  }

  set(values) {
    Object.assign(this, values);
    this.direction = unit(this.direction);
  }

  basis() {
    let right = cross(this.up, this.direction);
    right = norm(right) > 1e-6 ? unit(right) : perpendicular(this.direction);
    return [right, cross(this.direction, right), this.direction];
  }

  orbit(dx, dy) {
    const turnAbout = (v, axis, angle) => {
      const c = Math.cos(angle), s = Math.sin(angle);
      return add(add(scale(v, c), scale(cross(axis, v), s)), scale(axis, dot(axis, v) * (1 - c)));
    };
    this.direction = unit(turnAbout(this.direction, this.up, -dx));
    const [right] = this.basis();
    const tilted = unit(turnAbout(this.direction, right, -dy));
    if (Math.abs(dot(tilted, this.up)) < 0.999) this.direction = tilted;
  }

  pan(dx, dy) {
    const [right, up] = this.basis();
    const k = 2 * this.distance * TANGENT;
    this.target = add(this.target, add(scale(right, -dx * k), scale(up, dy * k)));
  }

  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance * factor, 1e-6), 1e9);
  }

  // Column-major view and projection.
  matrix(aspect) {
    const [r, u, b] = this.basis();
    const eye = add(this.target, scale(b, this.distance));
    const near = Math.max(this.distance * 0.02, 1e-9), far = this.distance * 80;
    const view = [r[0], u[0], b[0], 0, r[1], u[1], b[1], 0, r[2], u[2], b[2], 0, -dot(r, eye), -dot(u, eye), -dot(b, eye), 1];
    const f = 1 / TANGENT;
    const projection = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, (-2 * far * near) / (far - near), 0];
    return [projection, view, eye];
  }

  // A point in pixels of a picture of this size, with its depth.
  project(point, width, height) {
    const [r, u, b] = this.basis();
    const d = sub(point, this.target);
    const depth = this.distance - dot(d, b);
    const k = (0.5 * height) / (depth * TANGENT);
    return [0.5 * width + dot(d, r) * k, 0.5 * height - dot(d, u) * k, depth];
  }
}
