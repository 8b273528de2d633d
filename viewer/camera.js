// The camera: it looks at a point from a distance, by two angles about the vertical.
import { add, clamp, cross, dot, lookAt, mul4, norm, perspective, scale, unit } from './math.js';

const FOV = 32 * Math.PI / 180;

export class Camera {
  constructor(up) {
    this.up = up;
    const x = Math.abs(up[0]) < .9 ? [1, 0, 0] : [0, 1, 0];
    this.e1 = unit(add(x, scale(-dot(x, up), up)));
    this.e2 = cross(up, this.e1);
    this.target = [0, 0, 0]; this.distance = 5; this.azimuth = -1; this.elevation = .35; this.reach = 1;
  }
  get back() {
    const c = Math.cos(this.elevation);
    return add(add(scale(c * Math.cos(this.azimuth), this.e1), scale(c * Math.sin(this.azimuth), this.e2)), scale(Math.sin(this.elevation), this.up));
  }
  get eye() { return add(this.target, scale(this.distance, this.back)); }
  get right() { return [-Math.sin(this.azimuth), Math.cos(this.azimuth)].map((s, k) => scale(s, k ? this.e2 : this.e1)).reduce(add); }
  matrix(aspect) {
    const back = this.back, right = this.right, far = this.distance + 30 * this.reach;
    return mul4(perspective(aspect < 1 ? 2 * Math.atan(Math.tan(FOV / 2) / aspect) : FOV, aspect, Math.max(far * 1e-4, this.distance * .02), far),
      lookAt(this.eye, right, cross(back, right), back));
  }
  // As near as the corners of a box allow: |x| <= (distance - z) tan of half the angle, and alike for y.
  fit(lo, hi, reach, aspect) {
    this.target = lo.map((x, k) => (x + hi[k]) / 2); this.reach = reach; this.distance = .3 * reach;
    const back = this.back, right = this.right, above = cross(back, right), half = Math.tan(FOV / 2) * (aspect < 1 ? 1 / aspect : 1);
    for (let k = 0; k < 8; k++) {
      const c = lo.map((x, i) => (k >> i & 1 ? hi[i] : x) - this.target[i]);
      this.distance = Math.max(this.distance, dot(c, back) + 1.25 * Math.max(Math.abs(dot(c, right)) / (half * aspect), Math.abs(dot(c, above)) / half));
    }
  }
  orbit(dx, dy) { this.azimuth -= dx; this.elevation = clamp(this.elevation + dy, -1.55, 1.55); }
  pan(dx, dy) {
    const s = 2 * this.distance * Math.tan(FOV / 2), right = this.right, up = cross(this.back, right);
    this.target = add(this.target, add(scale(-dx * s, right), scale(dy * s, up)));
  }
  zoom(factor) { this.distance = clamp(this.distance * factor, 1e-3 * this.reach, 25 * this.reach); }
  // Along a direction of the world, towards the mechanism.
  along(d) {
    this.elevation = clamp(Math.asin(clamp(dot(d, this.up), -1, 1)), -1.55, 1.55);
    if (Math.abs(dot(d, this.up)) < .999) this.azimuth = Math.atan2(dot(d, this.e2), dot(d, this.e1)); else this.azimuth = -Math.PI / 2;
  }
}

// Pointers on the canvas: one turns, two or a modified one pan, wheel and pinch zoom; one that does not move clicks.
export const steer = (surface, camera, changed, clicked) => {
  const down = new Map();
  let moved = 0, pinch = 0;
  const middle = () => { const all = [...down.values()]; return [all.reduce((s, p) => s + p.x, 0) / all.length, all.reduce((s, p) => s + p.y, 0) / all.length]; };
  const spread = () => { const [a, b] = [...down.values()]; return b ? Math.hypot(a.x - b.x, a.y - b.y) : 0; };
  surface.addEventListener('pointerdown', e => { surface.setPointerCapture(e.pointerId); down.set(e.pointerId, { x: e.clientX, y: e.clientY }); moved = down.size > 1 ? 99 : 0; pinch = spread(); });
  surface.addEventListener('pointermove', e => {
    if (!down.has(e.pointerId)) return;
    const before = middle(), h = surface.clientHeight;
    down.set(e.pointerId, { x: e.clientX, y: e.clientY });
    const [x, y] = middle(), dx = x - before[0], dy = y - before[1];
    moved += Math.abs(dx) + Math.abs(dy);
    if (down.size > 1 || e.shiftKey || e.ctrlKey || e.buttons & 6) camera.pan(dx / h, dy / h); else camera.orbit(4.5 * dx / h, 4.5 * dy / h);
    if (down.size > 1 && pinch > 0) { camera.zoom(pinch / spread()); pinch = spread(); }
    changed();
  });
  const up = e => { if (down.delete(e.pointerId) && e.type === 'pointerup' && moved < 5) clicked(e); pinch = spread(); };
  surface.addEventListener('pointerup', up);
  surface.addEventListener('pointercancel', up);
  surface.addEventListener('contextmenu', e => e.preventDefault());
  surface.addEventListener('wheel', e => { e.preventDefault(); camera.zoom(Math.exp(clamp(e.deltaY * (e.deltaMode ? 30 : 1), -300, 300) * .0015)); changed(); }, { passive: false });
};
