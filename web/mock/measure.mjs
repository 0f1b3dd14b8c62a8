// How many frames a second the page draws with twenty views, of which those on the screen are drawn: ten waterfalls of
// 4096 bins at 60 rows a second, and ten spectra of 4096 bins at 25. The mock has a process of its own.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { launch, openPage } from '../tests/browser.mjs';
import { graph } from './graph.mjs';

const PORT = 8124;
const SECONDS = 10;
const mock = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url)), String(PORT), '--again']);
await new Promise((resolve) => mock.stdout.once('data', resolve));
const browser = await launch();
try {
  const places = [...graph().streams.map((stream) => stream.id), 'radio.out>more.in'].map(encodeURIComponent);
  const panels = places.flatMap((place) => [`waterfall.${place}`, `spectrum.${place}`]);
  for (const [width, height] of [
    [1280, 800],
    [2560, 1500],
  ]) {
    const url = `http://127.0.0.1:${PORT}/#g=1&p=${panels.join(',')}`;
    const { page, context } = await openPage(browser, url, { viewport: { width, height } }, false);
    for (const bins of await page.locator('.settings label:has-text("bins") select').all()) await bins.selectOption('4096');
    for (const rate of await page.locator('.waterfall label:has-text("rows/s") select').all()) await rate.selectOption('60');
    await page.waitForTimeout(3000);
    const heap = () => page.evaluate(() => performance.memory.usedJSHeapSize / 1e6);
    const before = await heap();
    const frames = await page.evaluate(
      (seconds) =>
        new Promise((resolve) => {
          const [begin, times] = [performance.now(), []];
          const frame = (now) => {
            times.push(now);
            if (now - begin < seconds * 1000) requestAnimationFrame(frame);
            else resolve(times.slice(1).map((time, k) => time - times[k]));
          };
          requestAnimationFrame(frame);
        }),
      SECONDS,
    );
    frames.sort((a, b) => a - b);
    const rows = await page.locator('.panel .rate').allTextContents();
    console.log(`${width} x ${height}, views on the screen: ${rows.filter(Boolean).length}, rows a second: ${rows.join(' ')}`);
    console.log(
      `frames a second: ${(frames.length / SECONDS).toFixed(1)}, longest tenth of the gaps from ${frames[Math.floor(frames.length * 0.9)].toFixed(0)} ms`,
    );
    console.log(`JavaScript heap: ${before.toFixed(0)} MB, then ${(await heap()).toFixed(0)} MB`);
    await context.close();
  }
} finally {
  await browser.close();
  mock.kill();
}
