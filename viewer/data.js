// What the program wrote into the page: the scene, and frames as one block of floats.
import { clamp, qmul } from './math.js';

const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
export const floatsOf = text => new Float32Array(bytesOf(text).buffer);
export const wholesOf = text => new Uint32Array(bytesOf(text).buffer);

export const scene = JSON.parse(document.getElementById('scene').textContent);
const given = floatsOf(document.getElementById('frames').textContent.trim());
const size = scene.bodies.length * scene.per_body;

// Column k of the numbers beside bodies, for all frames; column 0 is the time. Those that stay are not in the block.
// A live page has room for frames to come.
const room = scene.live ? scene.live.capacity : scene.frames;
const roomy = (from, n) => { if (!scene.live) return from; const x = new Float32Array(n); x.set(from); return x; };
let offsetOf = scene.frames * size;
const columns = scene.still.map(x => x === null ? roomy(given.subarray(offsetOf, offsetOf += scene.frames), room) : new Float32Array(room).fill(x));
const frames = roomy(given.subarray(0, scene.live ? scene.frames * size : given.length), room * size);
export const column = k => columns[k];
export const columnOf = x => columns.indexOf(x);
export const times = column(0);
export let start = times[0] || 0, end = times[scene.frames - 1] || 0;

// Columns that are sums of two others, for as long as frames come.
const sums = [];
export const sumOf = (a, b) => { const x = Float32Array.from(a, (y, k) => y + b[k]); sums.push([x, a, b]); return x; };

// Frames to come: one more, x y z q of bodies and then all columns; every second one goes when there is no more room.
export const forget = () => { scene.frames = 0; };
export const append = x => {
  if (scene.frames && x[size] <= end) return;
  if (scene.frames === room) {
    scene.frames = room / 2;
    for (let k = 1; k < room / 2; k++) { frames.copyWithin(k * size, 2 * k * size, (2 * k + 1) * size); for (const c of columns) c[k] = c[2 * k]; for (const [s] of sums) s[k] = s[2 * k]; }
  }
  const n = scene.frames++;
  frames.set(x.subarray(0, size), n * size);
  columns.forEach((c, k) => { c[n] = x[size + k]; });
  for (const [s, a, b] of sums) s[n] = a[n] + b[n];
  start = times[0]; end = times[n];
};

// The frame before t and how far t is on the way to the next, of this run or of another.
const here = { get n() { return scene.frames; }, times, frames };
export const locate = (t, { n, times: at } = here) => {
  let lo = 0, hi = Math.max(n - 2, 0);
  while (lo < hi) { const m = (lo + hi + 1) >> 1; if (at[m] <= t) lo = m; else hi = m - 1; }
  const span = at[lo + 1] - at[lo];
  return [lo, n > 1 && span > 0 ? clamp((t - at[lo]) / span, 0, 1) : 0];
};

export const nearest = t => { const [k, f] = locate(t); return f > 0.5 ? k + 1 : k; };
export const valueAt = (c, t) => {
  const [k, f] = locate(t), x = column(c);
  return f > 0 ? x[k] + f * (x[k + 1] - x[k]) : x[k];
};

// Modes: what 12 numbers of each body say, for one of them, at a part t of a period; amplitude 1 is what scales make of it.
const shapesFrom = offsetOf;
export const mode = { k: 0, amplitude: 0, scale: scene.modes.map(() => 0) };
const shapeOf = k => frames.subarray(shapesFrom + 12 * k * scene.bodies.length, shapesFrom + 12 * (k + 1) * scene.bodies.length);
export const scaleModes = (reach, size) => scene.modes.forEach((_, k) => {
  const y = shapeOf(k);
  let most = 0;
  for (let i = 0; i < y.length; i += 3) most = Math.max(most, Math.hypot(y[i], y[i + 1], y[i + 2]) * (i / 3 % 2 ? 5 * size : 1));
  mode.scale[k] = most > 0 ? .16 * reach / most : 0;
});
const vibrate = (t, out) => {
  const y = shapeOf(mode.k), a = mode.amplitude * mode.scale[mode.k], c = a * Math.cos(2 * Math.PI * t), s = a * Math.sin(2 * Math.PI * t);
  for (let i = 0; i < scene.bodies.length; i++) {
    const o = 7 * i, d = [0, 1, 2, 3, 4, 5].map(k => c * y[12 * i + k] - s * y[12 * i + 6 + k]), n = Math.hypot(d[3], d[4], d[5]), f = n > 1e-9 ? Math.sin(n / 2) / n : .5;
    for (let k = 0; k < 3; k++) out[o + k] += d[k];
    out.set(qmul(out.slice(o + 3, o + 7), [Math.cos(n / 2), f * d[3], f * d[4], f * d[5]]), o + 3);
  }
};

// Places of all bodies at t: x, y, z, then a quaternion; on the shortest arc between frames.
export const pose = new Float32Array(scene.bodies.length * 7);
export const poseAt = (t, out = pose, run = here) => {
  const [k, f] = locate(t, run), { frames } = run, n = scene.bodies.length, per = scene.per_body, g = 1 - f;
  const a = k * size, b = f > 0 ? a + size : a;
  for (let i = 0; i < n; i++) {
    const o = 7 * i, p = a + per * i, r = b + per * i;
    for (let c = 0; c < 3; c++) out[o + c] = g * frames[p + c] + f * frames[r + c];
    if (per === 3) { out[o + 3] = 1; continue; }
    let d = 0;
    for (let c = 3; c < 7; c++) d += frames[p + c] * frames[r + c];
    let u = g, v = d < 0 ? -f : f;
    d = Math.abs(d);
    if (d < 0.9995) {
      const angle = Math.acos(d), s = Math.sin(angle);
      u = Math.sin(g * angle) / s; v = Math.sign(v) * Math.sin(f * angle) / s;
    }
    let m = 0;
    for (let c = 3; c < 7; c++) { out[o + c] = u * frames[p + c] + v * frames[r + c]; m += out[o + c] ** 2; }
    m = 1 / Math.sqrt(m);
    for (let c = 3; c < 7; c++) out[o + c] *= m;
  }
  if (scene.modes.length) vibrate(t, out);
  return out;
};

export const channel = (what, index) => scene.channels.find(c => c.what === what && c.index === index);
export const bodyName = k => k < 0 ? 'ground' : scene.bodies[k].name;
