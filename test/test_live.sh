#!/usr/bin/env bash
# polhode view --live: what the page gets and what it may say; wrong tokens, oversized requests, slow clients, garbage; how it ends.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# Mistakes that need no server.
refused "--live writes no file: leave -o out" view "$models/cart_pendulum.lua" --live -o page.html
refused "--port needs --live" view "$models/cart_pendulum.lua" --port 8000
refused "70000 is not a port" view "$models/cart_pendulum.lua" --live --port 70000
refused "a page shows a model file" view chain --live

command -v python3 >/dev/null || finish
rm -f out err
timeout 20 "$POLHODE" view "$models/cart_pendulum.lua" --live >out 2>err & # is it there at all?
for _ in {1..100}; do
    if [[ -s out || -s err ]]; then break; fi
    sleep 0.05
done
if grep -q "a live page needs libmicrohttpd" err; then finish; fi
kill -INT $! 2>/dev/null || true
wait $! || fail "Ctrl-C before a page is open ends with $?"

python3 - "$POLHODE" "$models/cart_pendulum.lua" "$models/heavy_top.lua" "${POLHODE_FAILING:-}" <<'PYTHON'
import base64, json, os, random, re, signal, socket, struct, subprocess, sys, threading, time

program, cart, top, failing = sys.argv[1:]
random.seed(7)


class Server:
    def __init__(self, *arguments, program=program, **environment):
        self.process = subprocess.Popen(
            [program, "view", *arguments, "--live", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
        )
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address)
        if "PH_FAIL_ALLOC" not in environment:
            assert found, (self.address, self.process.stderr.read())
        self.port, self.token = (int(found[1]), found[2]) if found else (0, "")

    def connect(self, patience=15):
        s = socket.create_connection(("127.0.0.1", self.port), patience)
        return s

    def ask(self, path, method="GET", body=None, headers=None, version="1.1"):
        """Status and body of one request."""
        all_headers = {"Host": f"127.0.0.1:{self.port}", "Connection": "close", **(headers or {})}
        if body is not None and "Transfer-Encoding" not in all_headers:
            all_headers.setdefault("Content-Length", str(len(body)))
        head = f"{method} {path} HTTP/{version}\r\n" + "".join(f"{k}: {v}\r\n" for k, v in all_headers.items() if v is not None) + "\r\n"
        return self.raw(head.encode() + (body or b""))

    def raw(self, data):
        s = self.connect()
        answer = b""
        try:
            s.sendall(data)
            while len(answer) < 10_000_000:
                more = s.recv(65536)
                if not more:
                    break
                answer += more
        except (ConnectionError, TimeoutError):
            pass
        s.close()
        found = re.match(rb"HTTP/1\.[01] (\d+)", answer)
        head, _, rest = answer.partition(b"\r\n\r\n")
        return int(found[1]) if found else 0, rest, head.decode("latin1")

    def say(self, **message):
        return self.ask(f"/{self.token}/message", "POST", json.dumps(message).encode())[0]

    def end(self, seconds=15):
        code = self.process.wait(seconds)
        return code, self.process.stderr.read()


class Stream:
    """The events of a server, taken apart."""

    def __init__(self, server):
        self.socket = server.connect(10)
        self.socket.sendall(f"GET /{server.token}/events HTTP/1.0\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        self.text = b""

    def event(self):
        while True:
            block, found, rest = self.text.partition(b"\n\n")
            if found:
                self.text = rest
                block = block[block.rindex(b"\r\n\r\n") + 4 :] if b"\r\n\r\n" in block else block
                lines = dict(line.split(": ", 1) for line in block.decode().split("\n") if ": " in line and not line.startswith(":"))
                if "data" in lines:
                    return lines.get("event", "frame"), lines["data"]
                continue
            more = self.socket.recv(65536)
            assert more, "the stream ended"
            self.text += more

    def until(self, kind, good=lambda data: True):
        for _ in range(5000):
            found, data = self.event()
            if found == kind and good(data):
                return data
        raise AssertionError(f"no event {kind}")


def scene_of(page):
    return json.loads(re.search(rb'id="scene">(.*?)</script>', page, re.S)[1])


def numbers(data):
    run, frame = data.split(" ")
    raw = base64.b64decode(frame)
    return int(run), struct.unpack(f"<{len(raw) // 4}f", raw)


# ---- what is served ------------------------------------------------------------------------------------------
s = Server(cart)
listening = [line.split() for line in open("/proc/net/tcp") if line.split()[3] == "0A"] if os.path.exists("/proc/net/tcp") else []
here = [x[1] for x in listening if x[1].endswith(f":{s.port:04X}")]
assert here in ([f"0100007F:{s.port:04X}"], []), f"it listens on {here}"
home = f"/{s.token}/"
code, page, head = s.ask(home)
assert code == 200 and page.rstrip().endswith(b"</html>") and b"EventSource" in page, code
for header in ("default-src 'none'", "no-store", "nosniff", "DENY", "no-referrer"):
    assert header in head, head
scene = scene_of(page)
assert scene["live"]["scene"] == 1 and scene["inputs"] == ["push"], scene["live"]
size = 7 * len(scene["bodies"])

# ---- what is not ---------------------------------------------------------------------------------------------
wrong = "0" * 32
near = s.token[:-1] + ("0" if s.token[-1] != "0" else "1")
for path in ["/", f"/{wrong}/", f"/{near}/", f"/{s.token}", f"/{s.token[:31]}/", f"/{near}/events", home + "x", home + "../../etc/passwd", home + "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", home + "message", "//" + s.token + "/", "/" + "a" * 3000]:
    code, body, _ = s.ask(path)
    assert code == 404 and body == b"", (path, code, body[:80])
assert s.ask(f"/{wrong}/message", "POST", b'{"restart":true}')[0] == 404
assert s.ask(home + "other", "POST", b'{"restart":true}')[0] == 404
assert s.ask(home, headers={"Host": "evil.example"})[0] == 404
assert s.ask(home, headers={"Host": None}, version="1.0")[0] == 404
assert s.ask(home + "message", "POST", b'{"play":true}', {"Origin": "https://evil.example"})[0] == 404
assert s.ask(home + "message", "POST", b'{"play":true}', {"Origin": f"http://127.0.0.1:{s.port}"})[0] == 204
for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE"):
    assert s.ask(home, method)[0] == 405, method

# ---- messages ------------------------------------------------------------------------------------------------
bad = [b"", b"{", b"null", b"[]", b"{}", b'"play"', b'{"play":1}', b'{"loop":1}', b'{"speed":0}', b'{"speed":-1}', b'{"speed":1e999}', b'{"speed":"1"}', b'{"input":"none","value":1}', b'{"input":"push"}', b'{"input":"push","value":null}', b'{"input":"push","value":1e999}', b'{"input":0,"value":1}', b'{"parameters":[]}', b'{"parameters":{}}', b'{"parameters":{"on":"x"}}', b'{"restart":false}', b"[" * 4000, b'{"a":' * 800, b"\0\0\0", b'{"play":true}\0', b'{"play":true} x', bytes(range(128, 256)), b'{"parameters":{' + b",".join(b'"p%d":1' % k for k in range(300)) + b"}}"]
for body in bad:
    assert s.ask(home + "message", "POST", body)[0] == 400, body
for n in (4097, 100_000, 10_000_000_000):
    assert s.ask(home + "message", "POST", b"x" * min(n, 100_000), {"Content-Length": str(n)})[0] == 413, n
chunk = b"1000\r\n" + b"x" * 4096 + b"\r\n"
assert s.ask(home + "message", "POST", 20 * chunk + b"0\r\n\r\n", {"Transfer-Encoding": "chunked"})[0] == 413
assert s.ask(home, headers={"X": "y" * 60_000})[0] in (0, 400, 413, 431, 500)

# ---- garbage and slow clients --------------------------------------------------------------------------------
for k in range(40):
    data = bytes(random.randrange(256) for _ in range(random.choice([1, 100, 5000])))
    if k % 2:
        data = f"POST {home}message HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n".encode() + data
    c = s.connect()
    try:
        c.sendall(data)
        c.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    c.close()
idle = [s.connect() for _ in range(12)]
for c in idle[:6]:
    c.sendall(b"GET /" + s.token[:10].encode())  # and never goes on
assert s.ask(home)[0] == 200, "half requests keep the page from being served"
for c in idle:
    c.close()

# ---- events --------------------------------------------------------------------------------------------------
a = Stream(s)
status = json.loads(a.until("status"))
assert status["run"] == 1 and status["scene"] == 1 and status["playing"] == 1, status
times = [numbers(a.until("frame"))[1][size] for _ in range(5)]
assert times == sorted(times) and times[-1] > times[0], times
deaf = Stream(s)  # takes nothing from now on
deaf.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
more = [Stream(s) for _ in range(6)]  # eight pages may listen
for x in more:
    x.until("status")
assert s.ask(home + "events", version="1.0")[0] == 503
for x in more:
    x.socket.close()
# the pushed cart: the value of the input is in the frames, where the scene says
push = next(c["first"] for c in scene["channels"] if c["what"] == "input")
assert s.say(input="push", value=2.5) == 204
a.until("frame", lambda d: numbers(d)[1][size + push] == 2.5)
assert s.say(play=False) == 204 and json.loads(a.until("status"))["playing"] == 0
assert s.say(speed=20) == 204 and json.loads(a.until("status"))["speed"] == 20
assert s.say(play=True) == 204 and json.loads(a.until("status"))["playing"] == 1
ended = json.loads(a.until("status", lambda d: json.loads(d)["ended"]))
assert ended["reason"] == "", ended
code, page, _ = s.ask(home)
last = scene_of(page)
assert last["frames"] > 100 and last["t_end"] == scene["t_end"]
# once more, by itself, and with other parameters, which the page learns of
assert s.say(restart=True) == 204 and json.loads(a.until("status"))["run"] == 2
assert s.say(parameters={"none": 1}) == 204 and "none" in json.loads(a.until("said"))
assert s.say(parameters={"on": 0.5}) == 204
assert json.loads(a.until("status", lambda d: json.loads(d)["scene"] == 2))["run"] == 3
assert ["on", 0.5] in scene_of(s.ask(home)[1])["parameters"]
assert s.say(loop=True) == 204 and json.loads(a.until("status", lambda d: json.loads(d)["loop"] == 1))
assert s.say(speed=1000) == 204
assert json.loads(a.until("status", lambda d: json.loads(d)["run"] > 3))["run"] == 4

# ---- how it ends ---------------------------------------------------------------------------------------------
a.socket.close()
b = Stream(s)  # a page that was loaded anew
b.until("status")
time.sleep(2.5)
assert s.process.poll() is None, "it ended while a page was open"
b.socket.close()
deaf.socket.close()
assert s.end()[0] == 0

# ---- runs that fail, on the way and before ---------------------------------------------------------------------
body = 'body { name = "a", mass = 1, inertia = {1, 1, 1} }\n'
files = {
    "late.lua": body + 'force { body = "a", value = function(t) if t > 0.3 then error("torn") end return 0, 0, 1 end }\nrun { t_end = 40, h = 0.01 }\n',
    "blind.lua": body + 'sensor { name = "s", custom = function(t) if t > 0.3 then error("blind") end return t end }\nrun { t_end = 1, h = 0.01 }\n',
    "never.lua": body + 'joint { name = "j", type = "spherical", bodies = {"ground", "a"}, at = {0, 0, 0} }\n'
    + 'joint { name = "k", type = "distance", bodies = {"ground", "a"}, at_a = {0, 0, 0}, at_b = {0, 0, 0}, drive = function(t) return 1 + t end }\n'
    + "run { t_end = 1, h = 0.01 }\n",
}
for name, text in files.items():
    open(name, "w").write(text)
for name, words in (("late.lua", "torn"), ("blind.lua", "a sensor of the model has no number at t = 0.3")):
    s = Server(name)
    a = Stream(s)
    status = json.loads(a.until("status", lambda d: json.loads(d)["ended"]))
    assert words in status["reason"], status
    scene = scene_of(s.ask(f"/{s.token}/")[1])
    assert words in scene["reason"] and scene["status"] != "ok", scene["reason"]
    assert scene["live"]["speed"] == 1, scene["live"]
    assert s.say(restart=True) == 204 and json.loads(a.until("status", lambda d: json.loads(d)["run"] == 2))["ended"] == 0
    a.socket.close()
    assert s.end()[0] == 0
never = subprocess.run([program, "view", "never.lua", "--live"], capture_output=True, text=True, timeout=20)
assert never.returncode in (1, 2) and never.stdout == "" and never.stderr.count("\n") == 1, never

# ---- memory that ends ------------------------------------------------------------------------------------------
def interrupt(s):
    s.process.send_signal(signal.SIGINT)


def visit(s):
    """What a page does; answers that fail, and those that do not come, are no matter. Without a server there is nothing to do."""
    try:
        home = f"/{s.token}/"
        s.connect = lambda patience=0.2: socket.create_connection(("127.0.0.1", s.port), patience)
        a = Stream(s)
        a.socket.settimeout(0.2)
        s.ask(home)
        a.until("frame")
        for message in ({"restart": True}, {"parameters": {"none": 1}}, {"parameters": {"on": 0.5}}, {"play": False}):
            s.say(**message)
        s.ask(home)
        a.until("status", lambda d: json.loads(d)["playing"] == 0)
        a.socket.close()
    except (OSError, AssertionError):
        pass
    try:
        s.process.wait(0.1)  # it may be on its way out
    except subprocess.TimeoutExpired:
        interrupt(s)


def places(act):
    """Where memory is asked for, and which request is the first there. One signal ends the program in order, a second at once."""
    if os.path.exists("places"):
        os.remove("places")
    s = Server(cart, program=failing, PH_ALLOC_PLACES="places")
    act(s)
    assert s.end()[0] == 0
    return {place: int(number) for number, place in (line.split() for line in open("places"))}


if failing:
    before, all_of_them = places(interrupt), places(visit)
    late = sorted(before.values())[-30:]
    chosen = sorted(n for place, n in all_of_them.items() if place not in before or before[place] in late)
    for n in chosen if os.environ.get("PH_EVERY") else chosen[::40]:
        for how in (f"{n}", f"{n}+"):
            s = Server(cart, program=failing, PH_FAIL_ALLOC=how)
            visit(s)
            code, words = s.end()
            assert code == 0 and not words or code in (2, -2) and words.startswith("polhode: ") and words.count("\n") == 1, (how, code, words)

s = Server(top)
a = Stream(s)
a.until("frame")
taken = subprocess.run([program, "view", top, "--live", "--port", str(s.port)], capture_output=True, text=True, timeout=20)
assert taken.returncode == 2 and f"port {s.port}" in taken.stderr, taken
s.process.send_signal(signal.SIGINT)
assert s.end()[0] == 0
PYTHON
(($? == 0)) || fail "the live page"
finish
