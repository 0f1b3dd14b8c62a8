// Brightness that fits by itself: percentiles of recent levels, eased.

const FORGET = 0.97;

/** Follows the levels of a waterfall, as bytes 0 to 255. */
export class AutoRange {
  private readonly histogram = new Float32Array(256);
  private first = true;
  low = 0;
  high = 255;

  constructor(
    private readonly lowShare = 0.2,
    private readonly highShare = 0.9985,
  ) {}

  /** Counts a row and moves the range towards its percentiles. */
  add(row: Uint8Array): void {
    for (let level = 0; level < 256; level++) this.histogram[level]! *= FORGET;
    for (const level of row) this.histogram[level]! += 1;
    const low = percentile(this.histogram, this.lowShare) - 4;
    const high = Math.max(percentile(this.histogram, this.highShare) + 6, low + 24);
    const ease = this.first ? 1 : 0.08;
    this.low += (low - this.low) * ease;
    this.high += (high - this.high) * ease;
    this.first = false;
  }

  /** Takes the next rows at once, after the band changed. */
  reset(): void {
    this.histogram.fill(0);
    this.first = true;
  }
}

/** The least index at which the counts up to it are `share` of all; 0 where nothing was counted. */
export function percentile(counts: ArrayLike<number>, share: number): number {
  let all = 0;
  for (let k = 0; k < counts.length; k++) all += counts[k]!;
  if (all === 0) return 0;
  let sum = 0;
  for (let k = 0; k < counts.length; k++) {
    sum += counts[k]!;
    if (sum >= share * all) return k;
  }
  return counts.length - 1;
}
