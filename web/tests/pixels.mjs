// What a canvas shows.
import { until } from './browser.mjs';

/** How many pixels of a canvas aren't clear, and how many different colours they have. */
export function pixels(page, selector) {
  return page.evaluate((selector) => {
    const canvas = document.querySelector(selector);
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext('2d');
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const colors = new Set();
    let filled = 0;
    for (let k = 0; k < data.length; k += 4) {
      if (data[k + 3] === 0) continue;
      filled++;
      colors.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
    }
    return { filled, colors: colors.size };
  }, selector);
}

/** Waits until a canvas shows so many colours. */
export function drawn(page, selector, colors) {
  return until(async () => {
    if (!(await page.$(selector))) return false;
    const seen = await pixels(page, selector);
    return seen.filled > 500 && seen.colors >= colors;
  }, `${selector} shows ${colors} colours`);
}

/** Where the brightest column of a waterfall's newest rows lies, as a share of its width. */
export function brightestColumn(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector('.waterfall canvas');
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, 4];
    const context = copy.getContext('2d');
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, 4);
    const light = (x) => [0, 1, 2, 3].reduce((sum, y) => sum + data[(y * copy.width + x) * 4 + 1], 0);
    let best = 0;
    for (let x = 0; x < copy.width; x++) if (light(x) > light(best)) best = x;
    return best / copy.width;
  });
}
