// Frequencies of bins, and the resolution of a spectrum.
import type { Tapped } from '../protocol';

/** Equivalent noise bandwidth of the windows, in bins. Source: Harris, "On the use of windows", 1978, table 1. */
export const WINDOWS: Record<string, number> = { hann: 1.5, hamming: 1.36, blackman: 1.73, blackman_harris: 2.0, rectangular: 1.0 };

export interface Axis {
  /** Frequency of the first bin. */
  first: number;
  /** Frequency from a bin to the next. */
  step: number;
  unit: 'Hz' | '';
}

/** The axis of `bins` bins: in hertz where the rate is known, else in cycles a sample, of a real stream from 0 to 0.5. */
export function axisOf(tapped: Tapped | undefined, bins: number, complex: boolean): Axis {
  const { first_hz: first, last_hz: last } = tapped ?? {};
  if (first == null || last == null || !(last > first) || bins < 2) {
    return complex ? { first: -0.5, step: 1 / bins, unit: '' } : { first: 0, step: 0.5 / bins, unit: '' };
  }
  return { first, step: (last - first) / (bins - 1), unit: 'Hz' };
}

/** Resolution bandwidth: the noise bandwidth of a bin under the window. */
export function resolution(axis: Axis, window: string): number {
  return axis.step * (WINDOWS[window] ?? 1);
}

/** The index of the largest of `values` within `from..to`. */
export function peakIndex(values: ArrayLike<number>, from = 0, to = values.length): number {
  let best = Math.max(0, from);
  for (let k = best; k < Math.min(values.length, to); k++) if (values[k]! > values[best]!) best = k;
  return best;
}
