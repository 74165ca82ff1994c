'use strict';
// One file without a page, by a script in a tab.
//
// The script runs in an empty page of the file's origin that DevTools answers for by itself: the file's is the only
// request that leaves. Times are those of the browser's network stack, ms, from when it begins to connect: until the
// request could leave (`connect_ms`), until the head of the answer and its last byte were there.

const EMPTY_PAGE = '<!DOCTYPE html><link rel="icon" href="data:,">';

async function download(tab, url) {
    await openEmptyPage(tab, new URL('/', url).href);
    await tab.Network.enable();
    const told = account(tab, url);
    told.catch(() => {}); // awaited below
    const expression = `(${fetchInThePage})(${JSON.stringify(url)})`;
    const {result, exceptionDetails} = await tab.Runtime.evaluate({expression, awaitPromise: true});
    if (exceptionDetails) {
        const {exception, text} = exceptionDetails;
        const said = new Error(`fetch of ${url}: ${(exception && exception.description) || text}`);
        await Promise.race([told, Promise.reject(said)]); // the network stack knows why, where it was the network
        throw said;
    }
    return {...await told, ...JSON.parse(result.value)};
}

async function openEmptyPage(tab, url) {
    await Promise.all([tab.Page.enable(), tab.Fetch.enable({patterns: [{urlPattern: '*'}]})]);
    const answer = {
        responseCode: 200,
        responseHeaders: [{name: 'Content-Type', value: 'text/html'}],
        body: Buffer.from(EMPTY_PAGE).toString('base64'),
    };
    tab.Fetch.requestPaused(({requestId}) => tab.Fetch.fulfillRequest({requestId, ...answer}).catch(() => {}));
    const loaded = tab.Page.loadEventFired();
    const {errorText} = await tab.Page.navigate({url});
    if (errorText) {
        throw new Error(`an empty page at ${url}: ${errorText}`);
    }
    await loaded;
    await tab.Fetch.disable();
}

// Runs in the page. The hash is taken when the file is there, after its time.
async function fetchInThePage(url) {
    const answer = await fetch(url, {cache: 'no-store'});
    const body = await answer.arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
    const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return JSON.stringify({size: body.byteLength, sha256});
}

// What the network stack says of the request for `url`, once it is over.
function account(tab, url) {
    return new Promise((resolve, reject) => {
        let id, response;
        const take = {
            'Network.responseReceived': (params) => { response = params.response; },
            'Network.loadingFinished': ({timestamp}) => resolve(timesOf(response, timestamp)),
            'Network.loadingFailed': ({errorText}) => reject(new Error(`fetch of ${url}: ${errorText}`)),
        };
        tab.on('event', ({method, params}) => {
            if (method === 'Network.requestWillBeSent' && params.request.url === url) {
                id = params.requestId;
            } else if (id !== undefined && params.requestId === id && take[method]) {
                try {
                    take[method](params);
                } catch (error) {
                    reject(error);
                }
            }
        });
        tab.once('disconnect', () => reject(new Error('the browser closed the connection (crashed or killed?)')));
    });
}

// `requestTime` and `lastS` are seconds of one clock, the other times ms after `requestTime`; -1 is no time.
function timesOf({status, protocol, connectionId, headers, timing}, lastS) {
    const {requestTime, connectStart, sendStart, receiveHeadersEnd} = timing;
    if (connectStart < 0) {
        throw new Error('no connection was opened for it');
    }
    return {
        status,
        protocol,
        socket: connectionId,
        encoding: headers['content-encoding'] || headers['Content-Encoding'] || null,
        connect_ms: sendStart - connectStart,
        ttfb_ms: receiveHeadersEnd - connectStart,
        ttlb_ms: (lastS - requestTime) * 1000 - connectStart,
    };
}

module.exports = {download, openEmptyPage};
