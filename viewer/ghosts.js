// Other runs of the model, behind the one that is shown. Part of pages of several runs alone.
import { columnOf, floatsOf, poseAt, scene } from './data.js';
import { gl, programs } from './gl.js';
import { batches, moveParts, pack, palette } from './shapes.js';
import { hasBeams, moveBeams } from './beams.js';
import { panels } from './plots.js';
import { make } from './panel.js';
import { $, picture, plots, state, touch } from './main.js';

const FAINT = .3; // how much of a ghost is seen
const stride = scene.bodies.length * scene.per_body;

// ---- what they did --------------------------------------------------------------------------------------
const ghosts = scene.ghosts.map((g, k) => {
  const frames = floatsOf($('ghost' + k).textContent.trim()), color = palette[(k + 2) % palette.length];
  let from = g.frames * stride;
  const columns = g.still.map(x => x === null ? frames.subarray(from, from += g.frames) : new Float32Array(g.frames).fill(x));
  return { label: g.label, reason: g.reason, n: g.frames, times: columns[0], frames, columns, color, css: '#' + color.toString(16).padStart(6, '0') + '99', on: true };
});
panels.forEach(p => { p.ghosts = []; p.lines.forEach(l => { const c = columnOf(l.x); if (c >= 0) ghosts.forEach(g => p.ghosts.push({ of: g, times: g.times, x: g.columns[c] })); }); });

// ---- how they look --------------------------------------------------------------------------------------
const haunt = theme => {
  gl.enable(gl.BLEND); gl.blendColor(0, 0, 0, FAINT); gl.blendFunc(gl.CONSTANT_ALPHA, gl.ONE_MINUS_CONSTANT_ALPHA);
  gl.depthMask(false); gl.depthFunc(gl.LESS); // where they are at the same place, the run itself is seen
  for (const g of ghosts) if (g.on) {
    poseAt(Math.min(state.t, g.times[g.n - 1]), undefined, g);
    moveParts(theme, null, e => e.group !== 'joints', pack(g.color));
    const at = picture.use(programs.solid, 0);
    for (const b of batches) if (!b.mark) b.batch.draw(at);
    if (hasBeams) { const beams = moveBeams(null, false); if (beams) { picture.use(programs.free, 0); beams.draw(); } }
  }
  gl.depthMask(true); gl.depthFunc(gl.LEQUAL);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  poseAt(state.t); // what is picked and named is the run itself
  moveParts(theme, picture.chosen, e => picture.on.joints || e.group !== 'joints');
  if (hasBeams) picture.beams = moveBeams(picture.chosen, picture.on.moments);
};

// ---- which is which -------------------------------------------------------------------------------------
const list = make('div', 'ghosts');
list.append(make('h2', '', 'Runs'), make('p', 'own', scene.label));
ghosts.forEach(g => {
  const row = make('label'), on = make('input'), mark = make('b');
  on.type = 'checkbox'; on.checked = true;
  on.addEventListener('change', () => { g.on = on.checked; plots.forget(); touch(); });
  mark.style.background = g.css;
  row.append(on, mark, g.label + (g.reason ? ': ' + g.reason : ''));
  list.append(row);
});
document.querySelector('aside').prepend(list);
if (picture) picture.ghosts = haunt;
plots.forget(); touch();
window.polhode.ghosts = ghosts.map(g => ({ label: g.label, times: Array.from(g.times), place(name, t) { const k = 7 * scene.bodies.findIndex(b => b.name === name), out = new Float32Array(7 * scene.bodies.length); return Array.from(poseAt(t, out, g).subarray(k, k + 7)); }, show(on) { g.on = on; touch(); } }));
