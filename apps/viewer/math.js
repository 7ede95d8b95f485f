// Vectors as arrays of three, rotations as rows of nine numbers.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const norm = (a) => Math.sqrt(dot(a, a));
export const unit = (a, other = [0, 0, 1]) => {
  const length = norm(a);
  return length > 0 ? scale(a, 1 / length) : other;
};

// A vector at a right angle to a unit vector.
export const perpendicular = (a) => {
  const k = Math.abs(a[0]) < Math.abs(a[1]) ? (Math.abs(a[0]) < Math.abs(a[2]) ? 0 : 2) : Math.abs(a[1]) < Math.abs(a[2]) ? 1 : 2;
  const axis = [0, 0, 0];
  axis[k] = 1;
  return unit(cross(a, axis));
};

// The rotation of Euler parameters x, y, z, w, of any length.
export function rotation(x, y, z, w, out) {
  const s = 2 / (x * x + y * y + z * z + w * w);
  out[0] = 1 - s * (y * y + z * z); out[1] = s * (x * y - z * w); out[2] = s * (x * z + y * w);
  out[3] = s * (x * y + z * w); out[4] = 1 - s * (x * x + z * z); out[5] = s * (y * z - x * w);
  out[6] = s * (x * z - y * w); out[7] = s * (y * z + x * w); out[8] = 1 - s * (x * x + y * y);
  return out;
}

export const turn = (m, v) => [
  m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
  m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
  m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
];

// A rotation whose third column is along a direction.
export function along(direction) {
  const z = unit(direction), x = perpendicular(z), y = cross(z, x);
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}

// Column-major product of two 4 × 4 matrices.
export function product(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
    let sum = 0;
    for (let k = 0; k < 4; k++) sum += a[k * 4 + r] * b[c * 4 + k];
    out[c * 4 + r] = sum;
  }
  return out;
}
