// Serves a tree of files by LSQUIC over HTTP/3. Run with Bun, whose node:quic it is.
//
//   lsquic_serve.mjs ROOT ADDRESS PORT CERTIFICATE KEY CONTROLLER LOG
//
// When it listens it says its version, one line of JSON. LOG gets a line per connection when its handshake is complete,
// with the window that it then has. It gives tickets, and takes early data. The file that the variable WINDOWS names, if
// there is one, gets a line of each every few milliseconds: window and round trip, since Bun leaves the counters of
// threshold and bytes in flight at 0.
import { createPrivateKey } from "node:crypto";
import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { listen } from "node:quic";

const KINDS = { ".html": "text/html", ".jpg": "image/jpeg", ".bin": "application/octet-stream" };
const [root, address, port, certificate, key, controller, log] = process.argv.slice(2);

const files = new Map();
for (const one of readdirSync(root, { recursive: true, withFileTypes: true })) {
  if (!one.isFile()) continue;
  const path = join(one.parentPath, one.name);
  files.set("/" + relative(root, path), { body: readFileSync(path), kind: KINDS[extname(path)] ?? KINDS[".bin"] });
}

function found(target) {
  try {
    return files.get(decodeURIComponent(target.split("?", 1)[0]));
  } catch {
    return undefined; // no path could be written so
  }
}

function answer(stream, target) {
  const file = found(target);
  const body = file?.body ?? Buffer.from("no such file\n");
  stream.sendHeaders({
    ":status": file ? "200" : "404",
    "content-type": file?.kind ?? "text/plain",
    "content-length": String(body.length),
    "cache-control": "no-store,no-cache",
  });
  stream.setBody(body);
}

let serial = 0;
const windows = process.env.WINDOWS;
const LOOK_MS = 5;
const NS_PER_MS = 1e6;

function look(session) {
  const told = session.stats;
  const window = Number(told.cwnd);
  if (!window) return; // not connected yet
  const time_s = (performance.timeOrigin + performance.now()) / 1e3;
  const line = { time_s, cwnd_bytes: window, smoothed_rtt_ms: Number(told.smoothedRtt) / NS_PER_MS || null };
  appendFileSync(windows, JSON.stringify(line) + "\n");
}

function begun(session) {
  const name = `${(serial += 1)}`;
  session.onerror = () => {};
  const looking = windows && setInterval(look, LOOK_MS, session);
  // A client that is gone is none of the server's mistakes.
  session.closed.catch(() => {}).finally(() => clearInterval(looking));
  session.opened
    .then((told) => {
      const window = Number(session.stats.cwnd);
      const line = { connection: `${name}:${told.remote.port}`, early_data: told.earlyDataAccepted, window_bytes: window };
      appendFileSync(log, JSON.stringify(line) + "\n");
    })
    .catch(() => {});
  session.onstream = (stream) => {
    stream.onerror = () => {};
    stream.closed.catch(() => {});
    stream.onheaders = (headers) => answer(stream, headers[":path"]);
  };
}

const own = { keys: [createPrivateKey(readFileSync(key))], certs: [readFileSync(certificate)] };
await listen(begun, {
  endpoint: { address: `${address}:${port}` },
  alpn: ["h3"],
  sni: { "*": own },
  cc: controller,
});
console.log(JSON.stringify({ version: process.versions.bun }));
