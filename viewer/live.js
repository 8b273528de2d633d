// A page that is served while the run goes on: frames come as events, inputs and parameters go back as messages.
// It is part of live pages alone.
import { append, channel, end, floatsOf, forget, scene, valueAt } from './data.js';
import { digits } from './math.js';
import { make } from './panel.js';
import { $, fit, page, picture, plots, say, seek, setSpeed, showPlay, state } from './main.js';

const LOST = 4000, LOOK = 500, PLOT = 120; // ms: without an answer; between looks at the camera, at plots
const live = { now: { run: scene.live.run, playing: true, ended: false }, over: false, follow: true, fresh: false, looked: 0, drawn: 0, heard: 0 };

// ---- messages -------------------------------------------------------------------------------------------
live.say = message => {
  if (live.over) return;
  fetch('message', { method: 'POST', body: JSON.stringify(message) }).then(r => { if (!r.ok) say('That was not understood'); }).catch(() => {});
};
// 1: the program does it. Where the run has ended, the page plays what it has.
live.play = on => {
  live.follow = on && !live.over && !live.now.ended;
  if (live.over || live.now.ended) return false;
  if (on !== live.now.playing) live.say({ play: on });
  live.now.playing = on;
  showPlay(on);
  return true;
};
const banner = text => { $('banner').hidden = !text; $('banner').textContent = text; state.dirty = true; };

// ---- events ---------------------------------------------------------------------------------------------
const viewKey = 'polhode-view';
const keepView = () => { const c = picture && picture.camera; try { sessionStorage.setItem(viewKey, JSON.stringify({ theme: document.documentElement.dataset.theme, camera: c && picture.touched ? { target: c.target, distance: c.distance, azimuth: c.azimuth, elevation: c.elevation } : null })); } catch { /* then it is as at first */ } };
const backView = () => {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(viewKey)); sessionStorage.removeItem(viewKey); } catch { /* likewise */ }
  if (!kept) return;
  document.documentElement.dataset.theme = kept.theme;
  if (kept.camera && picture) { Object.assign(picture.camera, kept.camera); picture.touched = true; }
};
const onStatus = e => {
  const now = JSON.parse(e.data);
  if (now.scene !== scene.live.scene) { keepView(); location.reload(); return; }
  if (now.run !== live.now.run) { forget(); live.follow = true; state.playing = false; }
  live.now = now;
  banner(now.reason ? `The run ended at t = ${digits(end)} s: ${now.reason}` : '');
  if (now.ended) { if (live.follow) seek(end); live.follow = false; }
  state.loop = !!now.loop; $('loop').setAttribute('aria-pressed', state.loop);
  if (now.speed !== state.speed) setSpeed(now.speed, true);
  if (!state.playing) showPlay(now.playing && !now.ended);
};
const onFrame = e => {
  const [run, data] = e.data.split(' ');
  if (Number(run) !== live.now.run) return;
  append(floatsOf(data));
  live.fresh = true;
};
const source = new EventSource('events');
source.addEventListener('message', onFrame);
source.addEventListener('status', e => { live.heard = 0; onStatus(e); });
source.addEventListener('said', e => banner(JSON.parse(e.data)));
source.addEventListener('error', () => { live.heard = live.heard || performance.now(); });
const lose = () => {
  source.close();
  live.over = true; live.follow = false;
  $('live').querySelectorAll('input, button').forEach(x => { x.disabled = true; });
  banner('The program has ended. The page keeps what it has.');
  if (!state.playing) showPlay(false);
};

live.tick = now => {
  if (live.heard && !live.over && now - live.heard > LOST) lose();
  if (!live.fresh) return;
  if (picture && !picture.touched && now - live.looked > LOOK) {
    const before = picture.reach;
    live.looked = now;
    picture.measure();
    if (picture.reach > 1.03 * before) fit(); else picture.reach = before;
  }
  if (live.follow) seek(end);
  if (now - live.drawn < PLOT) return;
  live.drawn = now; live.fresh = false;
  plots.grow(!plots.zoomed);
  state.dirty = true;
};

// ---- inputs and parameters ------------------------------------------------------------------------------
// As wide as its digits.
const show = (n, value) => { n.value = String(value); n.style.width = `${Math.max(8, n.value.length + 4)}ch`; };
const field = (value, label) => { const n = make('input', 'number'); n.type = 'number'; n.step = 'any'; show(n, value); n.setAttribute('aria-label', label); n.addEventListener('input', () => show(n, n.value)); return n; };
// A slider between limits that can be changed; a value beyond them moves them. Frames have seven digits.
const inputRow = (name, k) => {
  const c = channel('input', k), x = c ? Number(valueAt(c.first, end).toPrecision(7)) : 0, most = Math.max(1, 2 * Math.abs(x)), row = make('div', 'live-row'), slide = make('input'), number = field(x, `${name}, a number`);
  const limits = make('span', 'live-limits'), low = field(-most, `${name}, lower limit`), high = field(most, `${name}, upper limit`);
  const label = make('label', '', name);
  if (c && c.units[0]) label.append(make('i', '', ' ' + c.units[0]));
  slide.type = 'range'; slide.setAttribute('aria-label', name);
  const bound = () => { slide.min = low.value; slide.max = high.value; slide.step = (high.value - low.value) / 1000 || 'any'; slide.value = number.value; };
  const set = value => live.say({ input: name, value });
  const limit = () => { if (Number(low.value) < Number(high.value)) bound(); else { show(low, slide.min); show(high, slide.max); } };
  slide.addEventListener('input', () => { show(number, Number(Number(slide.value).toPrecision(7))); set(Number(number.value)); });
  number.addEventListener('change', () => { const v = Number(number.value); if (!Number.isFinite(v)) return; if (v > high.value) show(high, v); if (v < low.value) show(low, v); bound(); set(v); });
  slide.addEventListener('dblclick', () => { show(number, 0); bound(); set(0); });
  [low, high].forEach(n => n.addEventListener('change', limit));
  bound();
  limits.append(low, high);
  row.append(label, slide, number, limits);
  return row;
};
const build = form => {
  form.hidden = false;
  form.append(make('h2', '', 'Live'));
  scene.inputs.forEach((name, k) => form.append(inputRow(name, k)));
  const fields = scene.parameters.map(([name, value]) => {
    const row = make('div', 'live-row'), number = field(value, name);
    row.append(make('label', '', name), number);
    form.append(row);
    return { name, value: String(value), number };
  });
  const again = make('button', 'again', fields.length ? 'Restart with these' : 'Restart');
  again.type = 'submit';
  form.append(again);
  form.addEventListener('submit', e => {
    e.preventDefault();
    const changed = fields.filter(f => f.number.value !== f.value);
    if (changed.some(f => f.number.value === '' || !Number.isFinite(Number(f.number.value)))) { say('A parameter is a number'); return; }
    banner('');
    live.say(changed.length ? { parameters: Object.fromEntries(changed.map(f => [f.name, Number(f.number.value)])) } : { restart: true });
  });
};

build($('live'));
backView();
state.loop = false; $('loop').setAttribute('aria-pressed', 'false');
showPlay(true);
page.live = live;
window.polhode.live = live;
