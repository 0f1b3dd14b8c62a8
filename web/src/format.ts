// Numbers as text: SI prefixes, frequencies, durations.

const PREFIXES: [number, string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
];
/** Stands for a number that isn't known. */
export const UNKNOWN = '–';

/** A number to three significant digits with an SI prefix, such as `2.40 M`. */
export function si(value: number | null | undefined, unit = ''): string {
  if (value == null || !Number.isFinite(value)) return UNKNOWN;
  if (value === 0) return join('0', '', unit);
  const size = Math.abs(value);
  const [scale, prefix] = PREFIXES.find(([limit]) => size >= limit * 0.9995) ?? PREFIXES[PREFIXES.length - 1]!;
  const scaled = size / scale;
  const digits = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  const number = (Math.sign(value) * scaled).toFixed(digits);
  return join(number, prefix, unit);
}

function join(number: string, prefix: string, unit: string): string {
  const suffix = prefix + unit;
  return suffix && !suffix.startsWith('/') ? `${number} ${suffix}` : number + suffix;
}

/** A rate of items, such as `2.40 M items/s`. */
export function itemRate(value: number): string {
  return `${si(value)} items/s`;
}

/** A frequency with digits down to `resolutionHz`, such as `1 090.012 MHz`. */
export function hertz(value: number, resolutionHz = 1): string {
  const size = Math.max(Math.abs(value), resolutionHz);
  const [scale, unit] = size >= 1e6 ? [1e6, 'MHz'] : size >= 1e3 ? [1e3, 'kHz'] : [1, 'Hz'];
  const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(scale / resolutionHz))));
  return `${group((value / scale).toFixed(digits))} ${unit}`;
}

/** Groups the digits before the point by thin spaces. */
export function group(text: string): string {
  const [whole, rest] = text.split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/** A whole number with grouped digits. */
export function count(value: number): string {
  return group(String(Math.round(value)));
}

/** A share, 0 to 1, in percent. */
export function percent(share: number | null | undefined): string {
  if (share == null || !Number.isFinite(share)) return UNKNOWN;
  const value = share * 100;
  return `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
}

/** Seconds as `12.3 s`, `4:05` or `1:02:03`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** A value of a tag, message or parameter in one line. */
export function oneLine(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toPrecision(9)));
  return JSON.stringify(value) ?? String(value);
}
