// The page: clock, controls, keys, and the interface window.polhode.
import { clamp, digits, qrot } from './math.js';
import { end, mode, nearest, pose, scene, start, times } from './data.js';
import { canvas, gl } from './gl.js';
import { byName, elements } from './shapes.js';
import { Picture, up } from './scene.js';
import { colorOf, hasMoments, largestMoment } from './beams.js';
import { arrowScale, hasTrails } from './marks.js';
import { steer } from './camera.js';
import { Plots, panels } from './plots.js';
import { Tree, anchorOf, numbersOf, showNumbers } from './panel.js';
import { copyPicture, isRecording, record, stopRecording } from './record.js';

export const $ = id => document.getElementById(id);
const root = document.documentElement;

// ---- words ----------------------------------------------------------------------------------------------
document.title = scene.model + ' – Polhode';
$('model').textContent = scene.model;
$('about').textContent = [scene.file.replace(/.*[\\/]/, ''), `${scene.bodies.length} ${scene.bodies.length === 1 ? 'body' : 'bodies'}, ${scene.joints.length} ${scene.joints.length === 1 ? 'joint' : 'joints'}`, scene.live ? 'live' : `${scene.steps} steps`].join(' · ');
$('settings').textContent = scene.settings + ' · Polhode ' + scene.polhode;
$('parameters').textContent = scene.parameters.slice(0, 12).map(([n, v]) => `${n} = ${v}`).join('   ');
if (scene.reason) { $('banner').hidden = false; $('banner').textContent = `The run ended at t = ${digits(end)} s${scene.t_end > end ? ' of ' + digits(scene.t_end) + ' s' : ''}: ${scene.reason}`; }

let quiet;
export const say = text => { const b = $('toast'); b.textContent = text; b.hidden = false; clearTimeout(quiet); quiet = setTimeout(() => { b.hidden = true; }, 2200); };

// ---- theme ----------------------------------------------------------------------------------------------
const wanted = new URLSearchParams(location.search).get('theme')
  || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
root.dataset.theme = wanted === 'dark' ? 'dark' : 'light';
const theme = () => root.dataset.theme;

// ---- the clock ------------------------------------------------------------------------------------------
const duration = scene.live ? scene.t_end : end - start;
const natural = scene.live ? scene.live.speed : scene.kind === 'modes' ? .5 : duration >= 2 && duration <= 30 ? 1 : Number((duration / 8).toPrecision(1)) || 1;
const speeds = [.01, .02, .05, .1, .2, .5, 1, 2, 5, 10].map(x => x * natural);
// What a live page does instead: see live.js.
export const page = { live: null };
const moves = () => end > start;
export const state = { t: start, playing: false, speed: natural, loop: true, dirty: true, last: 0, fps: 0, frames: 0 };

export let picture = null;
try { if (gl) picture = new Picture(); } catch (e) { console.error(e); }
if (!picture) { $('banner').hidden = false; $('banner').textContent = 'This browser shows no WebGL2: plots alone are here.'; }

export const plots = new Plots($('plots'), t => { pause(); seek(t); });
const slider = $('time');
slider.max = scene.live ? 10000 : Math.max(scene.frames - 1, 1) * 10;
slider.disabled = !scene.live && !moves();

export function touch() { state.dirty = true; }
export function seek(t) { state.t = clamp(t, start, end); touch(); }
export const showPlay = on => { $('play').textContent = on ? '❚❚' : '▶'; $('play').setAttribute('aria-label', on ? 'Pause' : 'Play'); touch(); };
function play() { if (page.live && page.live.play(true) || !moves()) return; if (state.t >= end) state.t = start; state.playing = true; state.last = 0; showPlay(true); }
function pause() { if (page.live) page.live.play(false); state.playing = false; showPlay(false); }
function step(n) { pause(); seek(times[clamp(nearest(state.t) + n, 0, scene.frames - 1)]); }
export function setSpeed(x, quiet) { state.speed = x; $('speed').value = String(x); if (page.live && !quiet) page.live.say({ speed: x }); }

speeds.forEach(x => { const o = document.createElement('option'); o.value = String(x); o.textContent = digits(x, 2).replace(/\.0$/, '') + ' ×'; $('speed').append(o); });
setSpeed(natural);
$('speed').addEventListener('change', () => setSpeed(Number($('speed').value)));
$('play').addEventListener('click', () => state.playing ? pause() : play());
$('back').addEventListener('click', () => step(-1));
$('forth').addEventListener('click', () => step(1));
$('loop').addEventListener('click', () => { state.loop = !state.loop; $('loop').setAttribute('aria-pressed', state.loop); if (page.live) page.live.say({ loop: state.loop }); });
slider.addEventListener('input', () => { pause(); seek(start + (end - start) * slider.value / slider.max); });

// ---- equilibria and modes --------------------------------------------------------------------------------
if (scene.kind !== 'run') {
  root.classList.add('no-run', 'no-plots');
  $('about').textContent = scene.file.replace(/.*[\\/]/, '') + (scene.kind === 'static' ? ' · from the initial configuration to the equilibrium' : ` · ${scene.modes.length} modes`);
}
if (scene.kind === 'modes') {
  mode.amplitude = 1;
  $('mode-bar').hidden = false;
  scene.modes.forEach(([re, im], k) => {
    const o = document.createElement('option'), size = Math.hypot(re, im);
    o.value = String(k);
    o.textContent = `${k + 1}:  ` + (im > 0 ? `${digits(im / 2 / Math.PI)} Hz, ${digits(im)} rad/s` : `exp(${digits(re)} t)`) + (im > 0 && Math.abs(re) > 1e-9 * size ? `, damping ${digits(-re / size, 3)}` : '');
    $('mode').append(o);
  });
  $('mode').addEventListener('change', () => { mode.k = Number($('mode').value); touch(); });
  $('amplitude').addEventListener('input', () => { mode.amplitude = Number($('amplitude').value); touch(); });
}

// ---- what is shown --------------------------------------------------------------------------------------
const choose = e => { if (picture) picture.chosen = e; tree.mark(e); touch(); };
const tree = new Tree($('tree'), touch, e => choose(picture && picture.chosen === e ? null : e));

const toggles = [['joints', 'Joints', scene.joints.length], ['trails', 'Trails', hasTrails], ['arrows', 'Forces', scene.joints.length || scene.forces.length], ['frames', 'Frames', scene.per_body > 3], ['moments', 'Bending', hasMoments], ['ground', 'Ground', true]];
for (const [key, title, there] of toggles) {
  if (!there || !picture) continue;
  const b = document.createElement('button');
  b.id = 'on-' + key; b.className = 'chip'; b.textContent = title;
  const show = () => b.setAttribute('aria-pressed', picture.on[key]);
  b.addEventListener('click', () => { picture.on[key] = !picture.on[key]; show(); touch(); });
  show();
  $('toggles').append(b);
}
const pickPlots = $('pick-plots');
panels.forEach(p => {
  const l = document.createElement('label'), c = document.createElement('input');
  c.type = 'checkbox'; c.checked = p.shown;
  c.addEventListener('change', () => { p.shown = c.checked; p.base = null; plots.build(); layout(); });
  l.append(c, p.title + (p.unit ? ` [${p.unit}]` : ''));
  pickPlots.append(l);
});
// The camera keeps its distance to what it follows.
let followed = null, was;
const follow = e => { was = e && anchorOf(e); followed = was ? e : null; $('follow').setAttribute('aria-pressed', !!followed); touch(); };
const keepUp = () => { const c = picture.camera, p = anchorOf(followed); c.target = c.target.map((x, k) => x + p[k] - was[k]); was = p; picture.touched = true; };
$('follow').addEventListener('click', () => { if (followed || picture && picture.chosen) follow(followed ? null : picture.chosen); else say('Choose a body first'); });
const look = d => { if (picture) { picture.touched = true; picture.camera.along(d); touch(); } };
const views = { x: [1, 0, 0], y: [0, -1, 0], z: [0, 0, 1] };
for (const [k, d] of Object.entries(views)) $('view-' + k).addEventListener('click', () => look(d));
export const fit = () => { if (picture) { if (scene.live) { picture.measure(); picture.lay(); } picture.touched = false; picture.home(); if (followed) follow(followed); touch(); } };
$('fit').addEventListener('click', fit);
const layout = () => { plots.forget(); touch(); };
const toggle = name => { root.classList.toggle(name); layout(); };
$('show-side').addEventListener('click', () => toggle(innerWidth < 760 ? 'side-open' : 'no-side'));
$('show-plots').addEventListener('click', () => toggle('no-plots'));
const turnTheme = () => { root.dataset.theme = theme() === 'dark' ? 'light' : 'dark'; layout(); };
$('theme').addEventListener('click', turnTheme);
$('png').addEventListener('click', () => copyPicture(() => paint(), say));
const film = () => { if (isRecording()) { stopRecording(); return; } seek(start); record(say, () => $('film').removeAttribute('aria-pressed')); if (isRecording()) { $('film').setAttribute('aria-pressed', true); play(); } };
$('film').addEventListener('click', film);
$('help').addEventListener('click', () => $('keys').showModal());
$('keys').addEventListener('click', () => $('keys').close());
addEventListener('resize', layout);
if (picture) steer(canvas, picture.camera, () => { picture.touched = true; touch(); }, e => { const r = canvas.getBoundingClientRect(); choose(picture.pick(e.clientX - r.left, e.clientY - r.top)); });

const keys = {
  ' ': () => state.playing ? pause() : play(), ArrowLeft: e => step(e.shiftKey ? -10 : -1), ArrowRight: e => step(e.shiftKey ? 10 : 1),
  Home: () => { pause(); seek(start); }, End: () => { pause(); seek(end); },
  '[': () => setSpeed(speeds[Math.max(0, speeds.indexOf(state.speed) - 1)]), ']': () => setSpeed(speeds[Math.min(speeds.length - 1, speeds.indexOf(state.speed) + 1)]),
  f: fit, o: () => $('follow').click(), x: () => look(views.x), y: () => look(views.y), z: () => look(views.z), l: () => $('loop').click(), t: turnTheme, p: () => toggle('no-plots'), s: () => $('show-side').click(),
  c: () => $('png').click(), r: film, Escape: () => choose(null), '?': () => $('keys').showModal(),
  '+': () => { picture.camera.zoom(.9); touch(); }, '-': () => { picture.camera.zoom(1.1); touch(); },
};
addEventListener('keydown', e => {
  if (e.target.matches && e.target.matches('input[type=search], input[type=number], select, textarea') || e.metaKey || e.ctrlKey || e.altKey) return;
  const f = keys[e.key];
  if (!f || (e.key === ' ' && e.target.tagName === 'BUTTON')) return;
  e.preventDefault(); f(e);
});

// ---- the picture and what stands on it ------------------------------------------------------------------
const axes = ['x', 'y', 'z'].map(k => [$('axis-' + k), $('name-' + k)]);
const drawAxes = () => {
  const c = picture.camera, r = c.right, b = c.back, u = [b[1] * r[2] - b[2] * r[1], b[2] * r[0] - b[0] * r[2], b[0] * r[1] - b[1] * r[0]];
  axes.forEach(([line, name], k) => {
    line.setAttribute('x2', 30 + 20 * r[k]); line.setAttribute('y2', 30 - 20 * u[k]);
    name.setAttribute('x', 30 + 27 * r[k]); name.setAttribute('y', 33.5 - 27 * u[k]);
  });
};
const drawLegend = () => {
  const on = picture.on, lines = [];
  if (on.moments && hasMoments && largestMoment() > 0) lines.push(['bar', `bending moment 0 … ${digits(largestMoment(), 3)} N m`]);
  if (on.arrows) { const k = arrowScale(picture.reach); if (k > 0) lines.push(['arrow', `longest force ${digits(.55 * picture.reach / k, 3)} N`]); }
  if (on.ground) lines.push(['cell', `grid ${digits(picture.cell, 2)} m`]);
  const key = lines.join('|');
  if ($('legend').dataset.key === key) return;
  $('legend').dataset.key = key; $('legend').textContent = '';
  for (const [kind, text] of lines) {
    const row = document.createElement('span'), mark = document.createElement('b');
    mark.className = 'mark-' + kind;
    if (kind === 'bar') mark.style.background = `linear-gradient(90deg, ${[0, .25, .5, .75, 1].map(x => `rgb(${colorOf(x).map(c => Math.round(255 * c))})`)})`;
    row.append(mark, text); $('legend').append(row);
  }
};
const drawLabel = () => {
  const e = picture.chosen, box = $('label'), p = e && anchorOf(e), at = p && picture.project(p);
  box.hidden = !at;
  if (at) { box.textContent = e.name; box.style.transform = `translate(${Math.round(at[0])}px, ${Math.round(at[1])}px)`; }
};

function paint() {
  if (picture) { picture.move(state.t, theme()); if (followed) keepUp(); picture.draw(theme()); drawAxes(); drawLabel(); drawLegend(); }
  slider.value = moves() ? Math.round((state.t - start) / (end - start) * slider.max) : 0;
  slider.setAttribute('aria-valuetext', `t = ${digits(state.t)} s`);
  const decimals = clamp(3 - Math.floor(Math.log10(duration || 1)), 0, 9);
  $('now').textContent = scene.kind === 'run' ? state.t.toFixed(decimals) + ' s' : scene.kind === 'static' ? Math.round(100 * state.t) + ' %' : Math.round(360 * state.t) + '°';
  plots.draw(state.t);
  showNumbers($('numbers'), picture && picture.chosen, state.t);
}

function tick(now) {
  if (page.live) page.live.tick(now);
  if (state.playing) {
    if (state.last) state.t += state.speed * Math.min(now - state.last, 100) / 1000;
    state.last = now;
    if (state.t >= end) {
      if (isRecording()) { stopRecording(); state.t = end; pause(); } else if (state.loop) state.t = start + (state.t - end) % (end - start); else { state.t = end; pause(); }
    }
    state.dirty = true;
  }
  if (state.dirty) { state.dirty = false; paint(); state.frames++; }
  requestAnimationFrame(tick);
}
paint();
requestAnimationFrame(tick);
if (scene.kind === 'static') seek(end); else if (!scene.live && !matchMedia('(prefers-reduced-motion: reduce)').matches) play();

// ---- for tests and for other programs -------------------------------------------------------------------
window.polhode = {
  model: scene.model, version: scene.polhode, status: scene.status, reason: scene.reason, get frames() { return scene.frames; }, get times() { return Array.from(times.subarray(0, scene.frames)); }, get start() { return start; }, get end() { return end; },
  bodies: scene.bodies.map(b => b.name), names: elements.map(e => e.name),
  get time() { return state.t; }, get chosen() { return picture && picture.chosen ? picture.chosen.name : null; }, get painted() { return state.frames; },
  kind: scene.kind, modes: scene.modes, mode(k, amplitude = 1) { mode.k = k; mode.amplitude = amplitude; $('mode').value = String(k); $('amplitude').value = amplitude; paint(); },
  place(name) { const k = 7 * scene.bodies.findIndex(b => b.name === name); return Array.from(pose.subarray(k, k + 7)); },
  play, pause, fit, look, get level() { return picture.level; }, get target() { return picture.camera.target; },
  follow(name) { follow(byName(name) || null); paint(); return followed ? followed.name : null; },
  seek(t) { pause(); seek(t); paint(); },
  choose(name) { choose(byName(name) || null); paint(); return window.polhode.chosen; },
  pick(x, y) { const e = picture.pick(x, y); return e ? e.name : null; },
  numbers(name) { return numbersOf(byName(name), state.t); },
  project(name) { const p = anchorOf(byName(name)); return p && picture.project(p); },
  hide(name) { byName(name).visible = false; paint(); },
  show(what, on = true) { picture.on[what] = on; paint(); },
  get plots() { return panels.map(p => ({ title: p.title, kind: p.kind, name: p.name, unit: p.unit, labels: p.lines.map(l => l.label), values: p.lines.map(l => Array.from(l.x.subarray(0, scene.frames))) })); },
  theme(name) { root.dataset.theme = name; layout(); paint(); },
  pixels() {
    paint();
    const out = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return { width: canvas.width, height: canvas.height, data: out };
  },
};
