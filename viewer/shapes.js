// From the scene to instances: bodies, joints and forces as parts of batches.
import { add, clamp, cross, dot, norm, qconj, qmul, qrot, qto, scale, sub, unit } from './math.js';
import { bodyName, floatsOf, pose, scene, wholesOf } from './data.js';
import { box, coil, cone, cylinder, halfSphere, mesh, sphere, tube } from './geometry.js';
import { Batch, WORDS } from './gl.js';

export const pack = (rgb, alpha = 255) => ((rgb >> 16 & 255) | (rgb & 0xff00) | (rgb & 255) << 16 | alpha << 24) >>> 0;

// The colour of what is chosen: half way to the light.
const glow = c => ([255, 244, 190].reduce((s, y, k) => s | ((c >> 8 * k & 255) * .45 + y * .55) << 8 * k, 0) | 0xff000000) >>> 0;

// Colours that people with any kind of sight tell apart, in light and in dark.
export const palette = [0x4477aa, 0xee8833, 0x22a088, 0xccb544, 0xb04a8c, 0x55b4e0, 0xe0606e, 0x7a8f3c];
export const metal = { light: 0x59636e, dark: 0xa9b4c2 };

// ---- elements: all that has a name, can be hidden, coloured and chosen ----------------------------------
export const elements = [];
const element = (group, type, index, name, color) => {
  const e = { id: elements.length + 1, group, type, index, name, color, visible: true };
  elements.push(e);
  return e;
};
export const byName = name => elements.find(e => e.name === name);

const nodes = new Set(scene.beams.flatMap(b => b.bodies));
export const bodyElements = scene.bodies.map((b, k) => element(b.kind === 'node' ? 'nodes' : b.kind === 'marker' ? 'markers' : 'bodies', b.kind, k, b.name,
  palette[(b.kind === 'node' || b.kind === 'marker' ? 0 : k) % palette.length]));
export const beamElements = scene.beams.map((b, k) => element('beams', 'beam', k, b.name, palette[(k + 1) % palette.length]));
export const flexibleElements = scene.flexible.map(f => bodyElements[f.frame]);
export const jointElements = scene.joints.map((j, k) => element('joints', j.type, k, j.name, null));
export const forceElements = scene.forces.map((f, k) => element('forces', f.type, k, f.name, palette[(k + 2) % palette.length]));
export const actuatorElements = scene.actuators.map((a, k) => element('actuators', 'actuator', k, a.name, palette[(k + 5) % palette.length]));
export const sensorElements = scene.sensors.map((s, k) => element('sensors', s.type, k, s.name, palette[k % palette.length]));
export const groundElement = element('bodies', 'ground', -1, 'ground', 0xb8bec6);

// ---- batches --------------------------------------------------------------------------------------------
export const many = scene.bodies.length + scene.joints.length > 400;
const fine = many ? 6 : 32; // segments of round shapes
const shapesOf = new Map();
export const batches = [];
const makers = { box, sphere: () => sphere(fine), cylinder: () => cylinder(fine), cone: () => cone(fine), half: () => halfSphere(fine), coil: () => coil(many ? 64 : 200, many ? 4 : 8) };
const batchOf = (key, make = makers[key]) => {
  if (!shapesOf.has(key)) { shapesOf.set(key, { batch: new Batch(make(), key === 'coil' ? 1 : 0), parts: [], mark: key.endsWith(' '), ground: key.endsWith('/ground') }); batches.push(shapesOf.get(key)); }
  return shapesOf.get(key);
};
const coarse = { sphere: () => sphere(4), cylinder: () => cylinder(4) };
const ONE = [1, 0, 0, 0], HERE = [0, 0, 0];

// A part that moves with a body (-1: the ground).
const part = (key, e, body, at, turn, size, color, make) => batchOf(e === groundElement ? key + '/ground' : many && e.group === 'joints' ? key + ' ' : key, make || (many && e.group === 'joints' && coarse[key]) || makers[key]).parts.push({ e, body, at, turn, size, color });
// A part from a point of one body to a point of another; size: of its length.
const span = (key, e, ends, size, color) => batchOf(key).parts.push({ e, ends, size, color });

// ---- sizes ----------------------------------------------------------------------------------------------
const place = k => k < 0 ? [HERE, ONE] : [Array.from(pose.subarray(7 * k, 7 * k + 3)), Array.from(pose.subarray(7 * k + 3, 7 * k + 7))];
export const worldPoint = (k, p) => { const [x, q] = place(k); return add(x, qrot(q, p)); };
export const worldDirection = (k, d) => qrot(place(k)[1], d);

// What joints and other marks are in size: an eighth of a usual lever.
export const markSize = reach => {
  const levers = scene.joints.flatMap(j => [j.a >= 0 ? norm(j.pa) : 0, j.b >= 0 ? norm(j.pb) : 0]).filter(x => x > 1e-9 * reach).sort((a, b) => a - b);
  const boxes = scene.bodies.filter(b => b.box).map(b => Math.max(...b.box)).sort((a, b) => a - b);
  const usual = levers.length ? 0.11 * levers[levers.length >> 1] : boxes.length ? 0.2 * boxes[boxes.length >> 1] : reach;
  return clamp(usual, many ? 1e-4 * reach : 0.012 * reach, 0.035 * reach);
};

// ---- bodies ---------------------------------------------------------------------------------------------
const X = [Math.SQRT1_2, 0, Math.SQRT1_2, 0]; // brings z to x
const shapeParts = (e, body, s) => {
  const [a, b, c] = s.size, put = (key, size, at = HERE, turn = ONE, make) =>
    part(key, e, body, add(s.at, qrot(s.rotation, at)), qmul(s.rotation, turn), size, s.color, make);
  if (s.color !== undefined && e.shapeColor === undefined) e.shapeColor = e.color = s.color;
  if (s.type === 'box') put('box', s.size);
  else if (s.type === 'sphere') put('sphere', [a, a, a]);
  else if (s.type === 'cylinder') put('cylinder', [a, a, b]);
  else if (s.type === 'cone') put('cone', [a, a, b]);
  else if (s.type === 'tube') put('tube' + b / a, [a, a, c], HERE, ONE, () => tube(b / a, 2 * fine));
  else if (s.type === 'capsule') { put('cylinder', [a, a, b]); put('half', [a, a, a], [0, 0, b / 2]); put('half', [a, a, a], [0, 0, -b / 2], [0, 1, 0, 0]); }
  else put('mesh' + shapesOf.size + '/' + elements.length, [a, a, a], HERE, ONE, () => mesh(floatsOf(s.mesh.points), wholesOf(s.mesh.triangles)));
};

// A rod from the centre of a body to where it is held, as far as that is outside of its box.
const rod = (e, body, p, r) => {
  const length = norm(p), { box: b, axes } = scene.bodies[body];
  if (b) { const q = qrot(qconj(axes), p); if (q.every((x, k) => Math.abs(x) <= .51 * b[k])) return; }
  if (length > r) part('cylinder', e, body, scale(0.5, p), qto(unit(p)), [r, r, length]);
};

// Some models have moments of inertia that do not matter, and boxes that hide the rest: none is larger than twice the
// longest lever of its body.
const lever = new Float64Array(scene.bodies.length), rollers = new Set(scene.joints.filter(j => j.type === 'rolling').map(j => j.b));
for (const j of scene.joints) { if (j.a >= 0) lever[j.a] = Math.max(lever[j.a], norm(j.pa)); if (j.b >= 0) lever[j.b] = Math.max(lever[j.b], norm(j.pb)); }

const bodyParts = (k, s) => {
  const b = scene.bodies[k], e = bodyElements[k];
  if (b.shapes && b.shapes.length) b.shapes.forEach(x => shapeParts(e, k, x));
  else if (b.kind === 'particle') part('sphere', e, k, HERE, ONE, [1.3 * s, 1.3 * s, 1.3 * s]);
  else if (b.kind === 'body' && !rollers.has(k)) {
    const most = Math.max(...b.box), f = lever[k] > 0 ? Math.min(1, 2 * lever[k] / most) : 1;
    part('box', e, k, HERE, b.axes, (most > 0 ? b.box : [s, s, s]).map(x => Math.max(f * x, 0.4 * s)));
  }
  e.links = !(b.shapes && b.shapes.length) && (b.kind === 'body' || b.kind === 'particle');
};

// ---- joints ---------------------------------------------------------------------------------------------
// Each draws itself at a point of body a, its axis along z of turn.
const glyphs = {
  spherical: (g, s) => g('sphere', [1.15 * s, 1.15 * s, 1.15 * s]),
  revolute: (g, s) => { g('cylinder', [.62 * s, .62 * s, 3 * s]); g('cylinder', [s, s, .35 * s], [0, 0, 1.3 * s]); g('cylinder', [s, s, .35 * s], [0, 0, -1.3 * s]); },
  universal: (g, s) => { g('cylinder', [.5 * s, .5 * s, 3 * s]); g('cylinder', [.5 * s, .5 * s, 3 * s], HERE, X); g('sphere', [.8 * s, .8 * s, .8 * s]); },
  prismatic: (g, s) => { g('box', [1.5 * s, 1.5 * s, 3 * s]); g('cylinder', [.3 * s, .3 * s, 12 * s]); },
  cylindrical: (g, s) => { g('tube', [s, s, 3 * s]); g('cylinder', [.45 * s, .45 * s, 10 * s]); },
  planar: (g, s) => g('box', [7 * s, 7 * s, .2 * s]),
  fixed: (g, s) => g('box', [1.5 * s, 1.5 * s, 1.5 * s]),
  point_on_line: (g, s) => { g('cylinder', [.2 * s, .2 * s, 30 * s]); g('sphere', [.8 * s, .8 * s, .8 * s]); },
  generic: (g, s) => { g('box', [s, s, s]); g('cylinder', [.25 * s, .25 * s, 4 * s]); },
};
makers.tube = () => tube(.6, fine);

const jointParts = (j, e, s, up) => {
  const z = j.za || [0, 0, 1], turn = qto(unit(z));
  if (j.type === 'distance') { span('cylinder', e, [j.a, j.pa, j.b, j.pb], () => [.35 * s, .35 * s]); [[j.a, j.pa], [j.b, j.pb]].forEach(([b, p]) => part('sphere', e, b, p, ONE, [.7 * s, .7 * s, .7 * s])); return; }
  if (j.type === 'rolling') {
    const r = j.radius, q = qto(unit(j.zb));
    if (!(scene.bodies[j.b] && scene.bodies[j.b].shapes)) {
      part('wheel', bodyElements[j.b] || e, j.b, HERE, q, [r, r, .1 * r], undefined, () => tube(.86, 2 * fine));
      for (let k = 0; k < 3; k++) part('cylinder', bodyElements[j.b] || e, j.b, HERE, qmul(q, qmul([Math.cos(k * Math.PI / 6), 0, 0, Math.sin(k * Math.PI / 6)], X)), [.03 * r, .03 * r, 1.8 * r]);
    }
    part('cylinder', e, j.b, HERE, q, [.1 * r, .1 * r, .3 * r]);
    return;
  }
  const put = (key, size, at = HERE, own = ONE) => part(key, e, j.a, add(j.pa, qrot(turn, at)), qmul(turn, own), size);
  (glyphs[j.type] || glyphs.fixed)(put, s);
  if (j.a < 0 || j.b < 0) { // what the ground holds stands on a foot
    const p = j.a < 0 ? j.pa : j.pb, body = j.a < 0 ? j.b : j.a;
    const hangs = body >= 0 && dot(sub(Array.from(pose.subarray(7 * body, 7 * body + 3)), p), up) < -.5 * lever[body], d = scale(hangs ? 1 : -1, up), q = qto(scale(-1, d));
    part('cone', e, -1, add(p, scale(1.9 * s, d)), q, [1.7 * s, 1.7 * s, 2.4 * s], 'foot');
    part('cylinder', e, -1, add(p, scale(3.15 * s, d)), q, [2.3 * s, 2.3 * s, .25 * s], 'foot');
  }
};

// ---- forces ---------------------------------------------------------------------------------------------
const forceParts = (f, e, s) => {
  const ends = [f.a, f.pa, f.b, f.pb];
  if (f.type === 'spring') {
    const r = 1.5 * s;
    if (f.k > 0 || !(f.d > 0)) span('coil', e, ends, () => [r, .22 * s]);
    if (f.d > 0) { span('cylinder', e, ends, () => [.3 * s, .3 * s], 'metal'); span('cylinder', e, ends, length => [.75 * s, .75 * s, .45 * length], 'metal'); }
  } else if (f.type === 'bushing') { span('cylinder', e, ends, () => [.5 * s, .5 * s]); part('sphere', e, f.b, f.pb, ONE, [1.4 * s, 1.4 * s, 1.4 * s]); }
};

// ---- all of it ------------------------------------------------------------------------------------------
export const buildParts = (s, up) => {
  scene.ground.forEach(x => shapeParts(groundElement, -1, x));
  if (scene.per_body === 3) return;
  scene.bodies.forEach((b, k) => bodyParts(k, s));
  scene.joints.forEach((j, k) => {
    const wheel = j.type === 'rolling';
    [[j.a, j.pa], [j.b, j.pb]].forEach(([body, p]) => { if (body >= 0 && bodyElements[body].links && !wheel) rod(bodyElements[body], body, p, .42 * s); });
    jointParts(j, jointElements[k], s, up);
  });
  scene.actuators.forEach((a, k) => { const j = scene.joints[a.joint]; part('ring', actuatorElements[k], j.a, j.pa, qto(unit(j.za || [0, 0, 1])), [1.9 * s, 1.9 * s, 1.1 * s], undefined, () => tube(.7, fine)); });
  scene.forces.forEach((f, k) => {
    if (f.type === 'spring' || f.type === 'bushing') [[f.a, f.pa], [f.b, f.pb]].forEach(([body, p]) => { if (body >= 0 && bodyElements[body].links) rod(bodyElements[body], body, p, .3 * s); });
    forceParts(f, forceElements[k], s);
  });
  for (const { batch, parts } of batches) batch.reserve(parts.length);
};

const write = (b, x, q, size, color, id) => {
  const o = WORDS * b.n++, f = b.floats;
  f[o] = x[0]; f[o + 1] = x[1]; f[o + 2] = x[2]; f[o + 3] = q[0]; f[o + 4] = q[1]; f[o + 5] = q[2]; f[o + 6] = q[3];
  f[o + 7] = size[0]; f[o + 8] = size[1]; f[o + 9] = size[2];
  b.words[o + 10] = color; b.words[o + 11] = (id | 0xff000000) >>> 0;
};
export const writeInstance = write;

// Places of all parts in the present pose. Numbers are written one by one: there may be thousands of parts.
const moveWith = (b, p, color) => {
  const o = WORDS * b.n++, f = b.floats, [lx, ly, lz] = p.at, [a0, a1, a2, a3] = p.turn, k = 7 * p.body;
  if (p.body < 0) { f[o] = lx; f[o + 1] = ly; f[o + 2] = lz; f[o + 3] = a0; f[o + 4] = a1; f[o + 5] = a2; f[o + 6] = a3; } else {
    const w = pose[k + 3], x = pose[k + 4], y = pose[k + 5], z = pose[k + 6];
    const tx = 2 * (y * lz - z * ly), ty = 2 * (z * lx - x * lz), tz = 2 * (x * ly - y * lx);
    f[o] = pose[k] + lx + w * tx + y * tz - z * ty; f[o + 1] = pose[k + 1] + ly + w * ty + z * tx - x * tz; f[o + 2] = pose[k + 2] + lz + w * tz + x * ty - y * tx;
    f[o + 3] = w * a0 - x * a1 - y * a2 - z * a3; f[o + 4] = w * a1 + x * a0 + y * a3 - z * a2;
    f[o + 5] = w * a2 - x * a3 + y * a0 + z * a1; f[o + 6] = w * a3 + x * a2 - y * a1 + z * a0;
  }
  f[o + 7] = p.size[0]; f[o + 8] = p.size[1]; f[o + 9] = p.size[2];
  b.words[o + 10] = color; b.words[o + 11] = (p.e.id | 0xff000000) >>> 0;
};

const stretch = (b, p, color) => {
  const x = worldPoint(p.ends[0], p.ends[1]), y = worldPoint(p.ends[2], p.ends[3]), d = sub(y, x), length = norm(d);
  if (!(length > 0)) return;
  const [r, w, part = length] = p.size(length);
  const at = b.coil ? x : add(x, scale(.5, d));
  write(b, at, qto(scale(1 / length, d)), [r, w, part], color, p.e.id);
};

export const moveParts = (theme, chosen, shows, tint) => {
  const colors = { metal: pack(metal[theme]), foot: pack(theme === 'dark' ? 0x4d5661 : 0xa7afb9) };
  for (const { batch, parts } of batches) {
    batch.n = 0;
    for (const p of parts) {
      const e = p.e;
      if (!e.visible || !shows(e)) continue;
      let c = typeof p.color === 'string' ? colors[p.color] : e.recolored ? pack(e.color) : p.color !== undefined ? pack(p.color) : e.color === null ? colors.metal : pack(e.color);
      if (tint !== undefined) c = tint; else if (e === chosen) c = glow(c);
      if (p.ends) stretch(batch, p, c); else moveWith(batch, p, c);
    }
    batch.upload();
  }
};

export const isNode = k => nodes.has(k);
