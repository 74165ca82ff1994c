'use strict';
// A film that dash.js plays in a tab for a while, and what came of it.
//
// The player runs in an empty page of the film's origin (download.js): the manifest and the segments are the only requests
// that leave. Times are ms from when the player is given the manifest's address.
//
//   {"session_ms": 60000.2, "media_s": 57.9, "frames": 1390, "frames_dropped": 0,
//    "events": [[812.4, "playing"], [9120.3, "waiting"], ...], "timeline": [[0.1, 0, 0], [500.2, 0.1, 3.9], ...],
//    "errors": [[12000.1, "..."]], "requests": [{"path": "/film/145/000.m4s", "status": 200, "sha256": "...", ...}]}
//
// A row of the timeline is the time, where in the film the player is and how much of it is there from then on, s.

const fs = require('fs');
const path = require('path');
const {openEmptyPage} = require('./download.js');
const {follow, nameOf, overNetwork} = require('./requests.js');

const EVERY_MS = 500;

async function play(tab, {url, player, seconds}) {
    await openEmptyPage(tab, new URL('/', url).href);
    await tab.Network.enable();
    const seen = watch(tab);
    const source = fs.readFileSync(path.join(player, 'dashjs', 'dist', 'modern', 'umd', 'dash.all.min.js'), 'utf8');
    await run(tab, `${source}; 0`);
    const told = JSON.parse(await run(tab, `(${playInThePage})(${JSON.stringify(url)}, ${seconds}, ${EVERY_MS})`));
    const {began_ms: beganMs, bodies, ...rest} = told;
    return {...rest, requests: requestsOf(seen(), beganMs, bodies)};
}

async function run(tab, expression) {
    const {result, exceptionDetails} = await tab.Runtime.evaluate({expression, awaitPromise: true});
    if (exceptionDetails) {
        const {exception, text} = exceptionDetails;
        throw new Error(`the player: ${(exception && exception.description) || text}`);
    }
    return result.value;
}

// Runs in the page. Bodies are hashed as they come; one that the player gave up has none.
async function playInThePage(url, seconds, everyMs) {
    const began = performance.now();
    const now = () => Math.round((performance.now() - began) * 1000) / 1000;
    const video = document.body.appendChild(document.createElement('video'));
    video.muted = true; // or it may not begin by itself
    const [events, timeline, errors, bodies] = [[], [], [], []];
    for (const name of ['playing', 'waiting', 'ended']) {
        video.addEventListener(name, () => events.push([now(), name]));
    }
    const ahead = () => {
        const {buffered, currentTime: at} = video;
        const parts = [...Array(buffered.length).keys()].filter((one) => buffered.start(one) <= at + 0.1);
        return Math.max(0, ...parts.map((one) => buffered.end(one) - at));
    };
    const look = () => timeline.push([now(), video.currentTime, ahead()]);
    const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
    const player = window.dashjs.MediaPlayer().create();
    player.addResponseInterceptor((response) => {
        const {data, status} = response;
        if (data && status === 200) {
            const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data);
            const body = {path: new URL(response.url, url).pathname, size: bytes.byteLength};
            bodies.push(crypto.subtle.digest('SHA-256', bytes).then((digest) => ({...body, sha256: hex(digest)})));
        }
        return Promise.resolve(response);
    });
    player.on(window.dashjs.MediaPlayer.events.ERROR, ({error}) => errors.push([now(), String(error.message || error)]));
    player.updateSettings({debug: {logLevel: 0}});
    player.initialize(video, url, true);
    look();
    const timer = setInterval(look, everyMs);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    clearInterval(timer);
    look();
    const {totalVideoFrames: frames, droppedVideoFrames: dropped} = video.getVideoPlaybackQuality();
    const told = {
        session_ms: timeline[timeline.length - 1][0],
        media_s: video.currentTime,
        frames,
        frames_dropped: dropped,
        began_ms: performance.timeOrigin + began,
        events: [...events],
        timeline,
        errors: [...errors],
        bodies: await Promise.all([...bodies]),
    };
    player.destroy();
    return JSON.stringify(told);
}

// Every request over the network until it is asked.
function watch(tab) {
    const {requests, take} = follow();
    tab.on('event', take);
    return () => [...requests.values()].filter(overNetwork);
}

// `ended` is `whole`, `given up` by the player, `under way` at the end of the session, or the browser's error.
function requestsOf(seen, beganMs, bodies) {
    const toMs = (one, timestamp) => Math.round(((timestamp + one.offsetS) * 1000 - beganMs) * 1000) / 1000;
    return seen.map((one) => {
        const name = nameOf(one);
        const {response, ended = 'under way'} = one;
        const at = ended === 'whole' ? bodies.findIndex((body) => body.path === name) : -1;
        const body = at < 0 ? {} : bodies.splice(at, 1)[0];
        const told = {path: name, ended, sent_ms: toMs(one, one.sentS)};
        if (one.endedS !== undefined) {
            told.ended_ms = toMs(one, one.endedS);
        }
        if (response) {
            const {connectStart, sendStart} = response.timing || {connectStart: -1};
            Object.assign(told, {
                status: response.status,
                protocol: response.protocol,
                socket: response.connectionId,
                answered_ms: toMs(one, one.answeredS),
                encoding: response.headers['content-encoding'] || response.headers['Content-Encoding'] || null,
                cached: Boolean(response.fromDiskCache),
            });
            if (connectStart >= 0) {
                told.connect_ms = Math.round((sendStart - connectStart) * 1000) / 1000;
            }
        }
        return 'sha256' in body ? {...told, size: body.size, sha256: body.sha256} : told;
    });
}

module.exports = {play};
