// Vectors, quaternions (scalar first) and 4 x 4 matrices (column by column).

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const norm = a => Math.hypot(a[0], a[1], a[2]);
export const unit = a => { const n = norm(a); return n > 0 ? scale(1 / n, a) : [0, 0, 1]; };
export const clamp = (x, lo, hi) => Math.min(Math.max(x, lo), hi);

export const qmul = (a, b) => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]];
export const qconj = a => [a[0], -a[1], -a[2], -a[3]];
export const qrot = (q, v) => {
  const t = scale(2, cross([q[1], q[2], q[3]], v)), u = cross([q[1], q[2], q[3]], t);
  return [v[0] + q[0] * t[0] + u[0], v[1] + q[0] * t[1] + u[1], v[2] + q[0] * t[2] + u[2]];
};
// The rotation vector of a rotation by less than pi.
export const qlog = q => {
  const s = q[0] < 0 ? -1 : 1, v = [s * q[1], s * q[2], s * q[3]], n = norm(v);
  return n < 1e-9 ? scale(2, v) : scale(2 * Math.atan2(n, s * q[0]) / n, v);
};
// The shortest rotation that brings z to the unit vector d.
export const qto = d => {
  if (d[2] < -0.999999) return [0, 1, 0, 0];
  const w = Math.sqrt((1 + d[2]) / 2);
  return [w, -d[1] / (2 * w), d[0] / (2 * w), 0];
};

export const perspective = (fov, aspect, near, far) => {
  const f = 1 / Math.tan(fov / 2), m = new Float32Array(16);
  m[0] = f / aspect; m[5] = f; m[10] = (far + near) / (near - far); m[11] = -1; m[14] = 2 * far * near / (near - far);
  return m;
};
export const lookAt = (eye, right, up, back) => new Float32Array([
  right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
  -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
export const mul4 = (a, b) => {
  const m = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++)
    for (let k = 0; k < 4; k++) m[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return m;
};

// A few digits for people: 12.35, 1.2e-7, 0.
export const digits = (x, n = 4) => {
  if (!Number.isFinite(x)) return '–';
  const a = Math.abs(x);
  if (a === 0) return '0';
  if (a >= 1e5 || a < 1e-3) return x.toExponential(n - 2).replace('e+', 'e').replace('-', '−').replace('e-', 'e−');
  return x.toPrecision(n).replace('-', '−');
};
