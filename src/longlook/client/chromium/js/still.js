'use strict';
// A picture of the film that plays in the only tab of a running Chromium, as WebP in base64 on standard output.
//
//   node still.js DEVTOOLS_PORT MODULES_FOLDER

const path = require('path');

const [port, modules] = [Number(process.argv[2]), process.argv[3]];
const CDP = require(path.join(modules, 'chrome-remote-interface'));
const address = {host: '127.0.0.1', port, local: true};
const QUALITY = 60;

// Runs in the page.
function seenInThePage() {
    const video = document.querySelector('video');
    const {x, y, width, height} = video.getBoundingClientRect();
    return JSON.stringify({plays: !video.paused && video.currentTime > 0, clip: {x, y, width, height, scale: 1}});
}

async function main() {
    const tabs = (await CDP.List(address)).filter(({type, url}) => type === 'page' && url.startsWith('https:'));
    if (tabs.length !== 1) {
        throw new Error(`${tabs.length} tabs of a server, not one`);
    }
    const tab = await CDP({...address, target: tabs[0]});
    const {result, exceptionDetails} = await tab.Runtime.evaluate({expression: `(${seenInThePage})()`});
    const {plays, clip} = exceptionDetails ? {} : JSON.parse(result.value);
    if (!plays) {
        throw new Error('no film plays in it');
    }
    const {data} = await tab.Page.captureScreenshot({format: 'webp', quality: QUALITY, clip});
    await tab.close();
    process.stdout.write(data);
}

main().catch((error) => {
    process.stderr.write(`${error.message || error}\n`);
    process.exit(1); // a tab that is still looked at would keep it
});
