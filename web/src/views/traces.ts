// The payload of a time frame as lines to draw.
import type { FrameOf } from '../protocol';

export interface Traces {
  x: number[];
  lower: Float32Array[];
  upper: Float32Array[];
}

/** Splits a frame into traces, one after the other in the payload. `span` is the length of the x axis. */
export function timeTraces(frame: FrameOf<'time'>, span: number): Traces {
  const traces = frame.complex ? 2 : 1;
  const length = Math.floor(frame.samples.length / traces);
  const points = frame.pairs ? Math.floor(length / 2) : length;
  const x = Array.from({ length: points }, (_, k) => (k / Math.max(1, points - 1)) * span);
  const lower: Float32Array[] = [];
  const upper: Float32Array[] = [];
  for (let trace = 0; trace < traces; trace++) {
    const values = frame.samples.subarray(trace * length, (trace + 1) * length);
    if (!frame.pairs) {
      lower.push(values);
      upper.push(values);
      continue;
    }
    lower.push(Float32Array.from({ length: points }, (_, k) => values[2 * k]!));
    upper.push(Float32Array.from({ length: points }, (_, k) => values[2 * k + 1]!));
  }
  return { x, lower, upper };
}
