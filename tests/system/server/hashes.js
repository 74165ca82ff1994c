'use strict';
// node hashes.js DEVTOOLS_PORT MODULES_FOLDER PAGE PATHS...: opens a page in a running Chromium, fetches each path from
// there and prints one JSON object: path -> status, SHA-256 of the body, content type, protocol.
const path = require('path');
const [port, modules, page, ...paths] = process.argv.slice(2);
const CDP = require(path.join(modules, 'chrome-remote-interface'));

async function inThePage(paths) {
    const found = {};
    const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
    for (const one of paths) {
        const url = new URL(encodeURI(one), location.href).href;
        const answer = await fetch(url).catch(() => null);
        if (answer === null) {
            found[one] = {status: 0}; // no answer at all
            continue;
        }
        const body = await answer.arrayBuffer();
        const [entry] = performance.getEntriesByName(url);
        found[one] = {
            status: answer.status,
            sha256: hex(await crypto.subtle.digest('SHA-256', body)),
            kind: answer.headers.get('content-type'),
            cache: answer.headers.get('cache-control'),
            encoding: answer.headers.get('content-encoding'),
            protocol: entry ? entry.nextHopProtocol : null,
        };
    }
    return JSON.stringify(found);
}

async function main() {
    const tab = await CDP({host: '127.0.0.1', port: Number(port), local: true});
    await tab.Page.enable();
    const loaded = tab.Page.loadEventFired();
    await tab.Page.navigate({url: page});
    await loaded;
    const expression = `(${inThePage})(${JSON.stringify(paths)})`;
    const {result, exceptionDetails} = await tab.Runtime.evaluate({expression, awaitPromise: true});
    if (exceptionDetails) {
        throw new Error(JSON.stringify(exceptionDetails));
    }
    process.stdout.write(result.value + '\n');
    await tab.close();
}

main().catch((error) => { console.error(error); process.exit(1); });
