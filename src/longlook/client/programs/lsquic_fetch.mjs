// Fetches files by LSQUIC over HTTP/3, one request per line of standard input. Run with Bun, whose node:quic it is.
//
//   lsquic_fetch.mjs ORIGIN PORT ADDRESS CERTIFICATE
//
// Requests and answers are those of lines.py. Every fetch has an endpoint and a session of its own. One that is not to be
// fresh resumes an earlier one by the newest ticket, once its server gave one, with the request as early data. Times are
// by the monotonic clock, ms, from when the session is about to be opened: until the handshake is complete (the client's
// Finished leaves; of early data until its key is there), until it is confirmed, until the head of the answer is there,
// until its last byte is.
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { connect } from "node:quic";
import { createInterface } from "node:readline";

const [origin, port, address, certificate] = process.argv.slice(2);
const ca = [readFileSync(certificate)];
const secrets = process.env.SSLKEYLOGFILE;
const CLOSE_MS = 1000; // for the server to be told in order
let newest; // the ticket, as the options that resume with it, and when it came

// Until the second is as old as it was when the ticket came. Its age is told in whole seconds (BoringSSL): from 10.9 s to
// 11.1 s it is one. GnuTLS takes no early data from a ticket that is older by the client's clock than by its own.
async function aged() {
  const ahead = newest ? (newest.came % 1000) - (Date.now() % 1000) : 0;
  if (ahead > 0) await new Promise((done) => setTimeout(done, ahead));
}

// `moments.connect`: when the client's key for its requests is there, which is when the server's Finished is. That a
// session is `opened` Bun says only when the server has confirmed the handshake, a round trip later.
async function begun(moments, fresh) {
  const endpoint = { address: "0.0.0.0:0" }; // else it is bound to the loopback interface
  const known = fresh ? {} : newest?.options;
  const options = { endpoint, alpn: "h3", servername: origin, ca, keylog: true, ...known };
  const session = await connect(`${address}:${port}`, options);
  if (!fresh) {
    session.onsessionticket = (sessionTicket) => {
      newest = { options: { sessionTicket, enableEarlyData: true }, came: Date.now() };
    };
  }
  session.onkeylog = (line) => {
    if (String(line).startsWith("CLIENT_EARLY_TRAFFIC_SECRET ")) moments.early = performance.now();
    if (String(line).startsWith("CLIENT_TRAFFIC_SECRET_0 ")) moments.connect ??= performance.now();
    if (secrets) appendFileSync(secrets, `${String(line).trimEnd()}\n`);
  };
  session.onerror = () => {};
  session.closed.catch(() => {});
  return session;
}

// The request waits for nothing: it leaves as soon as it can.
async function asked(session, path, moments) {
  const headers = { ":method": "GET", ":scheme": "https", ":authority": `${origin}:${port}`, ":path": path };
  const stream = await session.createBidirectionalStream({ headers });
  let status = null;
  stream.onheaders = (head) => {
    moments.first ??= performance.now();
    status ??= Number(head[":status"]);
  };
  stream.onerror = () => {};
  stream.closed.catch(() => {});
  const digest = createHash("sha256");
  let size = 0;
  for await (const chunks of stream) {
    for (const chunk of Array.isArray(chunks) ? chunks : [chunks]) {
      digest.update(chunk);
      size += chunk.byteLength;
    }
  }
  moments.last = performance.now();
  return { status, size, sha256: digest.digest("hex") };
}

async function fetched(session, path, moments) {
  const confirmed = session.opened.then((told) => {
    moments.confirmed = performance.now();
    return told;
  });
  let found;
  try {
    found = await asked(session, path, moments);
  } catch (error) {
    if (moments.early === undefined || (await confirmed).earlyDataAccepted) throw error;
    found = await asked(session, path, moments); // LSQUIC resets the stream of a request whose early data was rejected
  }
  const { protocol, local, earlyDataAccepted } = await confirmed;
  if (earlyDataAccepted) moments.connect = moments.early;
  return { ...found, protocol, port: local.port, early_data: earlyDataAccepted };
}

async function answer(request) {
  if (!request.fresh) await aged();
  const moments = { begin: performance.now() };
  const session = await begun(moments, request.fresh);
  const waited = Promise.withResolvers();
  const late = setTimeout(
    () => waited.reject(new Error(`not finished within ${request.timeout_ms / 1000} s`)),
    request.timeout_ms,
  );
  try {
    const found = await Promise.race([fetched(session, request.path, moments), waited.promise]);
    const at = (name) => Math.round((moments[name] - moments.begin) * 1e3) / 1e3;
    const times = { connect_ms: at("connect"), confirmed_ms: at("confirmed"), ttfb_ms: at("first"), ttlb_ms: at("last") };
    await Promise.race([session.close(), new Promise((done) => setTimeout(done, CLOSE_MS))]);
    return { ...found, ...times };
  } finally {
    clearTimeout(late);
    const { endpoint } = session;
    session.destroy();
    endpoint?.close?.()?.catch?.(() => {});
  }
}

process.on("unhandledRejection", () => {}); // of a session that was given up; its fetch has been answered
console.log(JSON.stringify({ event: "ready", version: process.versions.bun }));
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let found;
  try {
    found = { ok: true, ...(await answer(request)) };
  } catch (error) {
    found = { ok: false, error: String(error?.message ?? error) };
  }
  console.log(JSON.stringify({ id: request.id, ...found }));
}
