'use strict';
// What a page looked like while it loaded, from the browser's own trace of one tab: screenshots, first and largest
// contentful paint. The Speed Index is speedline-core's, asked as Lighthouse asks it (core/computed/speedline.js of
// lighthouse 12.8.1): its fast mode, from the navigation's start.
//
//   {"speed_index_ms": 812.4, "fcp_ms": 120.1, "lcp_ms": 560.3, "complete_ms": 900.7,
//    "progress": [[0, 0], [131.2, 38], ...], "pictures": [[131.2, "<JPEG, base64>"], ...]}
//
// Times are from the navigation's start, progress is in %. Pictures are thumbnails, where they are asked for.

const path = require('path');

const CATEGORIES = ['loading', 'blink.user_timing', 'disabled-by-default-devtools.screenshot'];
const SCREENSHOT = 'Screenshot';
const SETTLE_MS = 400;       // after the load: for the last frame to be drawn and seen
const COMPLETE_MS = 20000;   // for the browser to hand its trace over
const THUMB_WIDTH = 160;
const THUMB_QUALITY = 45;
const THUMB_POINTS = 3;      // of progress between two thumbnails
const MOST_THUMBS = 24;

async function start(tab) {
    const events = [];
    tab.Tracing.dataCollected(({value}) => events.push(...value));
    await tab.Tracing.start({transferMode: 'ReportEvents', traceConfig: {includedCategories: CATEGORIES,
        excludedCategories: ['*'], recordMode: 'recordUntilFull'}});
    return events;
}

async function stop(tab, events) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const whole = new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no whole trace within ${COMPLETE_MS} ms`)), COMPLETE_MS);
        tab.Tracing.tracingComplete(({dataLossOccurred: lost}) => {
            clearTimeout(timer);
            lost ? reject(new Error('the browser lost a part of its trace')) : resolve();
        });
    });
    await tab.Tracing.end();
    await whole;
    return events;
}

function navigation(events, url) {
    const found = events.filter(({name, args}) => name === 'navigationStart' && args.data &&
        args.data.documentLoaderURL === url);
    if (found.length !== 1) {
        throw new Error(`the trace has ${found.length} navigations to ${url}, not one`);
    }
    return found[0];
}

// The last event of a name in the navigation's process and frame, ms after it; LCP's last candidate is the one.
function paintMs(events, name, start) {
    const own = events.filter((one) => one.name === name && one.pid === start.pid && one.ts >= start.ts &&
        (!one.args.frame || one.args.frame === start.args.frame));
    if (own.length === 0) {
        throw new Error(`the trace has no ${name}`);
    }
    return (Math.max(...own.map(({ts}) => ts)) - start.ts) / 1000;
}

function thumbnail(jpeg, image) {
    const height = Math.round(image.height * THUMB_WIDTH / image.width);
    const data = Buffer.alloc(THUMB_WIDTH * height * 4, 255);
    const [dx, dy] = [image.width / THUMB_WIDTH, image.height / height];
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < THUMB_WIDTH; x++) {
            const [x0, y0] = [Math.floor(x * dx), Math.floor(y * dy)];
            const [x1, y1] = [Math.max(x0 + 1, Math.floor((x + 1) * dx)), Math.max(y0 + 1, Math.floor((y + 1) * dy))];
            for (let channel = 0; channel < 3; channel++) {
                let sum = 0;
                for (let j = y0; j < y1; j++) {
                    for (let i = x0; i < x1; i++) {
                        sum += image.data[(j * image.width + i) * 4 + channel];
                    }
                }
                data[(y * THUMB_WIDTH + x) * 4 + channel] = sum / ((x1 - x0) * (y1 - y0));
            }
        }
    }
    return jpeg.encode({data, width: THUMB_WIDTH, height}, THUMB_QUALITY).data.toString('base64');
}

// The first frame of every few points of progress, and the last one.
function pictures(frames, jpeg) {
    let points = THUMB_POINTS;
    let kept;
    do {
        let shown = -Infinity;
        kept = frames.filter(({progress}, place) => {
            const is = place === frames.length - 1 || progress >= shown + points;
            shown = is ? progress : shown;
            return is;
        });
        points++;
    } while (kept.length > MOST_THUMBS);
    return kept.map(({ms, frame}) => [ms, thumbnail(jpeg, frame.getParsedImage())]);
}

async function paints(events, url, modules, wanted) {
    const speedline = require(path.join(modules, 'speedline-core'));
    const jpeg = require(path.join(modules, 'jpeg-js'));
    const start = navigation(events, url);
    const own = events.filter(({name, ts}) => name !== SCREENSHOT || ts >= start.ts);
    const told = await speedline(own, {timeOrigin: start.ts, fastMode: true, include: 'speedIndex'});
    const frames = told.frames.map((frame) =>
        ({ms: Math.round((frame.getTimeStamp() - told.beginning) * 1000) / 1000, progress: frame.getProgress(), frame}));
    return {
        speed_index_ms: told.speedIndex,
        fcp_ms: paintMs(own, 'firstContentfulPaint', start),
        lcp_ms: paintMs(own, 'largestContentfulPaint::Candidate', start),
        complete_ms: frames.find(({progress}) => progress >= 100).ms,
        progress: frames.map(({ms, progress}) => [ms, progress]),
        pictures: wanted ? pictures(frames, jpeg) : [],
    };
}

module.exports = {start, stop, paints};
