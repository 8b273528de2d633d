// Beams and flexible bodies: sections swept along the line of their nodes, coloured by what bends them.
//
// Between two nodes the line is the cubic with the directions of the sections at its ends; rotations are interpolated. The
// bending moment of an element is EI times its curvature, the change of its relative rotation over its length.
import { add, clamp, cross, dot, norm, qconj, qlog, qmul, qrot, scale, sub, unit } from './math.js';
import { pose, poseAt, scene, end, start } from './data.js';
import { Free } from './gl.js';
import { beamElements, bodyElements, palette } from './shapes.js';

const PARTS = scene.bodies.length > 400 ? 1 : 4;

// Blue over pale yellow to red: told apart by people with any kind of sight, and seen on light and dark.
const scaleColors = [[62, 104, 168], [108, 160, 190], [236, 216, 130], [240, 150, 66], [200, 52, 40]].map(c => c.map(x => x / 255));
export const colorOf = x => {
  const s = clamp(x, 0, 1) * 4, k = Math.min(Math.floor(s), 3), f = s - k;
  return scaleColors[k].map((c, i) => c + f * (scaleColors[k + 1][i] - c));
};

// Outline in the plane of the second and third axis: points and normals.
const outline = s => {
  const [a, b] = s.size;
  if (s.type === 'box') {
    const y = a / 2, z = b / 2;
    return [[y, -z, 1, 0], [y, z, 1, 0], [y, z, 0, 1], [-y, z, 0, 1], [-y, z, -1, 0], [-y, -z, -1, 0], [-y, -z, 0, -1], [y, -z, 0, -1]];
  }
  const n = PARTS > 1 ? 16 : 8;
  return Array.from({ length: n }, (_, k) => { const c = Math.cos(2 * Math.PI * k / n), d = Math.sin(2 * Math.PI * k / n); return [a * c, a * d, c, d]; });
};

// Sections in a row: body and point of each, what turns its axes to the body.
const sweeps = [];
const addSweep = (e, stations, section, k) => sweeps.push({ e, stations, ring: outline(section), box: section.type === 'box', beam: k });

// Members of flexible bodies go through the markers on them; where there is none, they follow the frame.
const flexibleStations = (f, m) => {
  const d = sub(m.to, m.from), length = norm(d), t = unit(d);
  const on = f.at.map((x, k) => ({ k, s: dot(sub(x, m.from), t), off: norm(sub(sub(x, m.from), scale(dot(sub(x, m.from), t), t))) }))
    .filter(x => x.off < 1e-6 * length && x.s > -1e-6 * length && x.s < (1 + 1e-6) * length).sort((a, b) => a.s - b.s);
  const stations = on.map(x => ({ body: f.markers[x.k], at: [0, 0, 0], s: x.s }));
  const ends = [[0, m.from], [length, m.to]];
  for (const [s, p] of ends) {
    if (stations.some(x => Math.abs(x.s - s) < 1e-6 * length)) continue;
    const near = on.length && norm(p) > 1e-9 * length ? on.reduce((a, b) => Math.abs(a.s - s) < Math.abs(b.s - s) ? a : b) : null;
    stations.push(near ? { body: f.markers[near.k], at: sub(p, f.at[near.k]), s } : { body: f.frame, at: p, s });
  }
  stations.sort((a, b) => a.s - b.s);
  const helper = Math.abs(t[2]) < .9 ? [0, 0, 1] : [0, 1, 0], y = unit(cross(helper, t)), z = cross(t, y);
  return stations.map(x => ({ ...x, axes: [t, y, z] }));
};

scene.beams.forEach((b, k) => addSweep(beamElements[k], b.bodies.map(i => ({ body: i, at: [0, 0, 0], axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] })), b.section[0], k));
scene.flexible.forEach(f => f.members.forEach(m => addSweep(bodyElements[f.frame], flexibleStations(f, m), { type: 'box', size: [m.edge, m.edge] }, -1)));
scene.beams.forEach((b, k) => { const c = b.section[0].color; if (c !== undefined) { beamElements[k].color = c; beamElements[k].plain = true; } });

// ---- bending --------------------------------------------------------------------------------------------
const quaternion = (p, k) => [p[7 * k + 3], p[7 * k + 4], p[7 * k + 5], p[7 * k + 6]];
const momentsOf = (b, p) => b.length.map((length, i) => {
  const now = qmul(qconj(quaternion(p, b.bodies[i])), quaternion(p, b.bodies[i + 1]));
  const w = qlog(qmul(qconj(b.rest[i]), now));
  return Math.hypot(b.stiffness[4] * w[1], b.stiffness[5] * w[2]) / length;
});

let largest = 0, lookedAt = 0; // until which time
export const largestMoment = () => {
  if (largest && (!scene.live || end < 1.05 * lookedAt) || !scene.beams.length) return largest;
  lookedAt = end;
  const p = new Float32Array(pose.length), n = Math.min(60, scene.frames);
  for (let k = 0; k <= n; k++) { poseAt(start + (end - start) * k / Math.max(n, 1), p); for (const b of scene.beams) for (const m of momentsOf(b, p)) largest = Math.max(largest, m); }
  return largest;
};
export const momentsNow = k => momentsOf(scene.beams[k], pose);

// ---- triangles ------------------------------------------------------------------------------------------
let free, points, normals, colors, ids, key = '';
const prepare = shown => {
  const indices = [];
  let v = 0;
  for (const s of shown) {
    const n = s.ring.length, rows = (s.stations.length - 1) * PARTS + 1, step = s.box ? 2 : 1;
    for (let r = 0; r + 1 < rows; r++) for (let k = 0; k < n; k += step) {
      const a = v + r * n + k, b = v + r * n + (k + 1) % n;
      indices.push(a, b, b + n, a, b + n, a + n);
    }
    for (const r of [0, rows - 1]) for (let k = 1; k + 1 < n; k++) indices.push(v + r * n, v + r * n + k, v + r * n + k + 1);
    v += rows * n;
  }
  points = new Float32Array(3 * v); normals = new Float32Array(3 * v); colors = new Float32Array(3 * v); ids = new Uint32Array(v);
  free.indices(new Uint32Array(indices));
};

const stationNow = s => {
  const k = 7 * s.body, q = quaternion(pose, s.body), x = add([pose[k], pose[k + 1], pose[k + 2]], qrot(q, s.at));
  return { x, q, e: s.axes.map(a => qrot(q, a)) };
};

const sweepNow = (s, v, chosen, byMoment) => {
  const at = s.stations.map(stationNow), n = s.ring.length, last = at.length - 1;
  const moments = byMoment && s.beam >= 0 ? momentsNow(s.beam) : null, most = largestMoment() || 1;
  const plain = [16, 8, 0].map(b => ((s.e === chosen ? 0xffd34d : s.e.color) >> b & 255) / 255);
  for (let i = 0; i <= last; i++) for (let k = 0; k < (i < last ? PARTS : 1); k++) {
    const u = k / PARTS, a = at[i], b = at[Math.min(i + 1, last)], length = norm(sub(b.x, a.x));
    const h = u * u * (3 - 2 * u), g = u * (1 - u) * (1 - u), j = -u * u * (1 - u);
    const x = [0, 1, 2].map(c => (1 - h) * a.x[c] + h * b.x[c] + length * (g * a.e[0][c] + j * b.e[0][c]));
    const y = unit(add(scale(1 - u, a.e[1]), scale(u, b.e[1]))), z = unit(add(scale(1 - u, a.e[2]), scale(u, b.e[2])));
    const m = moments && moments.length ? (u < .5 ? (moments[Math.max(i - 1, 0)] + moments[Math.min(i, last - 1)]) / 2 + u * (moments[Math.min(i, last - 1)] - moments[Math.max(i - 1, 0)]) : moments[Math.min(i, last - 1)] + (u - .5) * (moments[Math.min(i + 1, last - 1)] - moments[Math.min(i, last - 1)])) : 0;
    const color = moments && s.e !== chosen ? colorOf(m / most) : plain;
    for (const [p, r, ny, nz] of s.ring) {
      for (let c = 0; c < 3; c++) { points[3 * v + c] = x[c] + p * y[c] + r * z[c]; normals[3 * v + c] = ny * y[c] + nz * z[c]; colors[3 * v + c] = color[c]; }
      ids[v++] = (s.e.id | 0xff000000) >>> 0;
    }
  }
  return v;
};

export const moveBeams = (chosen, byMoment) => {
  if (!sweeps.length) return null;
  free = free || new Free();
  const shown = sweeps.filter(s => s.e.visible), now = shown.map(s => sweeps.indexOf(s)).join();
  if (now !== key) { key = now; prepare(shown); }
  let v = 0;
  for (const s of shown) v = sweepNow(s, v, chosen, byMoment);
  free.upload(points, normals, colors, ids);
  return free;
};
export const hasBeams = sweeps.length > 0, hasMoments = scene.beams.length > 0;
