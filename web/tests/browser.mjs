// A browser for the tests: Debian's chromium-headless-shell or a chromium, without a download of its own.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The path of a browser, or nothing where none is installed. `CHROMIUM` names one. */
export function browserPath() {
  const named = process.env.CHROMIUM;
  if (named) return named;
  const folders = (process.env.PATH ?? '').split(':');
  return NAMES.flatMap((name) => folders.map((folder) => `${folder}/${name}`)).find((path) => existsSync(path));
}

export function launch() {
  return chromium.launch({
    executablePath: browserPath(),
    args: [
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-gpu-compositing',
      '--disable-gpu-rasterization',
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
}

/** Runs in the page: lets canvases of WebGL keep their pixels after they were shown, so that a test can read them. */
function keepPixels() {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, settings) {
    return getContext.call(this, kind, kind === 'webgl2' ? { ...settings, preserveDrawingBuffer: true } : settings);
  };
}

/** Opens a page and keeps what goes wrong in it: errors, console messages, requests to other hosts. `readable`: its canvases can be read. */
export async function openPage(browser, url, options = {}, readable = true) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  if (readable) await page.addInitScript(keepPixels);
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(`page: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text()))
      wrong.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'blob:' && host !== new URL(url).host) wrong.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, wrong };
}

/** The part of the page's address that opens views, each given as its name and its stream or `block:port`. */
export function on(...panels) {
  const texts = panels.map(([view, place]) => `${view}.${place.includes('>') ? encodeURIComponent(place) : place}`);
  return `#g=1&p=${texts.join(',')}`;
}

/** Waits until `condition` gives something, a minute at most. */
export async function until(condition, what) {
  const end = Date.now() + 60_000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`after a minute still not: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
