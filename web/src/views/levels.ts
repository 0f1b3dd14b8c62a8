// The dB range of a spectrum: wide enough for noise and peaks, in steps of 10 dB so that it rests.

const STEP_DB = 10;

export class LevelRange {
  low = -120;
  high = 0;
  private fresh = true;

  /** Widens the range at once where levels leave it, and narrows it when they are well inside. */
  add(db: Float32Array): void {
    let least = Infinity;
    let most = -Infinity;
    for (const value of db) {
      if (!Number.isFinite(value)) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    if (least > most) return;
    const low = Math.floor((Math.max(least, most - 140) - 2) / STEP_DB) * STEP_DB;
    const high = Math.ceil((most + 4) / STEP_DB) * STEP_DB;
    this.low = this.fresh ? low : low < this.low ? low : low > this.low + 2 * STEP_DB ? this.low + STEP_DB : this.low;
    this.high = this.fresh ? high : high > this.high ? high : high < this.high - 2 * STEP_DB ? this.high - STEP_DB : this.high;
    this.fresh = false;
  }

  /** Takes the next levels at once. */
  reset(): void {
    this.fresh = true;
  }
}
