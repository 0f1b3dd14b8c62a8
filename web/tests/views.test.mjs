// The page against the mock of its server: each view by its DOM and pixels, control, loss of the connection, a hidden page.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { serve } from '../mock/server.mjs';
import { browserPath, launch, on, openPage, until } from './browser.mjs';
import { brightestColumn, drawn } from './pixels.mjs';

const STREAM = {
  iq: 'radio.out>channel.in',
  symbols: 'lowpass.out>symbols.in',
  real: 'audio.out>file.in',
  bytes: 'preambles.out>demod.marks',
};

describe('the dashboard', { skip: browserPath() ? false : 'no Chromium is installed' }, () => {
  let server, browser;
  before(async () => {
    server = await serve(0);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  /** Opens the page at a hash, runs the test, and asserts that nothing went wrong in it. */
  const onPage = (hash, body, options) => async () => {
    const { page, context, wrong } = await openPage(browser, server.url + hash, options);
    try {
      await body(page);
      assert.deepEqual(wrong, []);
    } finally {
      await context.close();
    }
  };

  test(
    'the graph has each block with its numbers, and names the bottleneck',
    onPage('', async (page) => {
      await page.waitForSelector('[data-block=demod]');
      assert.equal(await page.locator('[data-block]').count(), 10);
      assert.equal(await page.locator('[data-stream]').count(), 9);
      await until(
        async () => /ns\/item[\s\S]*calls\/s[\s\S]*%/.test(await page.textContent('[data-block=lowpass]')),
        'numbers on a block',
      );
      assert.match(await page.getAttribute('[data-block=demod]', 'aria-label'), /the bottleneck/);
      assert.match(await page.textContent('header'), /demod bounds this at/);
      const place = () => page.getAttribute('[data-block=demod]', 'transform');
      const [before, text] = [await place(), await page.textContent('[data-block=demod]')];
      await until(async () => (await page.textContent('[data-block=demod]')) !== text, 'numbers change');
      assert.equal(await place(), before, 'metrics move no block');
    }),
  );

  test(
    'gaps show at any size, and a block that waits outside has no load',
    onPage('', async (page) => {
      const radio = () => page.textContent('[data-block=radio]');
      await page.waitForSelector('[data-block=radio]:has-text("▲")');
      for (const _ of [1, 2, 3, 4]) await page.click('[aria-label=larger]');
      await until(async () => /▲ \d+ gap/.test(await radio()), 'gaps in words');
      assert.match(await radio(), /waits outside/);
      assert.doesNotMatch(await radio(), /%|s\/item/);
      const stream = page.locator(`[data-stream="${STREAM.iq}"]`);
      assert.match(await stream.textContent(), /#1\.5/);
      const fill = (selector) => page.locator(selector).first().evaluate((shape) => getComputedStyle(shape).fill);
      assert.equal(await fill(`[data-stream="${STREAM.iq}"] rect`), await fill('[data-block=radio] .body'), 'a label looks like a block');
    }),
  );

  test(
    'the keyboard reaches blocks and streams, and shows its shortcuts',
    onPage('', async (page) => {
      await page.waitForSelector('[data-block=radio]');
      await page.keyboard.press('g');
      await page.keyboard.press('Enter');
      await page.waitForSelector('aside h2:text-is("radio")');
      await page.keyboard.press('Escape');
      await page.waitForSelector('aside', { state: 'detached' });
      await page.keyboard.press('?');
      await page.waitForSelector('dialog[open] kbd');
      await page.keyboard.press('Escape');
      await page.keyboard.press('d');
      await page.waitForSelector('html.dark');
    }),
  );

  test(
    'a click on a stream offers views, and one opens',
    onPage('', async (page) => {
      await page.click(`[data-stream="${STREAM.symbols}"]`);
      await page.click('aside button:has-text("Constellation")');
      await drawn(page, '.constellation canvas', 20);
      assert.match(page.url(), /p=constellation\./);
      await page.click('[aria-label="close Constellation"]');
      await until(() => server.taps() === 0, 'the tap is gone');
    }),
  );

  test(
    'a spectrum has hold, resolution, markers and zoom',
    onPage(on(['spectrum', STREAM.iq]), async (page) => {
      await drawn(page, '.spectrum canvas', 3);
      await page.waitForSelector('text=RBW 2.93 kHz');
      await page.focus('.spectrum .drawing');
      await page.keyboard.press('m');
      const marker = page.locator('.markers li').first();
      await until(
        async () => /1.090\.00\d+ MHz -\d+\.\d dBFS/.test((await marker.textContent()) ?? ''),
        'the marker is on the tone 7 kHz above the centre',
      );
      const box = await page.locator('.spectrum .u-over').boundingBox();
      await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 });
      await page.mouse.up();
      await page.waitForSelector('text=⤺ whole band');
      const zoom = server.seen.findLast((message) => message.op === 'change' && message.zoom)?.zoom;
      assert.ok(Math.abs(zoom.span_hz - 400e3) < 20e3, `span ${zoom.span_hz}`);
      await page.waitForSelector('text=/RBW 5\\d\\d/');
    }),
  );

  test(
    'a waterfall shows the strongest station as the brightest column',
    onPage(on(['waterfall', STREAM.iq]), async (page) => {
      await drawn(page, '.waterfall canvas', 60);
      const share = await brightestColumn(page);
      assert.ok(
        Math.abs(share - (0.5 + 7e3 / 2e6)) < 0.012 || Math.abs(share - (0.5 + 421e3 / 2e6)) < 0.012,
        `brightest at ${share}`,
      );
      await page.selectOption('.waterfall select >> nth=2', 'magma');
      const [picture] = await Promise.all([page.waitForEvent('download'), page.click('text=PNG')]);
      assert.match(picture.suggestedFilename(), /^waterfall-.*\.png$/);
    }),
  );

  test(
    'time has a trigger',
    onPage(on(['time', STREAM.iq]), async (page) => {
      await drawn(page, '.time canvas', 3);
      await page.selectOption('.time select >> nth=1', 'rising');
      await page.waitForSelector('text=● triggered');
    }),
  );

  test(
    'eye, histogram and bits are drawn',
    onPage(on(['eye', STREAM.real], ['histogram', STREAM.real], ['bits', STREAM.bytes]), async (page) => {
      await drawn(page, '.eye canvas', 20);
      await drawn(page, '.histogram canvas', 2);
      await page.locator('.bits').scrollIntoViewIfNeeded();
      await drawn(page, '.bits canvas', 2);
      await until(async () => /^([0-9a-f]{4} ?)+$/.test((await page.textContent('.bits p')) ?? ''), 'hex');
    }),
  );

  test(
    'logs are filtered and held',
    onPage(on(['messages', 'demod:messages'], ['tags', STREAM.iq]), async (page) => {
      await until(async () => (await page.locator('.messages tbody tr').count()) > 3, 'rows');
      await page.fill('.messages input[type=search]', '3c6587');
      await until(
        async () => (await page.locator('.messages tbody tr').allTextContents()).every((text) => text.includes('3c6587')),
        'the filter',
      );
      await page.click('.messages button:text-is("hold")');
      const rows = await page.locator('.messages tbody tr').count();
      const count = await page.textContent('.messages .read');
      await until(async () => (await page.textContent('.messages .read')) !== count, 'the count goes on');
      assert.equal(await page.locator('.messages tbody tr').count(), rows);
      await until(async () => /gap|rx_freq/.test((await page.textContent('.tags tbody')) ?? ''), 'tags');
    }),
  );

  test(
    'a packet is shown as hex with its fields',
    onPage(on(['packets', 'demod:messages']), async (page) => {
      await page.locator('.packets li button').first().click();
      assert.match(await page.textContent('.packets pre'), /^0000 +8d [0-9a-f ]+/);
      assert.match(await page.textContent('.packets dl'), /icao/);
    }),
  );

  test(
    'the map shows aircraft',
    onPage(on(['map', 'decode:messages']), async (page) => {
      await drawn(page, '.map canvas', 10);
      await page.waitForSelector('text=4 seen');
      await page.selectOption('.map select', '3c6587');
      await page.waitForSelector('.map dl:has-text("altitude")');
    }),
  );

  test(
    'audio plays and says its latency',
    onPage(on(['audio', STREAM.real]), async (page) => {
      await page.click('text=▶ listen');
      await page.waitForSelector('text=/latency [1-9]\\d* ms/');
    }),
  );

  test(
    'a parameter is set, and says from which item on',
    onPage('', async (page) => {
      await page.click('[data-block=radio]');
      await page.fill('[data-parameter=gain_db] input[type=text]', '20.5');
      await page.keyboard.press('Tab');
      await page.waitForSelector('[data-parameter=gain_db] >> text=/from item/');
      const set = server.seen.findLast((seen) => seen.path?.endsWith('/set'));
      assert.deepEqual(JSON.parse(set.body), { block: 'radio', parameter: 'gain_db', value: 20.5 });
      assert.ok(await page.isDisabled('[data-parameter=uri] input'));
      await page.check('[data-parameter=agc] input');
      await until(() => server.seen.some((seen) => seen.body?.includes('"agc","value":true')), 'the switch');
    }),
  );

  test(
    'a view that the server refuses says why',
    onPage(on(['bits', STREAM.iq]), async (page) => {
      await page.waitForSelector('[role=alert]:has-text("needs a stream of u8")');
    }),
  );

  test(
    'a lost connection comes back with its views',
    onPage(on(['spectrum', STREAM.iq]), async (page) => {
      await drawn(page, '.spectrum canvas', 3);
      const taps = () => server.seen.filter((seen) => seen.op === 'tap').length;
      const before = taps();
      server.drop();
      await until(() => taps() > before, 'the tap is asked for again');
      await page.waitForSelector('text=connection lost', { state: 'detached' });
      await page.waitForSelector('.spectrum .rate:has-text("/s")');
    }),
  );

  test(
    'nothing is sent for what is not seen',
    onPage(
      on(['spectrum', STREAM.iq], ['time', STREAM.iq], ['eye', STREAM.real], ['histogram', STREAM.real], ['waterfall', STREAM.iq]),
      async (page) => {
        await drawn(page, '.spectrum canvas', 3);
        await until(() => server.taps() === 4, 'four of five panels are on the screen');
        await page.keyboard.press('p');
        await until(() => server.taps() === 0, 'a hold takes all taps away');
        await page.keyboard.press('p');
        await until(() => server.taps() === 4, 'they come back');
        await page.evaluate(() => {
          Object.defineProperty(document, 'hidden', { value: true, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        });
        await until(() => server.paused(), 'a hidden page pauses');
        await page.evaluate(() => {
          Object.defineProperty(document, 'hidden', { value: false });
          document.dispatchEvent(new Event('visibilitychange'));
        });
        await until(() => !server.paused(), 'and goes on');
      },
      { viewport: { width: 1280, height: 760 } },
    ),
  );

  test(
    'all graphs are listed, with the error of one that failed',
    onPage('', async (page) => {
      await page.waitForSelector('[data-block=radio]');
      await page.click('.graph-name');
      await page.waitForSelector('dialog[open] >> text=ends within a sample');
    }),
  );

  test(
    'a phone shows the graph above the views',
    onPage(
      on(['spectrum', STREAM.iq]),
      async (page) => {
        await drawn(page, '.spectrum canvas', 3);
        const { width } = await page.locator('.panel').boundingBox();
        assert.ok(width <= 390 && width > 340, `panel of ${width}`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      },
      { viewport: { width: 390, height: 844 } },
    ),
  );

  test(
    'a graph that ends says so, and starts again',
    onPage('', async (page) => {
      await page.waitForSelector('[data-state=running]');
      server.change(1, 'failed', 'block radio: the connection was closed');
      await page.waitForSelector('[data-state=failed]');
      await page.waitForSelector('[role=status] >> text=the connection was closed');
      await page.click('text=▶ start');
      await page.waitForSelector('[data-state=running]');
    }),
  );
});
