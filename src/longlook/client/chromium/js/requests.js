'use strict';
// What the network stack says of every request of a tab, as its events come.
//
// `ended` is `whole`, `given up` by the page, or the browser's error; a request that is under way has none.

function follow() {
    const requests = new Map();
    const open = new Set();
    const take = {
        'Network.requestWillBeSent': (_, {requestId, request, timestamp, wallTime, type, frameId}) => {
            const page = type === 'Document' ? frameId : null;
            requests.set(requestId, {url: request.url, sentS: timestamp, offsetS: wallTime - timestamp, page});
            if (overNetwork(request)) {
                open.add(requestId);
            }
        },
        'Network.responseReceived': (one, {response, timestamp}) => Object.assign(one, {response, answeredS: timestamp}),
        'Network.loadingFinished': (one, {timestamp}) => Object.assign(one, {endedS: timestamp, ended: 'whole'}),
        'Network.loadingFailed': (one, {timestamp, errorText, canceled}) =>
            Object.assign(one, {endedS: timestamp, ended: canceled ? 'given up' : errorText}),
    };
    return {
        requests,
        open,
        take: ({method, params}) => {
            const one = take[method] && requests.get(params.requestId);
            if (one || method === 'Network.requestWillBeSent') {
                take[method](one, params);
            }
            if (one && one.ended) {
                open.delete(params.requestId);
            }
        },
    };
}

function overNetwork({url}) {
    return /^https?:/.test(url);
}

// The path as the site has it; as it stands where it is no UTF-8.
function nameOf({url}) {
    const {pathname} = new URL(url);
    try {
        return decodeURIComponent(pathname);
    } catch {
        return pathname;
    }
}

// Requests that a HAR lacks, or has only a part of: without an answer, with a part of one, or without its times, as what
// comes from the memory cache is.
function unfinished(requests) {
    const told = (one) => one.ended !== 'whole' ? one.ended || 'under way' : 'its times are not known';
    return [...requests.values()]
        .filter((one) => overNetwork(one) && !(one.ended === 'whole' && one.response && one.response.timing))
        .map((one) => ({path: nameOf(one), answered: Boolean(one.response), ended: told(one)}));
}

// The page that a page went on to by itself, in the same frame; nothing where it stayed.
function wentTo(requests) {
    const [first, ...rest] = requests.values();
    return rest.find(({page}) => page && page === first.page);
}

module.exports = {follow, nameOf, overNetwork, unfinished, wentTo};
