// Pictures of a scene on WebGL2. All parts with the same surface are drawn together.

import { product } from './math.js';

const MESH_VERTEX = `#version 300 es
layout(location=0) in vec3 position; layout(location=1) in vec3 normal;
layout(location=2) in vec4 row0; layout(location=3) in vec4 row1; layout(location=4) in vec4 row2;
layout(location=5) in vec4 tint; layout(location=6) in float number;
uniform mat4 camera; uniform vec4 floorPlane; uniform float flatten;
out vec3 vNormal; out vec4 vTint; flat out float vNumber; out float vAbove; out vec3 vPlace;
void main() {
  vec4 p = vec4(position, 1.0);
  vec3 w = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
  vec3 a = vec3(row0.x, row1.x, row2.x), b = vec3(row0.y, row1.y, row2.y), c = vec3(row0.z, row1.z, row2.z);
  float side = dot(a, cross(b, c)) < 0.0 ? -1.0 : 1.0;
  vNormal = side * (cross(b, c) * normal.x + cross(c, a) * normal.y + cross(a, b) * normal.z);
  vAbove = dot(floorPlane.xyz, w) - floorPlane.w;
  w -= flatten * floorPlane.xyz * vAbove;
  vTint = tint; vNumber = number; vPlace = w;
  gl_Position = camera * vec4(w, 1.0);
}`;

const MESH_FRAGMENT = `#version 300 es
precision highp float;
in vec3 vNormal; in vec4 vTint; flat in float vNumber; in float vAbove; in vec3 vPlace;
uniform vec3 eye, up, lamp; uniform int mode; uniform float chosen, reach;
out vec4 colour;
void main() {
  if (mode == 1) { // numbers of bodies
    float n = vNumber; colour = vec4(mod(n, 256.0), mod(floor(n / 256.0), 256.0), floor(n / 65536.0), 255.0) / 255.0; return;
  }
  if (mode == 2) { // shadow
    if (vAbove < 0.0) discard;
    colour = vec4(0.0, 0.0, 0.0, 0.24 * exp(-0.6 * vAbove / reach)); return;
  }
  vec3 n = normalize(vNormal);
  vec3 toEye = normalize(eye - vPlace);
  if (dot(n, toEye) < 0.0 && mode == 3) n = -n;
  float direct = max(dot(n, lamp), 0.0), sky = 0.5 + 0.5 * dot(n, up);
  float near = vNumber > 0.5 ? 1.0 - 0.22 * exp(-6.0 * max(vAbove, 0.0) / reach) : 1.0; // contact shading
  float gloss = pow(max(dot(n, normalize(lamp + toEye)), 0.0), 40.0);
  vec3 c = vTint.rgb * (0.34 + 0.26 * sky + 0.48 * direct) * near + 0.10 * gloss;
  if (chosen > 0.5 && abs(vNumber - chosen) < 0.5) c = mix(c, vec3(1.0, 0.72, 0.12), 0.45);
  colour = vec4(min(c, 1.0), vTint.a);
}`;

const LINE_VERTEX = `#version 300 es
layout(location=0) in vec3 position; layout(location=1) in vec4 tint;
uniform mat4 camera; out vec4 vTint;
void main() { vTint = tint; gl_Position = camera * vec4(position, 1.0); }`;

const LINE_FRAGMENT = `#version 300 es
precision highp float; in vec4 vTint; out vec4 colour; void main() { colour = vTint; }`;

// Numbers of an instance: three rows of the placing matrix, red, green, blue, opacity, number of the body.
export const INSTANCE = 17;

export class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error('This browser offers no WebGL 2, which the picture needs. Enable hardware acceleration, or use another browser.');
    this.gl = gl;
    this.meshProgram = this.program(MESH_VERTEX, MESH_FRAGMENT);
    this.lineProgram = this.program(LINE_VERTEX, LINE_FRAGMENT);
    this.lineBuffer = gl.createBuffer();
    this.lineArray = gl.createVertexArray();
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 28, 0);
    gl.enableVertexAttribArray(1); gl.vertexAttribPointer(1, 4, gl.FLOAT, false, 28, 12);
    gl.bindVertexArray(null);
    this.surfaces = [];
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const places = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let k = 0; k < count; k++) {
      const { name } = gl.getActiveUniform(program, k);
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  // Takes over the surfaces of a scene.
  load(meshes, bytes) {
    const gl = this.gl;
    for (const old of this.surfaces) {
      gl.deleteVertexArray(old.array);
      old.buffers.forEach((buffer) => gl.deleteBuffer(buffer));
    }
    this.surfaces = meshes.map((mesh) => {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      const upload = (target, data, usage = gl.STATIC_DRAW) => {
        const buffer = gl.createBuffer();
        gl.bindBuffer(target, buffer);
        gl.bufferData(target, data, usage);
        return buffer;
      };
      const size = mesh.corners * 12;
      const positions = upload(gl.ARRAY_BUFFER, bytes.subarray(mesh.at, mesh.at + size));
      gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
      const normals = upload(gl.ARRAY_BUFFER, bytes.subarray(mesh.at + size, mesh.at + 2 * size));
      gl.enableVertexAttribArray(1); gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 12, 0);
      const indices = upload(gl.ELEMENT_ARRAY_BUFFER, bytes.subarray(mesh.at + 2 * size, mesh.at + 2 * size + 4 * mesh.indices));
      const instances = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, instances);
      for (const [place, length, at] of [[2, 4, 0], [3, 4, 16], [4, 4, 32], [5, 4, 48], [6, 1, 64]]) {
        gl.enableVertexAttribArray(place);
        gl.vertexAttribPointer(place, length, gl.FLOAT, false, 4 * INSTANCE, at);
        gl.vertexAttribDivisor(place, 1);
      }
      gl.bindVertexArray(null);
      return { array, instances, count: mesh.indices, buffers: [positions, normals, indices, instances] };
    });
  }

  // What is drawn: batches of instances of one surface. `which` is 0 for opaque parts, 1 for scenery, 2 for glass.
  place(batches) {
    this.batches = batches;
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      return true;
    }
    return false;
  }

  aspect() {
    return this.canvas.width / this.canvas.height;
  }

  prepare(camera, style) {
    const gl = this.gl, { program, places } = this.meshProgram;
    const [projection, view, eye] = camera.matrix(this.aspect());
    this.matrix = product(projection, view);
    const [right, , back] = camera.basis();
    const up = camera.up;
    const lamp = [0, 1, 2].map((k) => 0.75 * up[k] + 0.6 * back[k] - 0.3 * right[k]);
    const length = Math.hypot(...lamp);
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.camera, false, this.matrix);
    gl.uniform3fv(places.eye, eye);
    gl.uniform3fv(places.up, up);
    gl.uniform3fv(places.lamp, lamp.map((x) => x / length));
    gl.uniform4f(places.floorPlane, up[0], up[1], up[2], style.floor);
    gl.uniform1f(places.reach, style.reach);
    gl.uniform1f(places.flatten, 0);
    gl.uniform1f(places.chosen, style.chosen || 0);
  }

  // Every batch has its own instances, but surfaces share a buffer: batches of a surface are uploaded in turn.
  group(which) {
    const gl = this.gl;
    for (const batch of this.batches) {
      if (batch.which !== which || batch.count === 0) continue;
      const surface = this.surfaces[batch.mesh];
      gl.bindVertexArray(surface.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, surface.instances);
      gl.bufferData(gl.ARRAY_BUFFER, batch.data.subarray(0, batch.count * INSTANCE), gl.DYNAMIC_DRAW);
      gl.drawElementsInstanced(gl.TRIANGLES, surface.count, gl.UNSIGNED_INT, 0, batch.count);
    }
    gl.bindVertexArray(null);
  }

  draw(camera, style, lines) {
    const gl = this.gl, { places } = this.meshProgram;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...style.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    this.prepare(camera, style);
    gl.uniform1i(places.mode, 3);
    this.group(1);
    gl.uniform1i(places.mode, 0);
    this.group(0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (style.shadows) {
      gl.uniform1i(places.mode, 2);
      gl.uniform1f(places.flatten, 1);
      gl.enable(gl.STENCIL_TEST);
      gl.stencilFunc(gl.EQUAL, 0, 0xff);
      gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(-2, -8);
      gl.depthMask(false);
      this.group(0);
      gl.depthMask(true);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.disable(gl.STENCIL_TEST);
      gl.uniform1f(places.flatten, 0);
    }
    this.lines(lines);
    this.prepare(camera, style);
    gl.uniform1i(places.mode, 0);
    gl.depthMask(false);
    this.group(2);
    gl.depthMask(true);
  }

  // Seven numbers for every end: x, y, z, red, green, blue, opacity.
  lines(numbers) {
    if (!numbers.length) return;
    const gl = this.gl;
    gl.useProgram(this.lineProgram.program);
    gl.uniformMatrix4fv(this.lineProgram.places.camera, false, this.matrix);
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
    gl.drawArrays(gl.LINES, 0, numbers.length / 7);
    gl.bindVertexArray(null);
  }

  // The number of the body at a pixel of the page; 0 for none.
  pick(camera, style, x, y) {
    const gl = this.gl, { places } = this.meshProgram;
    const { width, height } = this.canvas;
    if (!this.target || this.target.width !== width || this.target.height !== height) {
      if (this.target) {
        gl.deleteFramebuffer(this.target.frame);
        this.target.parts.forEach((part) => gl.deleteRenderbuffer(part));
      }
      const frame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      const part = (format, place) => {
        const buffer = gl.createRenderbuffer();
        gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
        gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
        return buffer;
      };
      const parts = [part(gl.RGBA8, gl.COLOR_ATTACHMENT0), part(gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT)];
      this.target = { frame, parts, width, height };
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.frame);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    this.prepare(camera, style);
    gl.uniform1i(places.mode, 1);
    this.group(0);
    this.group(2);
    const ratio = width / this.canvas.clientWidth;
    const found = new Uint8Array(4);
    gl.readPixels(Math.floor(x * ratio), height - 1 - Math.floor(y * ratio), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, found);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return found[3] ? found[0] + 256 * found[1] + 65536 * found[2] : 0;
  }
}
