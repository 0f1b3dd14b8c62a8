import { describe, expect, it } from 'vitest';
import { Frames, onFrame } from './canvas';

/** A screen whose frames take so long, and two milliseconds more for each view that is drawn in one. */
function screen(costMs: number) {
  let asked: ((now: number) => void) | undefined;
  let drawn = 0;
  const queue = new Frames(
    (frame) => {
      asked = frame;
      return 1;
    },
    () => (asked = undefined),
  );
  const counts: number[] = [];
  const views = Array.from({ length: 20 }, (_, k) => {
    counts.push(0);
    return onFrame(() => {
      drawn++;
      counts[k]!++;
    }, queue);
  });
  /** Runs for so long with all views wanting to be drawn all the time; gives the gaps between frames. */
  const run = (ms: number) => {
    const gaps: number[] = [];
    for (let now = 0, gap = 0; now < ms; now += gap) {
      for (const view of views) view.request();
      drawn = 0;
      const frame = asked!;
      asked = undefined;
      frame(now);
      gap = Math.max(1000 / 60, drawn * costMs);
      gaps.push(gap);
    }
    return gaps;
  };
  return { run, counts, views, waits: () => asked !== undefined };
}

describe('frames', () => {
  it('draw everything where there is time for it, forty times a second at most', () => {
    const { run, counts } = screen(0.1);
    run(2000);
    for (const count of counts) expect(count).toBeGreaterThanOrEqual(50);
    expect(Math.max(...counts)).toBeLessThanOrEqual(81);
  });

  it('come more than thirty times a second where all views would take longer, and each view has its turn', () => {
    const { run, counts } = screen(3);
    const gaps = run(5000).slice(30);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    expect(1000 / mean).toBeGreaterThan(30);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(5);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(45);
  });

  it('stop when nobody wants to be drawn', () => {
    const { views, waits } = screen(1);
    views[0]!.request();
    views[1]!.request();
    views[0]!.cancel();
    expect(waits()).toBe(true);
    views[1]!.cancel();
    expect(waits()).toBe(false);
  });
});
