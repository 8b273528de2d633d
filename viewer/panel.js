// The side: a tree of all that has a name, and the numbers of what is chosen.
import { digits, norm, qlog, sub } from './math.js';
import { bodyName, channel, pose, scene, valueAt } from './data.js';
import { elements, groundElement, worldPoint } from './shapes.js';
import { momentsNow } from './beams.js';

const ROWS = 400; // of one group: a page with more is slow
const groups = [['bodies', 'Bodies'], ['beams', 'Beams'], ['joints', 'Joints'], ['forces', 'Forces'], ['actuators', 'Actuators'], ['sensors', 'Sensors'], ['nodes', 'Nodes of beams'], ['markers', 'Markers']];
const color = c => '#' + (c === null ? 0x6b7683 : c).toString(16).padStart(6, '0');
export const make = (tag, name, text) => { const e = document.createElement(tag); if (name) e.className = name; if (text !== undefined) e.textContent = text; return e; };

export class Tree {
  constructor(box, changed, choose) {
    this.rows = new Map();
    const search = make('input', 'search');
    search.type = 'search'; search.placeholder = 'Find'; search.setAttribute('aria-label', 'Find an element by its name');
    search.addEventListener('input', () => this.rows.forEach((row, e) => { row.hidden = !e.name.toLowerCase().includes(search.value.toLowerCase()); }));
    if (elements.length > 12) box.append(search);
    for (const [group, title] of groups) {
      const all = elements.filter(e => e.group === group && (e !== groundElement || scene.ground.length));
      if (!all.length) continue;
      const part = make('details'), head = make('summary');
      part.open = all.length <= 12;
      head.append(make('span', '', title), make('i', '', String(all.length)));
      part.append(head);
      all.slice(0, ROWS).forEach(e => part.append(this.row(e, changed, choose)));
      if (all.length > ROWS) part.append(make('p', 'faint', `and ${all.length - ROWS} more`));
      box.append(part);
    }
  }
  row(e, changed, choose) {
    const row = make('div', 'row'), eye = make('button', 'eye'), name = make('button', 'name'), swatch = make('input', 'swatch');
    const show = () => { eye.textContent = e.visible ? '●' : '○'; eye.setAttribute('aria-label', (e.visible ? 'Hide ' : 'Show ') + e.name); row.classList.toggle('off', !e.visible); };
    eye.addEventListener('click', () => { e.visible = !e.visible; show(); changed(); });
    show();
    name.append(make('span', '', e.name), make('i', '', e.type.replace(/_/g, ' ')));
    name.addEventListener('click', () => choose(e));
    row.append(eye, name);
    if (e.group !== 'nodes' && e.group !== 'markers') {
      swatch.type = 'color'; swatch.value = color(e.color); swatch.setAttribute('aria-label', 'Colour of ' + e.name);
      swatch.addEventListener('input', () => { e.color = parseInt(swatch.value.slice(1), 16); e.recolored = true; changed(); });
      row.append(swatch);
    }
    this.rows.set(e, row);
    return row;
  }
  mark(chosen) {
    this.rows.forEach((row, e) => row.classList.toggle('chosen', e === chosen));
    const row = this.rows.get(chosen);
    if (row) { row.parentElement.open = true; row.scrollIntoView({ block: 'nearest' }); }
  }
}

// ---- numbers of one element -----------------------------------------------------------------------------
const at = (what, index, t) => { const c = channel(what, index); return c && c.labels.map((_, k) => valueAt(c.first + k, t)); };
const vector = x => { const most = Math.max(...x.map(Math.abs)); return x.map(v => digits(Math.abs(v) < 1e-9 * most ? 0 : v)).join('  '); };
const placeOf = k => k < 0 ? [0, 0, 0] : Array.from(pose.subarray(7 * k, 7 * k + 3));

const about = {
  bodies(e, t) {
    if (e === groundElement) return [['', 'does not move']];
    const b = scene.bodies[e.index], v = at('velocity', e.index, t), w = at('omega', e.index, t), q = pose.subarray(7 * e.index + 3, 7 * e.index + 7);
    const rows = [];
    if (b.mass !== undefined) rows.push(['mass', digits(b.mass), 'kg']);
    rows.push(['position', vector(placeOf(e.index)), 'm']);
    if (b.kind !== 'particle' && scene.per_body > 3) rows.push(['rotation', vector([...q]), ''], ['as a vector', vector(qlog([...q])), 'rad']);
    if (v) rows.push(['velocity', vector(v), 'm/s'], ['speed', digits(norm(v)), 'm/s']);
    if (w && b.kind !== 'particle') rows.push(['omega, body', vector(w), 'rad/s']);
    return rows;
  },
  joints(e, t) {
    const j = scene.joints[e.index], r = at('reaction', e.index, t), c = channel('joint_position', e.index), x = at('joint_position', e.index, t), v = at('joint_rate', e.index, t);
    const rows = [['bodies', bodyName(j.a) + ' – ' + bodyName(j.b), ''], ['point', vector(worldPoint(j.a, j.pa)), 'm']];
    if (j.driven) rows.push(['', 'driven', '']);
    if (x) rows.push(['coordinate', vector(x), c.units[0]], ['rate', v ? vector(v) : '', channel('joint_rate', e.index).units[0]]);
    if (r) rows.push(['force', vector(r.slice(0, 3)), 'N'], ['size', digits(norm(r)), 'N'], ['torque', vector(r.slice(3, 6)), 'N m']);
    return rows;
  },
  forces(e) {
    const f = scene.forces[e.index], rows = [];
    if (f.type === 'spring') {
      const a = worldPoint(f.a, f.pa), b = worldPoint(f.b, f.pb), l = norm(sub(b, a));
      rows.push(['bodies', bodyName(f.a) + ' – ' + bodyName(f.b), ''], ['length', digits(l), 'm'], ['at rest', digits(f.length), 'm'], ['k', digits(f.k), 'N/m'], ['d', digits(f.d), 'N s/m'], ['elastic force', digits(f.k * (l - f.length)), 'N']);
    } else {
      rows.push(['on', bodyName(f.b), '']);
      if (f.value) rows.push(['value', vector(f.value), f.type === 'torque' ? 'N m' : 'N'], ['axes', f.in_body ? 'body' : 'world', '']);
      if (f.k !== undefined) rows.push(['k', digits(f.k), 'N m/rad'], ['d', digits(f.d), 'N m s/rad']);
    }
    return rows;
  },
  actuators(e, t) {
    const c = channel('effort', e.index), a = scene.actuators[e.index];
    return [['at', scene.joints[a.joint].name, ''], ['effort', c ? digits(valueAt(c.first, t)) : '–', c ? c.units[0] : '']];
  },
  beams(e) {
    const b = scene.beams[e.index], m = momentsNow(e.index);
    return [['elements', String(b.length.length), ''], ['bending moment', digits(Math.max(...m)), 'N m, largest now'], ['EI', vector(b.stiffness.slice(4)), 'N m²']];
  },
  sensors(e, t) {
    const c = channel('sensor', e.index);
    return c ? c.labels.map((l, k) => [l || e.type, digits(valueAt(c.first + k, t), 6), c.units[k]]) : [];
  },
};
about.nodes = about.markers = about.bodies;

export const numbersOf = (e, t) => about[e.group](e, t);

export const showNumbers = (box, e, t) => {
  box.hidden = !e;
  if (!e) return;
  const rows = numbersOf(e, t);
  if (box.chosen !== e || box.cells.length !== rows.length) {
    box.chosen = e; box.textContent = '';
    const head = make('h2', '', e.name);
    head.append(make('i', '', e.type.replace(/_/g, ' ')));
    const table = make('table');
    box.cells = rows.map(() => { const tr = table.insertRow(); return [0, 1, 2].map(() => tr.insertCell()); });
    box.append(head, table);
  }
  rows.forEach((row, k) => row.forEach((text, c) => { if (box.cells[k][c].textContent !== text) box.cells[k][c].textContent = text; }));
};

// Where the label of an element stands.
export const anchorOf = e => {
  if (e.index < 0) return null;
  if (e.group === 'joints') { const j = scene.joints[e.index]; return worldPoint(j.a, j.pa); }
  if (e.group === 'forces') { const f = scene.forces[e.index], b = worldPoint(f.b, f.pb); return f.type === 'spring' ? worldPoint(f.a, f.pa).map((x, k) => (x + b[k]) / 2) : b; }
  if (e.group === 'actuators') { const j = scene.joints[scene.actuators[e.index].joint]; return worldPoint(j.a, j.pa); }
  if (e.group === 'beams') { const b = scene.beams[e.index].bodies; return placeOf(b[b.length >> 1]); }
  if (e.group === 'sensors') { const s = scene.sensors[e.index]; return s.body >= 0 ? placeOf(s.body) : null; }
  return placeOf(e.index);
};
