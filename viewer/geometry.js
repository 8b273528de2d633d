// Triangles of unit shapes: positions, normals, indices.
import { cross, dot, norm, sub, unit } from './math.js';

const builder = () => {
  const p = [], n = [], i = [];
  return {
    point(x, m) { p.push(...x); n.push(...m); return p.length / 3 - 1; },
    quad(a, b, c, d) { i.push(a, b, c, a, c, d); },
    triangle(a, b, c) { i.push(a, b, c); },
    done: () => ({ points: new Float32Array(p), normals: new Float32Array(n), indices: new Uint32Array(i) }),
  };
};

export const box = () => {
  const g = builder();
  for (let axis = 0; axis < 3; axis++) for (const s of [-1, 1]) {
    const at = (u, v) => { const x = [0, 0, 0], m = [0, 0, 0]; x[axis] = s / 2; x[(axis + 1) % 3] = u * s / 2; x[(axis + 2) % 3] = v / 2; m[axis] = s; return g.point(x, m); };
    g.quad(at(-1, -1), at(1, -1), at(1, 1), at(-1, 1));
  }
  return g.done();
};

// A profile of points (r, z) with normals, turned about z.
const turned = (profile, segments) => {
  const g = builder();
  for (const [[r0, z0, a0, b0], [r1, z1, a1, b1]] of profile) {
    const rows = [];
    for (let k = 0; k <= segments; k++) {
      const c = Math.cos(2 * Math.PI * k / segments), s = Math.sin(2 * Math.PI * k / segments);
      rows.push([g.point([r0 * c, r0 * s, z0], [a0 * c, a0 * s, b0]), g.point([r1 * c, r1 * s, z1], [a1 * c, a1 * s, b1])]);
    }
    for (let k = 0; k < segments; k++) g.quad(rows[k][0], rows[k + 1][0], rows[k + 1][1], rows[k][1]);
  }
  return g.done();
};

export const cylinder = n => turned([[[0, -.5, 0, -1], [1, -.5, 0, -1]], [[1, -.5, 1, 0], [1, .5, 1, 0]], [[1, .5, 0, 1], [0, .5, 0, 1]]], n);
export const cone = n => turned([[[0, -.5, 0, -1], [1, -.5, 0, -1]], [[1, -.5, .707, .707], [0, .5, .707, .707]]], n);
export const tube = (inner, n) => turned([[[inner, -.5, 0, -1], [1, -.5, 0, -1]], [[1, -.5, 1, 0], [1, .5, 1, 0]],
  [[1, .5, 0, 1], [inner, .5, 0, 1]], [[inner, .5, -1, 0], [inner, -.5, -1, 0]]], n);

const arcs = (n, from, to, f) => Array.from({ length: n }, (_, k) => [f(from + (to - from) * k / n), f(from + (to - from) * (k + 1) / n)]);
export const sphere = n => turned(arcs(n >> 1, -Math.PI / 2, Math.PI / 2, a => [Math.cos(a), Math.sin(a), Math.cos(a), Math.sin(a)]), n);
export const halfSphere = n => turned(arcs(n >> 2, 0, Math.PI / 2, a => [Math.cos(a), Math.sin(a), Math.cos(a), Math.sin(a)]), n);

// (way along, angle around the wire): the shader winds it.
export const coil = (along, around) => {
  const g = builder();
  for (let i = 0; i <= along; i++) for (let k = 0; k <= around; k++) g.point([i / along, 2 * Math.PI * k / around, 0], [0, 0, 0]);
  const at = (i, k) => i * (around + 1) + k;
  for (let i = 0; i < along; i++) for (let k = 0; k < around; k++) g.quad(at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1));
  return g.done();
};

// Triangles of a file. Normals are shared where faces meet at less than 35 degrees, so that round parts look round.
export const mesh = (points, triangles) => {
  const corner = k => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  const faces = triangles.length / 3, normal = [], around = new Map();
  for (let f = 0; f < faces; f++) {
    const [a, b, c] = [0, 1, 2].map(k => corner(triangles[3 * f + k]));
    normal.push(cross(sub(b, a), sub(c, a)));
    for (let k = 0; k < 3; k++) { const v = triangles[3 * f + k]; if (!around.has(v)) around.set(v, []); around.get(v).push(f); }
  }
  const g = builder(), near = Math.cos(35 * Math.PI / 180);
  const p = new Float32Array(9 * faces), n = new Float32Array(9 * faces);
  for (let f = 0; f < faces; f++) {
    const own = unit(normal[f]);
    for (let k = 0; k < 3; k++) {
      const v = triangles[3 * f + k], m = [0, 0, 0];
      for (const o of around.get(v)) if (norm(normal[o]) > 0 && dot(own, unit(normal[o])) > near) for (let c = 0; c < 3; c++) m[c] += normal[o][c];
      p.set(corner(v), 9 * f + 3 * k); n.set(unit(m), 9 * f + 3 * k);
    }
  }
  return { ...g.done(), points: p, normals: n, indices: Uint32Array.from({ length: 3 * faces }, (_, k) => k) };
};
