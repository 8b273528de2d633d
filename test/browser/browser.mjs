// A headless Chromium, driven by its DevTools protocol.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = ['--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--hide-scrollbars',
  '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions', '--remote-debugging-port=0'];
const PATIENCE = 60000; // ms, of any single answer

// As much of a WebSocket (RFC 6455) as this needs: text in frames of any length, in parts or whole. Node has one from version 22 on.
class Socket {
  static open(address, received) {
    const s = new Socket(), { hostname, port, pathname } = new URL(address);
    s.left = Buffer.alloc(0); s.text = []; s.received = received;
    return new Promise((resolve, reject) => {
      s.wire = connect(Number(port), hostname, () => s.wire.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n\r\n`));
      s.wire.on('error', reject);
      s.wire.on('data', d => {
        s.left = Buffer.concat([s.left, d]);
        const end = s.left.indexOf('\r\n\r\n');
        if (!s.ready && end >= 0) { s.ready = true; s.left = s.left.subarray(end + 4); resolve(s); }
        if (s.ready) s.take();
      });
    });
  }
  take() {
    for (;;) {
      if (this.left.length < 2) return;
      let n = this.left[1] & 127, head = 2;
      if (n === 126) { head = 4; if (this.left.length < 4) return; n = this.left.readUInt16BE(2); } else if (n === 127) { head = 10; if (this.left.length < 10) return; n = Number(this.left.readBigUInt64BE(2)); }
      if (this.left.length < head + n) return;
      const [kind, last] = [this.left[0] & 15, this.left[0] & 128];
      if (kind < 3) this.text.push(this.left.subarray(head, head + n));
      this.left = this.left.subarray(head + n);
      if (kind < 3 && last) { const all = Buffer.concat(this.text).toString(); this.text = []; this.received(all); }
    }
  }
  send(text) {
    const body = Buffer.from(text), mask = randomBytes(4), head = body.length < 126 ? Buffer.from([0x81, 128 | body.length]) : body.length < 65536 ? Buffer.from([0x81, 254, body.length >> 8, body.length & 255]) : Buffer.alloc(10);
    if (body.length >= 65536) { head[0] = 0x81; head[1] = 255; head.writeBigUInt64BE(BigInt(body.length), 2); }
    for (let k = 0; k < body.length; k++) body[k] ^= mask[k & 3];
    this.wire.write(Buffer.concat([head, mask, body]));
  }
}

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
    b.waiting = new Map(); b.errors = []; b.count = 0; b.loaded = null;
    b.socket = await Socket.open(list.find(x => x.type === 'page').webSocketDebuggerUrl, m => b.receive(JSON.parse(m)));
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
  async screenshot(format = 'png') { return Buffer.from((await this.send('Page.captureScreenshot', { format, quality: format === 'png' ? undefined : 82 })).data, 'base64'); }
  async size(width, height, mobile = false) { await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile }); }

  // Processor time of all processes of the browser [ms]; 0 where there is no /proc.
  cpu() {
    const of = new Map();
    let pids = [];
    try { pids = readdirSync('/proc').filter(x => /^\d+$/.test(x)); } catch { return 0; }
    for (const p of pids) try { const f = readFileSync(`/proc/${p}/stat`, 'utf8').replace(/.*\) /s, '').split(' '); of.set(Number(p), { parent: Number(f[1]), ms: 10 * (Number(f[11]) + Number(f[12])) }); } catch { /* it has ended */ }
    const ours = p => p === this.process.pid || (of.has(p) && ours(of.get(p).parent));
    return [...of].reduce((s, [p, x]) => s + (ours(p) ? x.ms : 0), 0);
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    this.socket.wire.destroy();
    await new Promise(resolve => { if (this.process.exitCode !== null) resolve(); else this.process.on('exit', resolve); setTimeout(resolve, 5000).unref(); });
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}
