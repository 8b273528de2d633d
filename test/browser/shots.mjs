// Pictures of pages: shots.mjs WIDTHxHEIGHT FOLDER 'PAGE[?theme=dark][#script]'...
import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Browser } from './browser.mjs';

const [size, folder, ...pages] = process.argv.slice(2), [w, h] = size.split('x').map(Number);
const b = await Browser.open(w, h);
for (const page of pages) {
  const [address, script] = page.split('#'), [path, query] = address.split('?');
  await b.visit('file://' + resolve(path) + (query ? '?' + query : ''));
  if (script) await b.evaluate(script);
  await new Promise(r => setTimeout(r, 150));
  const name = basename(path, '.html') + (query ? '-' + query.replace(/\W+/g, '_') : '') + (w < 600 ? '-phone' : '') + '.png';
  writeFileSync(join(folder, name), await b.screenshot());
  if (b.errors.length) console.log(page, b.errors.slice(0, 3));
}
await b.close();
