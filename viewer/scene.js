// The picture: ground, shadows, parts, beams, marks; and what lies under a pixel.
import { add, clamp, dot, norm, qconj, qrot, scale, sub, unit } from './math.js';
import { end, pose, poseAt, scaleModes, scene, start } from './data.js';
import { Points, canvas, drawSquare, gl, openPrograms, plain, programs } from './gl.js';
import { batches, bodyElements, buildParts, elements, markSize, moveParts, pack, worldPoint } from './shapes.js';
import { hasBeams, moveBeams } from './beams.js';
import { moveMarks, openMarks } from './marks.js';
import { Camera } from './camera.js';

const themes = {
  light: { back: [.957, .965, .973], floor: [.90, .915, .93], line: [.66, .70, .75], shadow: [.30, .35, .42, .26] },
  dark: { back: [.078, .090, .110], floor: [.11, .125, .15], line: [.30, .34, .40], shadow: [0, 0, 0, .45] },
};

// ---- how large it is ------------------------------------------------------------------------------------
const gravity = norm(scene.gravity);
export const up = gravity > 0 ? scale(-1 / gravity, scene.gravity) : [0, 0, 1];

const around = s => s.type === 'mesh' ? 0 : s.type === 'box' ? norm(s.size) / 2 : Math.hypot(s.size[0], s.size[s.type === 'tube' ? 2 : 1] / 2);
// Corners of what is seen over the whole motion.
const extent = () => {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity], n = Math.min(120, scene.frames);
  const take = (x, r) => { for (let c = 0; c < 3; c++) { lo[c] = Math.min(lo[c], x[c] - r); hi[c] = Math.max(hi[c], x[c] + r); } };
  const radius = scene.bodies.map(b => b.box ? Math.max(...b.box) / 2 : 0);
  const stride = Math.max(1, Math.floor(scene.bodies.length / 3000));
  for (let k = 0; k <= n; k++) {
    poseAt(start + (end - start) * k / Math.max(n, 1));
    for (let b = 0; b < scene.bodies.length; b += stride) { take(pose.subarray(7 * b, 7 * b + 3), radius[b]); for (const s of scene.bodies[b].shapes || []) take(worldPoint(b, s.at), around(s)); }
    if (scene.joints.length <= 400) for (const j of scene.joints) if (j.type !== 'rolling') { take(worldPoint(j.a, j.pa), 0); take(worldPoint(j.b, j.pb), 0); }
    if (scene.forces.length <= 400) for (const f of scene.forces) if (f.type === 'spring' || f.type === 'bushing') { take(worldPoint(f.a, f.pa), 0); take(worldPoint(f.b, f.pb), 0); }
    for (const j of scene.joints) if (j.type === 'rolling') take(worldPoint(j.b, [0, 0, 0]), j.radius);
  }
  if (!scene.bodies.length) for (const s of scene.ground) take(s.at, around(s));
  return { lo, hi };
};

// Half of the height of a shape of the ground, and its sides that lie flat.
const upright = s => qrot(qconj(s.rotation), up).map(Math.abs);
const half = s => s.type === 'box' ? dot(upright(s), s.size) / 2 : around(s);
const flat = s => s.type === 'box' ? s.size.filter((_, k) => upright(s)[k] < .01) : [];

export class Picture {
  constructor() {
    openPrograms(); openMarks();
    this.camera = new Camera(up);
    this.measure();
    this.size = markSize(this.reach);
    scaleModes(this.reach, this.size);
    poseAt(start);
    buildParts(this.size, up);
    this.lay();
    this.points = scene.per_body === 3 ? new Points(scene.bodies.length) : null;
    this.on = { trails: true, arrows: false, frames: false, joints: true, ground: true, moments: true };
    this.chosen = null;
    this.home();
  }

  measure() {
    const { lo, hi } = extent();
    this.lo = lo; this.hi = hi;
    this.centre = scale(.5, add(lo, hi));
    this.reach = Math.max(norm(sub(hi, lo)) / 2, 1e-9) * (scene.joints.length ? 1.04 : 1.3) || 1;
  }
  // The grid: at the floor of the model, where discs roll, or below everything.
  lay() {
    const moving = [0, 1, 2].reduce((s, c) => s + (up[c] > 0 ? up[c] * this.lo[c] : up[c] * this.hi[c]), 0);
    const lowest = Math.min(moving, ...scene.ground.map(s => dot(up, s.at) - half(s)));
    // The floor of the model: a box that lies flat below the middle, wider than the mechanism.
    const floor = scene.ground.filter(s => flat(s).length > 1 && Math.min(...flat(s)) > this.reach && dot(up, s.at) < dot(up, this.centre))[0];
    this.floor = floor && dot(up, floor.at) + half(floor);
    this.level = lowest - 3.4 * this.size - .02 * this.reach;
    const rolling = scene.joints.find(j => j.type === 'rolling' && j.a < 0);
    if (rolling) this.level = dot(up, rolling.pa);
    else if (this.floor !== undefined) this.level = this.floor;
  }

  // Planar mechanisms are seen nearly along the normal of their plane.
  home() {
    const d = sub(this.hi, this.lo), flat = [0, 1, 2].filter(c => Math.abs(up[c]) < .9).sort((a, b) => d[a] - d[b])[0];
    const other = Math.max(...d.filter((_, c) => c !== flat));
    const look = [0, 0, 0];
    look[flat] = flat === 1 ? -1 : 1;
    this.camera.along(look);
    const planar = d[flat] < .3 * other;
    this.camera.azimuth += planar ? .42 : .6;
    const lies = [0, 1, 2].some(c => Math.abs(up[c]) > .9 && d[c] < .2 * Math.max(...d));
    this.camera.elevation = lies && !planar ? .75 : planar ? .22 : .42;
    this.camera.fit(this.lo, this.hi, this.reach, canvas.clientWidth / canvas.clientHeight || 1.5);
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2), w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
    if (w && h && (canvas.width !== w || canvas.height !== h)) { canvas.width = w; canvas.height = h; }
  }

  move(t, theme) {
    poseAt(t);
    moveParts(theme, this.chosen, e => this.on.joints || e.group !== 'joints');
    this.beams = hasBeams ? moveBeams(this.chosen, this.on.moments) : null;
    this.marks = moveMarks(t, this.on, this.reach, this.size);
    if (this.points) this.movePoints();
  }
  movePoints() {
    const n = scene.bodies.length, p = new Float32Array(3 * n);
    for (let k = 0; k < n; k++) for (let c = 0; c < 3; c++) p[3 * k + c] = pose[7 * k + c];
    this.points.set(0, p);
    if (this.pointsReady === this.chosen) return;
    this.pointsReady = this.chosen;
    this.points.set(1, Uint32Array.from(bodyElements, e => pack(e === this.chosen ? 0xffd34d : e.color)));
    this.points.set(2, Uint32Array.from(bodyElements, e => (e.id | 0xff000000) >>> 0));
  }

  use(program, mode) {
    const { at } = program;
    gl.useProgram(program.program);
    gl.uniformMatrix4fv(at.uView, false, this.view);
    if (at.uEye) gl.uniform3f(at.uEye, ...this.camera.eye);
    if (at.uSun) gl.uniform3f(at.uSun, ...this.sun);
    if (at.uUp) gl.uniform3f(at.uUp, ...up);
    if (at.uPlane) gl.uniform4f(at.uPlane, ...up, this.level);
    if (at.uMode) gl.uniform1i(at.uMode, mode);
    return at;
  }

  solids(mode, shadow) {
    let at = this.use(programs.solid, mode);
    if (shadow && at.uShadow) gl.uniform4f(at.uShadow, ...shadow);
    const shown = b => mode === 1 ? !b.mark && !(b.ground && this.floor !== undefined) : !b.mark || this.pixels > 1.2;
    for (const b of batches) if (shown(b)) b.batch.draw(at);
    if (mode !== 1) for (const b of this.marks.solids) b.draw(at);
    const crowds = batches.filter(b => b.batch.alone && shown(b));
    if (crowds.length) { this.use(programs.free, mode); for (const b of crowds) b.batch.free.draw(); }
    if (this.beams) { at = this.use(programs.free, mode); if (shadow && at.uShadow) gl.uniform4f(at.uShadow, ...shadow); this.beams.draw(); }
    if (this.points) { at = this.use(programs.point, mode); gl.uniform1f(at.uSize, .012 * this.reach * canvas.height); this.points.draw(); }
  }

  ground(theme) {
    const at = this.use(programs.ground, 0), reach = 3.2 * this.reach, cell = 10 ** Math.floor(Math.log10(this.reach)) / (this.reach / 10 ** Math.floor(Math.log10(this.reach)) < 3 ? 5 : 2);
    const middle = add(this.centre, scale(this.level - dot(this.centre, up), up));
    gl.uniform3f(at.uCentre, ...middle); gl.uniform3f(at.uE1, ...this.camera.e1); gl.uniform3f(at.uE2, ...this.camera.e2);
    gl.uniform1f(at.uReach, reach); gl.uniform1f(at.uCell, cell);
    gl.uniform2f(at.uShift, dot(middle, this.camera.e1), dot(middle, this.camera.e2));
    gl.uniform3f(at.uLine, ...theme.line); gl.uniform3f(at.uFloor, ...theme.floor);
    drawSquare();
    this.cell = cell;
  }

  draw(name) {
    const theme = themes[name], shadows = this.on.ground && !this.points && !plain;
    const above = dot(this.camera.eye, up) > this.level;
    this.resize();
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    this.view = this.camera.matrix(canvas.width / canvas.height);
    this.pixels = this.size / this.camera.distance * canvas.height; // of a mark, about
    this.sun = unit(add(add(scale(.4, this.camera.right), scale(1, up)), scale(.62, this.camera.back)));
    gl.clearColor(...theme.back, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST); gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.CULL_FACE);
    gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const onFloor = this.floor !== undefined && above; // the grid lies on a shape of the model, which is drawn before it
    if (onFloor) { this.solids(0); gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(-2, -2); }
    if (this.on.ground) { gl.depthMask(false); this.ground(theme); gl.depthMask(true); }
    if (shadows && above) {
      gl.enable(gl.STENCIL_TEST); gl.stencilFunc(gl.EQUAL, 0, 255); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
      if (onFloor) { gl.depthMask(false); gl.polygonOffset(-4, -4); } else gl.disable(gl.DEPTH_TEST);
      this.solids(1, theme.shadow);
      gl.depthMask(true); gl.enable(gl.DEPTH_TEST); gl.disable(gl.STENCIL_TEST);
    }
    if (onFloor) gl.disable(gl.POLYGON_OFFSET_FILL); else this.solids(0);
    if (this.ghosts) this.ghosts(name);
    const at = this.use(programs.line, 0), pixel = [2 / canvas.width, 2 / canvas.height], ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const l of this.marks.lines) l.draw(at, pixel.map(p => p * ratio / 2));
    gl.disable(gl.BLEND);
  }

  // The element under a pixel of the page, or null.
  pick(x, y) {
    const w = canvas.width, h = canvas.height, f = gl.createFramebuffer(), c = gl.createRenderbuffer(), d = gl.createRenderbuffer();
    const px = Math.round(x * w / canvas.clientWidth), py = h - 1 - Math.round(y * h / canvas.clientHeight);
    gl.bindFramebuffer(gl.FRAMEBUFFER, f);
    gl.bindRenderbuffer(gl.RENDERBUFFER, c); gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, c);
    gl.bindRenderbuffer(gl.RENDERBUFFER, d); gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, d);
    gl.enable(gl.SCISSOR_TEST); gl.enable(gl.DEPTH_TEST); gl.disable(gl.BLEND);
    let found = null;
    // The pixel itself, then a little around it: thin things are hard to hit.
    for (const r of [0, 4]) {
      gl.scissor(px - r, py - r, 2 * r + 1, 2 * r + 1);
      gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      this.solids(2);
      const n = 2 * r + 1, all = new Uint8Array(4 * n * n);
      gl.readPixels(px - r, py - r, n, n, gl.RGBA, gl.UNSIGNED_BYTE, all);
      for (let k = 0; k < n * n && !found; k++) { const id = all[4 * k] | all[4 * k + 1] << 8 | all[4 * k + 2] << 16; found = elements[id - 1] || null; }
      if (found) break;
    }
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(f); gl.deleteRenderbuffer(c); gl.deleteRenderbuffer(d);
    return found;
  }

  // Where a point of the world is on the canvas [pixels of the page]; null: behind the eye.
  project(p) {
    const m = this.view, w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    if (!(w > 0)) return null;
    return [(1 + (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w) / 2 * canvas.clientWidth, (1 - (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w) / 2 * canvas.clientHeight];
  }
}
