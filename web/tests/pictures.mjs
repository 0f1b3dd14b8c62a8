// Takes the pictures of the book, docs/images/dashboard-*.png, of the command: `npm run pictures`.
import { spawn } from 'node:child_process';
import { launch, on, openPage, until } from './browser.mjs';
import { commandPath, ROOT, start } from './command.mjs';

// The recording comes through rtl_tcp, as in `make show`.
const RADIO = '127.0.0.1:12347';
const ADSB = ['decode', 'adsb', '--from', `rtl_tcp://${RADIO}`, '--dashboard=0'];
const TONES = ['run', 'web/tests/tones.toml', '--dashboard=0'];
const [BAND, MAGNITUDE] = ['index_tags.out>channel.in', 'preambles.out>demod.marks'];
const [IQ, HUM] = ['pace.out>shift.in', 'hum_pace.out>hum_sink.in'];

/** Name of the picture, what runs, the views, and what is done first. With one view the picture is of its panel alone. */
const PICTURES = [
  ['graph', ADSB, [], { dark: true, first: (page) => page.click('[data-block=demod]'), viewport: { width: 1180, height: 1060 } }],
  [
    'views',
    ADSB,
    [
      ['spectrum', BAND],
      ['waterfall', BAND],
      ['constellation', BAND],
      ['map', 'message:out'],
    ],
    { seconds: 9 },
  ],
  [
    'spectrum',
    ADSB,
    [['spectrum', BAND]],
    { first: (page) => page.focus('.spectrum .drawing').then(() => page.keyboard.press('m')) },
  ],
  ['waterfall', ADSB, [['waterfall', BAND]], { seconds: 7 }],
  ['time', ADSB, [['time', BAND]], {}],
  ['constellation', ADSB, [['constellation', BAND]], {}],
  ['eye', TONES, [['eye', HUM]], { first: (page) => page.fill('.eye input', '54.5454') }],
  ['histogram', ADSB, [['histogram', BAND]], {}],
  ['bits', ADSB, [['bits', MAGNITUDE]], {}],
  ['tags', ADSB, [['tags', BAND]], { seconds: 12 }],
  ['packets', ADSB, [['packets', 'message:out']], { seconds: 8 }],
  ['map', ADSB, [['map', 'message:out']], { seconds: 12 }],
  ['audio', TONES, [['audio', HUM]], { first: (page) => page.click('text=▶ listen') }],
  ['phone', ADSB, [['spectrum', BAND]], { viewport: { width: 390, height: 844 } }],
];

const only = new Set(process.argv.slice(2));
const radio = spawn(commandPath(), ['serve', 'data/adsb/modes1_2Msps.cu8', '--repeat', '--rtl-tcp', RADIO], {
  cwd: ROOT,
  stdio: ['ignore', 'ignore', 'pipe'],
});
await new Promise((resolve) => radio.stderr.once('data', resolve));
const browser = await launch();
for (const [name, args, panels, { dark, first, seconds = 5, viewport }] of PICTURES) {
  if (only.size > 0 && !only.has(name)) continue;
  const command = await start(args);
  try {
    const options = { colorScheme: dark ? 'dark' : 'light', ...(viewport && { viewport }) };
    const { page, wrong } = await openPage(browser, command.urls[0] + on(...panels), options);
    await page.waitForSelector('[data-block]');
    const alone = panels.length === 1 && !viewport;
    if (alone) await page.locator('.panel').scrollIntoViewIfNeeded();
    await until(
      async () => panels.length === 0 || /\d/.test((await page.locator('.panel .rate').allTextContents()).join('')),
      'frames come',
    );
    await first?.(page);
    await page.waitForTimeout(seconds * 1000);
    const path = `${ROOT}docs/images/dashboard-${name}.png`;
    await (alone ? page.locator('.panel').first() : page).screenshot({ path });
    console.log(path, wrong);
    await page.context().close();
  } finally {
    await command.stop();
  }
}
await browser.close();
radio.kill();
