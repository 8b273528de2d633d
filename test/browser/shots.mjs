// Pictures of pages, as those of docs/viewer.md: shots.mjs WIDTHxHEIGHT FOLDER png|webp 'PAGE[?theme=dark][#script]'...
import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Browser } from './browser.mjs';

const [size, folder, format, ...pages] = process.argv.slice(2), [w, h] = size.split('x').map(Number);
const b = await Browser.open(w, h);
for (const page of pages) {
  const k = page.indexOf('#'), [address, script] = k < 0 ? [page, ''] : [page.slice(0, k), page.slice(k + 1)], [path, query] = address.split('?');
  await b.visit('file://' + resolve(path) + (query ? '?' + query : ''));
  if (script) await b.evaluate(script);
  await new Promise(r => setTimeout(r, 150));
  writeFileSync(join(folder, basename(path, '.html') + '.' + format), await b.screenshot(format));
  if (b.errors.length) console.log(page, b.errors.slice(0, 3));
}
await b.close();
