// Plots over time: sensors, energy, and how well the run went; a cursor that is the time of the picture.
import { clamp, digits } from './math.js';
import { channel, column, end, nearest, scene, start, sumOf, times } from './data.js';
import { palette } from './shapes.js';

const hex = c => '#' + c.toString(16).padStart(6, '0');

// ---- what there is --------------------------------------------------------------------------------------
const pretty = u => (u || '').replace(/\^2/g, '²').replace(/\^3/g, '³').replace(/ /g, ' ');
const axisNames = { position: 'x y z', velocity: 'x y z', acceleration: 'x y z', omega: 'x y z', rotation: 'w x y z', reaction: 'x y z x y z', section_force: '1 2 3 1 2 3', section_strain: '1 2 3 1 2 3' };
const namesOf = (type, labels) => labels.length === 1 ? [''] : axisNames[type] ? axisNames[type].split(' ') : labels;
const most = lines => lines.reduce((m, l) => l.x.reduce((n, x) => Math.max(n, Math.abs(x)), m), 0);
export const panels = [];
scene.sensors.forEach((s, k) => {
  const c = channel('sensor', k);
  if (!c) return;
  const labels = namesOf(s.type, c.labels), lines = labels.map((label, i) => ({ label, unit: c.units[i], x: column(c.first + i) }));
  // Forces and torques, say, have an axis each.
  const units = [...new Set(c.units)];
  units.forEach(u => { const own = lines.filter(l => l.unit === u); panels.push({ title: s.name, name: s.name, kind: 'sensor', unit: u, lines: own, idle: s.type === 'energy' || !scene.live && !(most(own) > 1e-9 * most(lines)) }); });
});
for (const [what, names] of [['input', scene.inputs], ['state', scene.states], ['effort', scene.actuators.map(a => a.name)]]) names.forEach((name, k) => {
  const c = channel(what, k);
  if (c) panels.push({ title: name + (what === 'effort' ? ', effort' : ''), name, kind: what, unit: c.units[0], lines: c.labels.map((label, i) => ({ label: c.labels.length > 1 ? label : '', unit: c.units[i], x: column(c.first + i) })) });
});
const energy = channel('energy', 0), violation = channel('violation', 0), steps = channel('step', 0);
if (energy) {
  const e = [0, 1, 2, 4, 3].map(k => column(energy.first + k));
  const lines = [{ label: 'kinetic', x: e[0] }, { label: 'potential', x: e[1] }, { label: 'total', x: sumOf(e[0], e[1]) }], any = x => scene.live || x.some(y => y !== 0);
  if (any(e[2])) lines.push({ label: 'work', x: e[2] });
  if (any(e[4])) lines.push({ label: 'dissipated', x: e[4] });
  panels.push({ title: 'energy', name: 'energy', kind: 'energy', unit: 'J', lines });
  panels.push({ title: 'energy residual', name: 'residual', kind: 'quality', unit: 'J', lines: [{ label: '', x: e[3] }] });
}
if (violation) panels.push({ title: 'violation of constraints', name: 'violation', kind: 'quality', unit: 'm, m/s', log: true, lines: ['position', 'velocity'].map((label, k) => ({ label, x: column(violation.first + k) })) });
if (steps) {
  panels.push({ title: 'Newton iterations', name: 'iterations', kind: 'quality', unit: '', lines: [{ label: '', x: column(steps.first + 1) }] });
  panels.push({ title: 'step size', name: 'h', kind: 'quality', unit: 's', lines: [{ label: '', x: column(steps.first) }] });
}
// A sensor that is called as something else is, the energy of the run, say.
const kinds = title => new Set(panels.filter(p => p.title === title).map(p => p.kind)).size;
panels.filter(p => ['sensor', 'input', 'state'].includes(p.kind) && kinds(p.title) > 1).forEach(p => { p.title += ', ' + p.kind; });
const still = p => !scene.live && p.lines.every(l => l.x.every(x => x === l.x[0]));
panels.forEach(p => { p.lines.forEach((l, k) => { l.color = hex(palette[k % palette.length]); }); p.shown = p.kind !== 'quality' && !p.idle && !(p.kind === 'sensor' && still(p) && panels.length > 3); });
let kept = 0;
for (const p of panels) if (p.shown && p.kind !== 'energy' && ++kept > 8) p.shown = false;

// ---- scales ---------------------------------------------------------------------------------------------
const ticks = (lo, hi, n) => {
  const raw = (hi - lo) / n, p = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map(k => k * p).find(s => s >= raw * .999);
  const all = [];
  for (let x = Math.ceil(lo / step - 1e-9) * step; x <= hi + 1e-9 * step; x += step) all.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return { all, step };
};
const tickText = (x, step) => {
  if (x === 0) return '0';
  const a = Math.max(Math.abs(x), Math.abs(step));
  if (a >= 1e4 || a < 1e-2) return x.toExponential(Math.max(0, Math.min(2, Math.floor(Math.log10(Math.abs(x))) - Math.floor(Math.log10(step) + 1e-9)))).replace('e+', 'e').replace(/-/g, '−');
  return x.toFixed(clamp(-Math.floor(Math.log10(step) + 1e-9), 0, 6)).replace('-', '−');
};

export class Plots {
  constructor(dock, seek) {
    this.dock = dock; this.seek = seek; this.from = start; this.to = end; this.build();
  }

  build() {
    this.dock.textContent = '';
    this.views = panels.filter(p => p.shown).map(p => this.view(p));
    this.dock.hidden = !this.views.length;
  }

  view(p) {
    const box = document.createElement('div'), head = document.createElement('div'), plot = document.createElement('canvas');
    box.className = 'plot'; head.className = 'plot-head'; box.append(head, plot);
    const title = document.createElement('b');
    title.textContent = p.title;
    const unit = document.createElement('i');
    unit.textContent = p.unit ? ' ' + pretty(p.unit) : '';
    head.append(title, unit);
    p.values = p.lines.map(l => {
      const s = document.createElement('span'), v = document.createElement('output');
      s.style.setProperty('--line', l.color); s.textContent = l.label; s.append(v); head.append(s);
      return v;
    });
    plot.setAttribute('role', 'img');
    plot.setAttribute('aria-label', p.title + ' over time');
    this.dock.append(box);
    const timeAt = e => { const r = plot.getBoundingClientRect(); return this.from + (this.to - this.from) * clamp((e.clientX - r.left - p.left) / (r.width - p.left - 8), 0, 1); };
    let brush = null;
    plot.addEventListener('pointerdown', e => { plot.setPointerCapture(e.pointerId); if (e.shiftKey) brush = timeAt(e); else { brush = null; this.seek(timeAt(e)); } });
    plot.addEventListener('pointermove', e => { if (!e.buttons) return; if (brush === null) this.seek(timeAt(e)); else { this.brush = [brush, timeAt(e)]; this.draw(this.t); } });
    plot.addEventListener('pointerup', () => { if (this.brush) { const [a, b] = this.brush.sort((x, y) => x - y); this.brush = null; this.zoom(a, b); } brush = null; });
    plot.addEventListener('dblclick', () => this.zoom(start, end));
    plot.addEventListener('wheel', e => {
      e.preventDefault();
      const t = timeAt(e), f = Math.exp(clamp(e.deltaY, -200, 200) * .002);
      this.zoom(Math.max(start, t - (t - this.from) * f), Math.min(end, t + (this.to - t) * f));
    }, { passive: false });
    return { p, plot };
  }

  // Of a live page: more frames are there.
  grow(whole) { if (whole) { this.from = start; this.to = end; } this.forget(); }

  zoom(a, b) { this.zoomed = a > start || b < end; if (b - a > 1e-6 * (end - start)) { this.from = a; this.to = b; } this.views.forEach(v => { v.p.base = null; }); this.draw(this.t); }

  // Lines on a picture of their own, which the cursor does not touch.
  paint(v, style) {
    const { p, plot } = v, ratio = Math.min(window.devicePixelRatio || 1, 2), w = plot.clientWidth, h = plot.clientHeight;
    plot.width = w * ratio; plot.height = h * ratio;
    const base = document.createElement('canvas'), g = base.getContext('2d');
    base.width = plot.width; base.height = plot.height;
    g.scale(ratio, ratio);
    g.font = '10.5px system-ui, sans-serif';
    const a = Math.max(nearest(this.from) - 1, 0), b = Math.min(nearest(this.to) + 1, scene.frames - 1);
    let lo = Infinity, hi = -Infinity;
    const f = p.log ? x => Math.log10(Math.max(Math.abs(x), 1e-17)) : x => x;
    for (const l of p.lines) for (let k = a; k <= b; k++) { const y = f(l.x[k]); if (Number.isFinite(y)) { lo = Math.min(lo, y); hi = Math.max(hi, y); } }
    for (const l of p.ghosts || []) for (let k = 0; k < l.x.length; k++) { const y = f(l.x[k]); if (l.times[k] >= this.from && l.times[k] <= this.to && Number.isFinite(y)) { lo = Math.min(lo, y); hi = Math.max(hi, y); } }
    if (!(hi >= lo)) { lo = 0; hi = 1; }
    // A line that hardly moves gets an offset of its own, so that its ticks can be told apart.
    const middle = (lo + hi) / 2, offset = !p.log && hi - lo < 1e-4 * Math.abs(middle) && hi > lo ? Number(middle.toPrecision(6)) : 0;
    const least = Math.max(1e-6 * Math.abs(offset ? hi - lo : middle), 1e-30);
    if (hi - lo < least) { lo -= Math.max(least, Math.abs(middle) * .05 || 1); hi += Math.max(least, Math.abs(middle) * .05 || 1); }
    const pad = .06 * (hi - lo);
    lo -= pad; hi += pad;
    const ys = ticks(lo - offset, hi - offset, clamp(h / 34, 2, 6)), ts = ticks(this.from, this.to, clamp(w / 80, 2, 8));
    const text = p.log ? ys.all.map(y => '1e' + Math.round(y)) : ys.all.map(y => tickText(y, ys.step));
    const left = p.left = Math.max(...text.map(s => g.measureText(s).width), 16) + 12, bottom = h - 17;
    const X = t => left + (t - this.from) / (this.to - this.from || 1) * (w - left - 8), Y = y => bottom - (y - lo) / (hi - lo) * (bottom - 5);
    p.X = X; p.Y = Y; p.f = f; p.bottom = bottom;
    g.lineWidth = 1; g.strokeStyle = style.grid; g.fillStyle = style.ink; g.textBaseline = 'middle'; g.textAlign = 'right';
    ys.all.forEach((y, k) => { const at = Math.round(Y(y + offset)) + .5; g.beginPath(); g.moveTo(left, at); g.lineTo(w - 8, at); g.stroke(); g.fillText(text[k], left - 6, at); });
    g.textAlign = 'center'; g.textBaseline = 'alphabetic';
    ts.all.forEach(t => { const at = Math.round(X(t)) + .5; g.beginPath(); g.moveTo(at, 5); g.lineTo(at, bottom); g.stroke(); if (at > left - 4) { const s = tickText(t, ts.step) + (t === ts.all[ts.all.length - 1] ? ' s' : ''); g.fillText(s, Math.min(at, w - 1 - g.measureText(s).width / 2), h - 4); } });
    if (offset) { g.textAlign = 'left'; g.fillText('+ ' + digits(offset, 6), left + 4, 13); }
    g.save(); g.beginPath(); g.rect(left, 0, w - left - 8, bottom + 1); g.clip();
    g.lineWidth = 1; g.lineJoin = 'round';
    for (const l of p.ghosts || []) if (l.of.on) { g.strokeStyle = l.of.css; g.beginPath(); for (let k = 0; k < l.x.length; k++) g.lineTo(X(l.times[k]), Y(f(l.x[k]))); g.stroke(); }
    g.lineWidth = 1.6;
    for (const l of p.lines) {
      g.strokeStyle = l.color; g.beginPath();
      const step = Math.max(1, Math.floor((b - a) / (2 * w)));
      for (let k = a; k <= b; k += step) g.lineTo(X(times[k]), Y(f(l.x[k])));
      g.lineTo(X(times[b]), Y(f(l.x[b])));
      g.stroke();
    }
    g.restore();
    p.least = p.log ? 0 : 1e-9 * most(p.lines); p.base = base; p.key = [w, h, style.name].join();
  }

  draw(t) {
    this.t = t;
    const css = getComputedStyle(document.documentElement), style = { name: document.documentElement.dataset.theme, ink: css.getPropertyValue('--faint'), grid: css.getPropertyValue('--rule'), cursor: css.getPropertyValue('--ink') };
    const k = nearest(t);
    for (const v of this.views) {
      const { p, plot } = v;
      if (!plot.clientWidth) continue;
      if (!p.base || p.key !== [plot.clientWidth, plot.clientHeight, style.name].join()) this.paint(v, style);
      const g = plot.getContext('2d'), ratio = plot.width / plot.clientWidth;
      g.setTransform(1, 0, 0, 1, 0, 0); g.clearRect(0, 0, plot.width, plot.height); g.drawImage(p.base, 0, 0);
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      if (this.brush) { g.fillStyle = 'rgba(80,140,220,.2)'; g.fillRect(p.X(this.brush[0]), 5, p.X(this.brush[1]) - p.X(this.brush[0]), p.bottom - 5); }
      if (t >= this.from && t <= this.to) {
        const x = p.X(times[k]);
        g.strokeStyle = style.cursor; g.globalAlpha = .55; g.lineWidth = 1; g.beginPath(); g.moveTo(x, 3); g.lineTo(x, p.bottom); g.stroke(); g.globalAlpha = 1;
        for (const l of p.lines) { g.fillStyle = l.color; g.beginPath(); g.arc(x, p.Y(p.f(l.x[k])), 3, 0, 7); g.fill(); }
      }
      p.lines.forEach((l, i) => { const x = l.x[k]; p.values[i].textContent = digits(Math.abs(x) < p.least ? 0 : x, 5); });
    }
  }
  forget() { for (const p of panels) p.base = null; }
}
