// A headless Chromium, driven by its DevTools protocol over the WebSocket of node.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = ['--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--hide-scrollbars',
  '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions', '--remote-debugging-port=0'];
const PATIENCE = 60000; // ms, of any single answer

export class Browser {
  static async open(width = 1280, height = 860) {
    const b = new Browser();
    b.home = mkdtempSync(join(tmpdir(), 'polhode_browser_'));
    b.process = spawn(process.env.CHROMIUM || 'chromium', [...FLAGS, `--user-data-dir=${b.home}`, `--window-size=${width},${height}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const address = await new Promise((resolve, reject) => {
      let text = '';
      b.process.stderr.on('data', d => { text += d; const m = text.match(/DevTools listening on (ws:\S+)/); if (m) resolve(m[1]); });
      b.process.on('exit', () => reject(new Error('chromium ended: ' + text.slice(-400))));
      b.process.on('error', reject);
      setTimeout(() => reject(new Error('chromium does not answer: ' + text.slice(-400))), PATIENCE).unref();
    });
    const port = new URL(address).port, list = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
    b.socket = new WebSocket(list.find(x => x.type === 'page').webSocketDebuggerUrl);
    b.waiting = new Map(); b.errors = []; b.count = 0; b.loaded = null;
    b.socket.onmessage = m => b.receive(JSON.parse(m.data));
    await new Promise((resolve, reject) => { b.socket.onopen = resolve; b.socket.onerror = reject; });
    for (const domain of ['Page', 'Runtime', 'Log']) await b.send(domain + '.enable');
    await b.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    return b;
  }

  receive(m) {
    if (m.id) { const w = this.waiting.get(m.id); this.waiting.delete(m.id); if (m.error) w.reject(new Error(m.error.message)); else w.resolve(m.result); return; }
    if (m.method === 'Runtime.exceptionThrown') this.errors.push(m.params.exceptionDetails.exception?.description || m.params.exceptionDetails.text);
    if (m.method === 'Runtime.consoleAPICalled' && m.params.type === 'error') this.errors.push(m.params.args.map(a => a.description || a.value).join(' '));
    if (m.method === 'Log.entryAdded' && m.params.entry.level === 'error') this.errors.push(m.params.entry.text + ' ' + (m.params.entry.url || ''));
    if (m.method === 'Page.loadEventFired' && this.loaded) this.loaded();
  }
  send(method, params = {}) {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(method + ' takes too long')), PATIENCE);
      this.waiting.set(id, { resolve: x => { clearTimeout(late); resolve(x); }, reject: x => { clearTimeout(late); reject(x); } });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  // Open a page; resolves when it has loaded. What it complains of is then in errors.
  async visit(url) {
    this.errors = [];
    const loaded = new Promise(resolve => { this.loaded = resolve; });
    await this.send('Page.navigate', { url });
    await loaded;
  }
  async evaluate(expression) {
    const r = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception?.description || r.exceptionDetails.text);
    return r.result.value;
  }
  async click(x, y) {
    for (const type of ['mousePressed', 'mouseReleased']) await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }
  async key(key) { for (const type of ['keyDown', 'keyUp']) await this.send('Input.dispatchKeyEvent', { type, key, text: type === 'keyDown' && key.length === 1 ? key : undefined }); }
  async screenshot() { return Buffer.from((await this.send('Page.captureScreenshot', { format: 'png' })).data, 'base64'); }
  async size(width, height, mobile = false) { await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile }); }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await new Promise(resolve => { if (this.process.exitCode !== null) resolve(); else this.process.on('exit', resolve); setTimeout(resolve, 5000).unref(); });
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}
