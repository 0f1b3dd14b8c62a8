// Steps of an axis that people read well, and the labels that go with them.

/** The least step of 1, 2 or 5 times a power of ten that gives at most `most` lines over `span`. */
export function niceStep(span: number, most: number): number {
  const rough = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5]) if (factor * power >= rough * 0.999999) return factor * power;
  return 10 * power;
}

/** Multiples of a nice step within `[low, high]`. */
export function ticks(low: number, high: number, most: number): number[] {
  if (!(high > low) || !Number.isFinite(high - low)) return [];
  const step = niceStep(high - low, most);
  const lines: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) lines.push(k * step);
  return lines;
}

/** Decimal digits that write a step whole, six at most. */
function digitsOf(step: number): number {
  for (let digits = 0; digits < 6; digits++) {
    const whole = step * 10 ** digits;
    if (Math.abs(whole - Math.round(whole)) < 1e-6 * whole) return digits;
  }
  return 6;
}

/** Labels in one unit for all ticks, with as many digits as the step needs. */
export function tickLabels(values: number[], unit: string): string[] {
  const size = Math.max(...values.map(Math.abs), 1e-30);
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : size;
  const [scale, prefix] =
    size >= 1e6 ? [1e6, 'M'] : size >= 1e3 ? [1e3, 'k'] : size >= 1 ? [1, ''] : size >= 1e-3 ? [1e-3, 'm'] : [1e-6, 'µ'];
  const digits = digitsOf(step / scale);
  return values.map((value, k) => {
    const text = (value / scale).toFixed(digits);
    return k === values.length - 1 && (prefix || unit) ? `${text} ${prefix}${unit}` : text;
  });
}
