'use strict';
// Loads pages in ONE context of a running Chromium and answers with one HAR per load; fetches files without a page
// (download.js); plays films (video.js).
//
//   node driver.js DEVTOOLS_PORT MODULES_FOLDER
//
// Requests and replies are JSON, one per line, on standard input and output:
//   {"id": 1, "op": "load", "url": "https://...", "timeout_ms": 60000, "fresh_context": false,
//    "clear_cache": true, "live": false}
//   {"id": 1, "ok": true, "har": {...}}      or      {"id": 1, "ok": false, "error": "..."}
//
// Where a load also has "paints": "MODULES_FOLDER_OF_SPEEDLINE" and "pictures": true, its reply has "paints", what the page
// looked like meanwhile (paints.js).
//
//   {"id": 2, "op": "hash", "url": "https://...", "paths": ["/img/000.jpg", ...], "timeout_ms": 60000}
//   {"id": 2, "ok": true, "hashes": {"/img/000.jpg": "<SHA-256>", ...}}
//
//   {"id": 3, "op": "download", "url": "https://.../file-000.bin", "timeout_ms": 60000, "fresh_context": true}
//   {"id": 3, "ok": true, "file": {"status": 200, "protocol": "h3", "ttlb_ms": ..., ...}}
//
//   {"id": 4, "op": "play", "url": "https://.../film.mpd", "player": "MODULES_FOLDER_OF_DASHJS", "seconds": 60,
//    "timeout_ms": 90000, "fresh_context": true}
//   {"id": 4, "ok": true, "session": {"media_s": 57.9, ...}}     (video.js; its tab stays until the next request)
//
//   {"id": 5, "op": "leave"}      {"id": 5, "ok": true}
//
// Like chrome-har-capturer itself, each load has a fresh tab; unlike it, all tabs share the browser's default
// context, so that QUIC can resume with 0-RTT (thesis, section 3.2.3), unless a load asks for a context of its own,
// which makes it cold. The HAR is chrome-har-capturer's own; its page has `_unfinished` besides (requests.js).

const path = require('path');
const readline = require('readline');

const [port, modules] = [Number(process.argv[2]), process.argv[3]];
const CDP = require(path.join(modules, 'chrome-remote-interface'));
const CHC = require(path.join(modules, 'chrome-har-capturer'));
const {download} = require('./download.js');
const {start, stop, paints} = require('./paints.js');
const {follow, nameOf, unfinished, wentTo} = require('./requests.js');
const {play} = require('./video.js');
const address = {host: '127.0.0.1', port, local: true};

const PAGE_EVENTS = ['Page.domContentEventFired', 'Page.loadEventFired'];
const LOGGED = new Set([
    ...PAGE_EVENTS, 'Network.requestWillBeSent', 'Network.dataReceived', 'Network.responseReceived',
    'Network.resourceChangedPriority', 'Network.loadingFinished', 'Network.loadingFailed',
]);
const MOST_NAMED = 4;
const READING_MS = 2000; // for what was told until a time-out

function withTimeout(promise, milliseconds, what) {
    let timer;
    const expiry = new Promise((_, reject) => {
        timer = setTimeout(() => {
            reject(Object.assign(new Error(`${what}: nothing within ${milliseconds} ms`), {expired: true}));
        }, milliseconds);
    });
    return Promise.race([promise, expiry]).finally(() => clearTimeout(timer));
}

// What a page's second client needs: one that only hears when it has its events.
const PAGE_ONLY = CDP.Protocol({local: true}).then(({domains}) => ({domains: domains.filter(({domain}) => domain === 'Page')}));

// A page load from before it is asked for: its `log` and its requests. `over(ms)` waits until the page has both of its events
// and nothing is under way. The events come in either order: a script at the end of a page lets the load event be told first.
//
// What the network stack tells of each request is read when the page has its events, which another client hears of, unless
// it is to be read `live`, as chrome-har-capturer does: seven messages for each object, which take a quarter as much
// processor time as the browser itself does.
function watch(tab, page, live) {
    const [log, awaited, {requests, open, take}] = [[], new Set(PAGE_EVENTS), follow()];
    const fired = Promise.all(PAGE_EVENTS.map((name) => new Promise((resolve) => page.once(name, resolve))));
    const socket = tab._ws._socket;
    const read = () => socket.resume();
    if (!live) {
        socket.pause();
    }
    const done = new Promise((resolve, reject) => {
        tab.on('event', (event) => {
            if (!LOGGED.has(event.method)) {
                return;
            }
            log.push(event);
            take(event);
            awaited.delete(event.method);
            if (awaited.size === 0 && open.size === 0) {
                resolve();
            }
        });
        page.once('disconnect', () => reject(new Error('the browser closed the connection (crashed or killed?)')));
    });
    done.catch(() => {}); // awaited in `over`; a crash during navigate must not be an unhandled rejection
    const lacking = () => [...awaited, ...[...open].map((id) => `end of ${nameOf(requests.get(id))}`)].slice(0, MOST_NAMED);
    const over = async (milliseconds, what) => {
        const until = Date.now() + milliseconds;
        const unlessExpired = (error) => {
            if (!error.expired) {
                throw error;
            }
        };
        await withTimeout(Promise.race([fired, done]), milliseconds, what).catch(unlessExpired);
        read();
        await withTimeout(done, Math.max(until - Date.now(), READING_MS), what).catch(unlessExpired);
        if (awaited.size > 0) { // else the page has its times, and requests that never ended are told
            throw new Error(`${what}: no ${lacking().join(', no ')} within ${milliseconds} ms`);
        }
    };
    return {log, requests, over, read};
}

let lingering = null; // what closes the tab that lingers

// A tab for one operation, in a context of its own or in the browser's. One that `lingers` is closed by the operation `leave`,
// or by the next one: until then its connections stay, and the server can be asked about them.
async function inTab(browser, fresh, operate, lingers = false) {
    await leave();
    const context = fresh ? await browser.Target.createBrowserContext() : {};
    const {targetId} = await browser.Target.createTarget({url: 'about:blank', ...context});
    const tab = await CDP({...address, target: targetId});
    try {
        return await operate(tab);
    } finally {
        lingering = () => close(browser, tab, targetId, fresh ? context : null);
        if (!lingers) {
            await leave();
        }
    }
}

async function leave() {
    const closes = lingering;
    lingering = null;
    if (closes) {
        await closes();
    }
}

async function close(browser, tab, targetId, context) {
    await tab.close().catch(() => {});
    await browser.Target.closeTarget({targetId}).catch(() => {});
    if (context) {
        await browser.Target.disposeBrowserContext(context).catch(() => {});
    }
}

// A context of its own has no sessions to resume; it is left as it was made, empty, until the page is asked for.
async function load(browser, request) {
    const {url, timeout_ms: timeoutMs, fresh_context: fresh, clear_cache: clear, paints: modules, live} = request;
    return inTab(browser, fresh, async (tab) => {
        await Promise.all([tab.Network.enable(), tab.Page.enable()]);
        if (clear) {
            await tab.Network.clearBrowserCache();
        }
        const traced = modules ? await start(tab) : null;
        const page = await CDP({...address, target: tab.webSocketUrl, protocol: await PAGE_ONLY});
        await page.Page.enable();
        const loading = watch(tab, page, live);
        try {
            const {errorText} = await withTimeout(page.Page.navigate({url}), timeoutMs, `navigate to ${url}`);
            if (errorText) {
                throw new Error(`navigate to ${url}: ${errorText}`);
            }
            await loading.over(timeoutMs, `load of ${url}`);
        } finally {
            loading.read(); // a connection that nobody reads takes half a minute to close
            await page.close().catch(() => {});
        }
        const har = await toHar(url, loading);
        if (har.log.pages[0]._unfinished.length > 0) {
            return {har}; // it will not count, and what it looked like may lack what did not arrive
        }
        return traced ? {har, paints: await paints(await stop(tab, traced), url, modules, request.pictures)} : {har};
    });
}

// Runs in the page. A request may meet a connection that its server is just closing: it is made again.
async function hashesInThePage(paths) {
    const found = {};
    const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
    const hash = async (one, tries) => {
        try {
            const answer = await fetch(new URL(encodeURI(one), location.href).href, {cache: 'no-store'});
            if (answer.status !== 200) {
                throw new Error(`status ${answer.status}`);
            }
            found[one] = hex(await crypto.subtle.digest('SHA-256', await answer.arrayBuffer()));
        } catch (error) {
            if (tries === 0) {
                throw new Error(`${one}: ${error.message}`);
            }
            await new Promise((resolve) => setTimeout(resolve, 200));
            await hash(one, tries - 1);
        }
    };
    const waiting = [...paths];
    const work = async () => {
        while (waiting.length > 0) {
            await hash(waiting.shift(), 5);
        }
    };
    await Promise.all([work(), work(), work(), work()]);
    return JSON.stringify(found);
}

async function hashes(browser, {url, paths, timeout_ms: timeoutMs}) {
    return inTab(browser, true, async (tab) => {
        await tab.Page.enable();
        const loaded = tab.Page.loadEventFired();
        const {errorText} = await withTimeout(tab.Page.navigate({url}), timeoutMs, `navigate to ${url}`);
        if (errorText) {
            throw new Error(`navigate to ${url}: ${errorText}`);
        }
        await withTimeout(loaded, timeoutMs, `load of ${url}`);
        const expression = `(${hashesInThePage})(${JSON.stringify(paths)})`;
        const asked = tab.Runtime.evaluate({expression, awaitPromise: true});
        const {result, exceptionDetails} = await withTimeout(asked, timeoutMs, `hashes of ${paths.length} objects`);
        if (exceptionDetails) {
            const {exception, text} = exceptionDetails;
            throw new Error((exception && exception.description) || text);
        }
        return JSON.parse(result.value);
    });
}

const operations = {
    load,
    hash: async (browser, request) => ({hashes: await hashes(browser, request)}),
    download: async (browser, {url, timeout_ms: timeoutMs, fresh_context: fresh}) =>
        ({file: await inTab(browser, fresh, (tab) => withTimeout(download(tab, url), timeoutMs, `fetch of ${url}`))}),
    play: async (browser, request) => ({
        session: await inTab(browser, request.fresh_context,
            (tab) => withTimeout(play(tab, request), request.timeout_ms, `the film at ${request.url}`), true),
    }),
    leave: async () => leave(),
};

// The capturer's HAR, with what it leaves out: requests that did not end well.
async function toHar(url, {log, requests}) {
    const lost = unfinished(requests);
    const own = lost.find(({path}) => path === nameOf({url}));
    if (own) {
        throw new Error(`load of ${url}: the page itself did not arrive: ${own.ended}`);
    }
    const next = wentTo(requests);
    if (next) {
        throw new Error(`load of ${url}: the page went on to ${nameOf(next)} by itself: its times are of neither`);
    }
    const har = CHC.fromLog ? await CHC.fromLog(url, log, {}) : oldHar(url, log);
    har.log.pages[0]._unfinished = lost;
    return har;
}

function oldHar(url, log) {
    const lateMs = startWithTheRequest(log);
    const Page = require(path.join(modules, 'chrome-har-capturer', 'lib', 'page.js'));
    const page = new Page(0, url, null, false);
    log.forEach((event) => page.processMessage(event));
    const har = require(path.join(modules, 'chrome-har-capturer', 'lib', 'har.js')).create([page]);
    har.log.pages[0]._lateMs = lateMs;
    return har;
}

// Chromium 64 stamps the page's own request when the answer is there (browser-side navigation), so that onLoad would
// lack all round trips before it. Its network stack knows when the request really began: `requestTime`. Returns by how
// much the stamp was late, ms.
function startWithTheRequest(log) {
    const sent = log.find(({method}) => method === 'Network.requestWillBeSent');
    const answered = sent && log.find(({method, params}) =>
        method === 'Network.responseReceived' && params.requestId === sent.params.requestId);
    const began = answered && answered.params.response.timing && answered.params.response.timing.requestTime;
    const late = began ? Math.max(0, sent.params.timestamp - began) : 0;
    if (late > 0) {
        sent.params.wallTime -= late;
        sent.params.timestamp = began;
    }
    return late * 1000;
}

function reply(message) {
    process.stdout.write(JSON.stringify(message) + '\n');
}

async function main() {
    const {webSocketDebuggerUrl, Browser} = await CDP.Version(address);
    const browser = await CDP({...address, target: webSocketDebuggerUrl});
    // A request that was under way when the browser died might never be answered: end, and say why.
    const died = () => fail(new Error('the browser closed the connection (crashed or killed?)'));
    browser.once('disconnect', died);
    reply({event: 'ready', browser: Browser});
    for await (const line of readline.createInterface({input: process.stdin})) {
        const request = JSON.parse(line);
        try {
            reply({id: request.id, ok: true, ...await operations[request.op](browser, request)});
        } catch (error) {
            reply({id: request.id, ok: false, error: String(error.message || error)});
        }
    }
    browser.removeListener('disconnect', died);
    await browser.close();
}

function fail(error) {
    reply({event: 'failed', error: String(error.message || error)});
    process.exit(1);
}

main().catch(fail);
