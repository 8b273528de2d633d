// Marks on demand: trails of points, arrows of forces, frames of bodies.
import { add, norm, qto, scale, unit } from './math.js';
import { channel, column, locate, pose, scene, times, valueAt } from './data.js';
import { Batch, Lines } from './gl.js';
import { cone, cylinder } from './geometry.js';
import { bodyElements, elements, forceElements, jointElements, many, pack, palette, sensorElements, worldDirection, worldPoint, writeInstance } from './shapes.js';

let thin, bold, shafts, heads;
export const openMarks = () => { thin = new Lines(1.6); bold = new Lines(2.4); shafts = new Batch(cylinder(16)); heads = new Batch(cone(20)); };

// ---- trails ---------------------------------------------------------------------------------------------
// Points of position sensors; where there are none, the first bodies.
const tracks = scene.sensors.map((s, k) => ({ s, k, c: channel('sensor', k) })).filter(x => x.s.type === 'position' && x.c)
  .map(x => ({ e: sensorElements[x.k], at: [0, 1, 2].map(i => column(x.c.first + i)), color: palette[x.k % palette.length] }));
export const hasTrails = tracks.length > 0;
const trails = t => {
  const [k] = locate(t), step = Math.max(1, Math.ceil(k / 1500));
  for (const { e, at, color } of tracks) {
    if (!e.visible) continue;
    let a = null;
    for (let i = 0; i <= k + step; i += step) {
      const n = Math.min(i, k), b = at.map(x => x[n]);
      if (a) bold.add(a, b, pack(color, 60 + Math.round(195 * n / Math.max(k, 1))));
      a = b;
    }
  }
};

// ---- arrows ---------------------------------------------------------------------------------------------
const reactions = scene.joints.map((j, k) => ({ j, k, c: channel('reaction', k) })).filter(x => x.c);
let largestForce = -1, looked = 0; // over so many frames
export const arrowScale = reach => {
  if (largestForce < 0 || looked !== scene.frames) {
    const from = Math.min(looked, scene.frames - 1);
    looked = scene.frames; largestForce = Math.max(largestForce, 0);
    for (const { c } of reactions) { const f = [0, 1, 2].map(i => column(c.first + i)); for (let n = Math.max(from, 0); n < looked; n++) largestForce = Math.max(largestForce, Math.hypot(f[0][n], f[1][n], f[2][n])); }
    for (const f of scene.forces) if (f.value && f.type === 'force') largestForce = Math.max(largestForce, norm(f.value));
  }
  return largestForce > 0 ? .55 * reach / largestForce : 0;
};
const arrow = (at, f, k, size, color, id) => {
  const length = norm(f) * k;
  if (!(length > size)) return;
  const d = unit(f), q = qto(d), head = Math.min(2.6 * size, .6 * length);
  shafts.reserve(shafts.n + 1); heads.reserve(heads.n + 1);
  writeInstance(shafts, add(at, scale((length - head) / 2, d)), q, [.3 * size, .3 * size, length - head], color, id);
  writeInstance(heads, add(at, scale(length - head / 2, d)), q, [.85 * size, .85 * size, head], color, id);
};
const arrows = (t, reach, size) => {
  const k = arrowScale(reach);
  for (const { j, k: n, c } of reactions) {
    const e = jointElements[n], f = [0, 1, 2].map(i => valueAt(c.first + i, t));
    if (e.visible) arrow(worldPoint(j.b, j.pb), f, k, size, pack(0xd55e00), e.id);
  }
  scene.forces.forEach((f, n) => {
    const e = forceElements[n];
    if (f.value && f.type === 'force' && e.visible) arrow(worldPoint(f.b, f.pb), f.in_body ? worldDirection(f.b, f.value) : f.value, k, size, pack(0x0072b2), e.id);
  });
};

// ---- frames ---------------------------------------------------------------------------------------------
const axisColors = [pack(0xd1495b), pack(0x3c9d5b), pack(0x3d7dd8)];
const frames3 = size => {
  for (const e of elements) if ((e.group === 'bodies' || e.group === 'markers') && e.index >= 0 && e.visible && e.type !== 'particle')
    for (let k = 0; k < 3; k++) { const d = [0, 0, 0]; d[k] = size; thin.add(worldPoint(e.index, [0, 0, 0]), worldPoint(e.index, d), axisColors[k]); }
};

// ---- large models ---------------------------------------------------------------------------------------
// Seen from afar their bodies are thinner than a pixel: lines from joint to joint keep them in sight.
const skeleton = [];
if (many) {
  const points = new Map();
  for (const j of scene.joints) for (const [b, p] of [[j.a, j.pa], [j.b, j.pb]]) if (b >= 0) { if (!points.has(b)) points.set(b, []); points.get(b).push(p); }
  points.forEach((p, b) => { for (let k = 0; k < p.length; k++) skeleton.push([b, p.length > 1 && k ? p[k - 1] : [0, 0, 0], p[k]]); });
}
const bones = () => { for (const [b, p, q] of skeleton) if (bodyElements[b].visible) thin.add(worldPoint(b, p), worldPoint(b, q), pack(bodyElements[b].color)); };

export const moveMarks = (t, on, reach, size) => {
  thin.clear(); bold.clear(); shafts.n = heads.n = 0;
  bones();
  if (on.trails) trails(t);
  if (on.arrows) arrows(t, reach, size);
  if (on.frames) frames3(4 * size);
  shafts.upload(); heads.upload();
  return { lines: [thin, bold], solids: [shafts, heads] };
};
