// The page as the command serves it: real graphs, the content policy in force, control, tokens, a command that ends.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { browserPath, launch, on, openPage, until } from './browser.mjs';
import { commandPath, start } from './command.mjs';
import { brightestColumn, drawn } from './pixels.mjs';

const TONES = ['run', 'web/tests/tones.toml'];
const ADSB = ['decode', 'adsb', '--from', 'file:data/adsb/modes1_2Msps.cu8?throttle&repeat'];
const [IQ, HUM] = ['pace.out>shift.in', 'hum_pace.out>hum_sink.in'];
const markers = async (page) => (await page.locator('.markers').allTextContents()).join(' ');
const skip = !browserPath() ? 'no Chromium is installed' : !commandPath() ? 'there is no command with a dashboard' : false;

describe('the page of the command', { skip }, () => {
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser?.close());

  /** Starts the command, opens its page and runs the test; nothing may go wrong in the page. */
  const onCommand = (args, hash, body) => async () => {
    const command = await start(args);
    try {
      const { page, context, wrong } = await openPage(browser, command.urls[0] + hash);
      await body(page, command, wrong);
      assert.deepEqual(wrong, []);
      await context.close();
    } finally {
      await command.stop();
    }
  };
  const tones = (hash, body, more = []) => onCommand([...TONES, '--dashboard=0', ...more], hash, body);

  test(
    'its graph has the numbers of the interface',
    tones('', async (page, command) => {
      await page.waitForSelector('[data-block=tone]');
      assert.equal(await page.locator('[data-block]').count(), 7);
      assert.equal(await page.locator('[data-stream]').count(), 5);
      await until(async () => /item/.test(await page.textContent('[data-block=shift]')), 'a cost');
      const graph = await (await fetch(`${command.urls[0]}api/graphs/1`)).json();
      assert.deepEqual(
        await page.locator('[data-stream]').evaluateAll((all) => all.map((one) => one.dataset.stream).sort()),
        graph.streams.map((stream) => stream.id).sort(),
      );
      await page.waitForSelector('[data-state=running]');
    }),
  );

  test(
    'a tone of 7 kHz lights one column, and the spectrum marks it',
    tones(on(['waterfall', IQ], ['spectrum', IQ]), async (page) => {
      await drawn(page, '.waterfall canvas', 5);
      await until(async () => Math.abs((await brightestColumn(page)) - (0.5 + 7 / 48)) < 0.01, 'the column of 7 kHz');
      await page.focus('.spectrum .drawing');
      await page.keyboard.press('m');
      await until(
        async () => /6\.98 kHz -[6-7]\.\d dBFS/.test(await markers(page)),
        'a marker at the bin below 7 kHz, at half of full scale',
      );
    }),
  );

  test(
    'a change of a parameter shows in the spectrum',
    tones(on(['waterfall', IQ]), async (page) => {
      await drawn(page, '.waterfall canvas', 5);
      await page.click('[data-block=tone]');
      await page.fill('[data-parameter=frequency_hz] input[type=text]', '-12000');
      await page.keyboard.press('Tab');
      await page.waitForSelector('[data-parameter=frequency_hz] >> text=/from item/');
      await until(async () => Math.abs((await brightestColumn(page)) - 0.25) < 0.02, 'the column of -12 kHz');
    }),
  );

  test(
    'each view of a stream is drawn',
    tones(on(['time', IQ], ['constellation', IQ], ['eye', HUM], ['histogram', HUM], ['bits', HUM], ['tags', IQ]), async (page) => {
      await drawn(page, '.time canvas', 3);
      await drawn(page, '.constellation canvas', 10);
      await drawn(page, '.eye canvas', 10);
      await drawn(page, '.histogram canvas', 2);
      await page.locator('.bits').scrollIntoViewIfNeeded();
      await drawn(page, '.bits canvas', 2);
      await page.selectOption('.time select >> nth=1', 'rising');
      await page.waitForSelector('text=● triggered');
    }),
  );

  test(
    'audio plays',
    tones(on(['audio', HUM]), async (page) => {
      await page.click('text=▶ listen');
      await page.waitForSelector('text=/latency [1-9]\\d* ms/');
    }),
  );

  test(
    'a view that a stream does not have says why',
    tones(on(['constellation', HUM]), async (page) => {
      await page.waitForSelector('.panel [role=alert]');
    }),
  );

  test(
    'a zoom comes from the server',
    tones(on(['spectrum', IQ]), async (page) => {
      await drawn(page, '.spectrum canvas', 2);
      const box = await page.locator('.spectrum .u-over').boundingBox();
      await page.mouse.move(box.x + box.width * 0.6, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 4 });
      await page.mouse.up();
      await page.waitForSelector('text=/RBW [5-9]\\.\\d/');
      await page.focus('.spectrum .drawing');
      await until(async () => {
        await page.keyboard.press('c');
        await page.keyboard.press('m');
        return /(6\.99|7\.00)\d kHz/.test(await markers(page));
      }, 'the tone in the zoom');
    }),
  );

  test(
    'ADS-B shows messages, packets, and aircraft on the map',
    onCommand(
      [...ADSB, '--dashboard=0'],
      on(['map', 'message:out'], ['packets', 'message:out'], ['messages', 'message:out']),
      async (page) => {
        await page.waitForSelector('.map .read:has-text("1 seen")', { timeout: 60_000 });
        await drawn(page, '.map canvas', 5);
        await page.waitForSelector('.packets pre:has-text("0000")', { timeout: 60_000 });
        await page.locator('.messages').scrollIntoViewIfNeeded();
        await page.waitForSelector('.messages tbody:has-text("4d2023")', { timeout: 60_000 });
      },
    ),
  );

  const folder = mkdtempSync(join(tmpdir(), 'superhet-'));
  after(() => rmSync(folder, { recursive: true }));
  test(
    'a stream is recorded below the folder',
    tones(
      '',
      async (page) => {
        await page.click(`[data-stream="${IQ}"]`);
        await page.fill('aside input[aria-label="file name"]', 'tone');
        await page.click('text=● record');
        await page.click('text=■ end the recording');
        await until(() => readdirSync(folder).filter((name) => name.startsWith('tone.sigmf')).length === 2, 'data and metadata');
      },
      ['--record-dir', folder],
    ),
  );

  test('who may only look sees no controls', async () => {
    const command = await start([...TONES, '--dashboard=0.0.0.0:0']);
    try {
      const [control, view] = command.urls.map((url) => url.replace('0.0.0.0', '127.0.0.1'));
      for (const [url, may] of [
        [control, true],
        [view, false],
      ]) {
        const { page, context, wrong } = await openPage(browser, url);
        await page.waitForSelector('[data-block=tone]');
        assert.doesNotMatch(page.url(), /token/, 'the token is out of the address');
        assert.equal(await page.locator('button:has-text("■ stop")').count(), may ? 1 : 0);
        assert.equal(await page.locator('text=view only').count(), may ? 0 : 1);
        assert.deepEqual(wrong, []);
        await context.close();
      }
      const { page, context } = await openPage(browser, control.split('#')[0]);
      await page.waitForSelector('.empty:has-text("token")');
      await context.close();
    } finally {
      await command.stop();
    }
  });

  test(
    'a graph that is stopped says so, and starts again with its views',
    tones(on(['waterfall', IQ]), async (page) => {
      await drawn(page, '.waterfall canvas', 5);
      await page.click('text=■ stop');
      await page.waitForSelector('[data-state=ended]');
      await until(async () => !/[1-9]/.test(await page.textContent('.waterfall .rate')), 'nothing comes');
      await page.click('text=▶ start');
      await page.waitForSelector('[data-state=running]');
      await page.waitForSelector('.waterfall .rate:has-text("/s")');
    }),
  );

  test(
    'a receiver opens with the views that it is made for',
    onCommand([...ADSB, '--dashboard=0'], '', async (page) => {
      for (const view of ['spectrum', 'waterfall', 'constellation', 'map']) await page.waitForSelector(`.panel .${view}, .panel.${view}`);
      await drawn(page, '.waterfall canvas', 5);
      for (const close of ['Spectrum', 'Waterfall', 'Constellation', 'Map']) await page.click(`[aria-label="close ${close}"]`);
      await page.reload();
      await page.waitForSelector('[data-block=demod]');
      assert.equal(await page.locator('.panel').count(), 0, 'what was closed stays closed');
    }),
  );

  test('a command that is started again is found again', async () => {
    const first = await start([...TONES, '--dashboard=0']);
    const port = new URL(first.urls[0]).port;
    const { page, context } = await openPage(browser, first.urls[0] + on(['spectrum', IQ]));
    await drawn(page, '.spectrum canvas', 2);
    await first.stop();
    await page.waitForSelector('header [role=alert]');
    const second = await start([...TONES, `--dashboard=${port}`]);
    try {
      await page.waitForSelector('header [role=alert]', { state: 'detached' });
      await page.waitForSelector('.spectrum .rate:has-text("/s")');
    } finally {
      await context.close();
      await second.stop();
    }
  });
});
