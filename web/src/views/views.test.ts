import { describe, expect, it } from 'vitest';
import { panelsFromText, panelsToText, viewsFor, type PanelSpec } from '../panels';
import type { FrameOf } from '../protocol';
import { axisOf, peakIndex, resolution } from './axes';
import { bitsToHex, hexDump } from './hex';
import { LevelRange } from './levels';
import { mergeRows, pairs } from './rows.svelte';
import { changed } from './tapping.svelte';
import { timeTraces } from './traces';

describe('panels in the address', () => {
  it('are found back as they were', () => {
    const panels: PanelSpec[] = [
      { view: 'spectrum', stream: 'a, b.out>c:d.in' },
      { view: 'messages', port: { block: 'x:y', port: 'out' } },
    ];
    expect(panelsFromText(panelsToText(panels))).toEqual(panels);
  });

  it('that are none are left out', () => {
    expect(panelsFromText('sing.1,spectrum,,time.a')).toEqual([{ view: 'time', stream: 'a' }]);
  });

  it('views fit the items', () => {
    const names = (item: string) => viewsFor(item).map((view) => view.name);
    expect(names('C32')).toContain('constellation');
    expect(names('C32')).not.toContain('audio');
    expect(names('f32')).toContain('audio');
    expect(names('u8')).toContain('bits');
  });
});

describe('a frame of time', () => {
  const frame = (values: number[], complex: boolean, pairs: boolean) =>
    ({ samples: Float32Array.from(values), complex, pairs }) as FrameOf<'time'>;

  it('of pairs has a lower and an upper line for each trace', () => {
    const { x, lower, upper } = timeTraces(frame([-1, 1, -2, 2, -3, 3, -4, 4], true, true), 10);
    expect(x).toEqual([0, 10]);
    expect(lower.map((line) => [...line])).toEqual([
      [-1, -2],
      [-3, -4],
    ]);
    expect(upper.map((line) => [...line])).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('of samples has one line', () => {
    const { x, lower } = timeTraces(frame([5, 6, 7], false, false), 2);
    expect([x, [...lower[0]!]]).toEqual([
      [0, 1, 2],
      [5, 6, 7],
    ]);
  });
});

describe('a spectrum', () => {
  it('has its frequencies from the answer of the tap', () => {
    const axis = axisOf({ op: 'tapped', id: 1, first_hz: 100, last_hz: 298 }, 100, true);
    expect(axis).toEqual({ first: 100, step: 2, unit: 'Hz' });
    expect(resolution(axis, 'hann')).toBe(3);
    expect(axisOf({ op: 'tapped', id: 1 }, 4, true)).toEqual({ first: -0.5, step: 0.25, unit: '' });
    expect(axisOf(undefined, 4, false)).toEqual({ first: 0, step: 0.125, unit: '' });
  });

  it('finds the peak within a range', () => {
    expect(peakIndex([9, 1, 5, 2], 1)).toBe(2);
    expect(peakIndex([9, 1, 5, 2], -3, 2)).toBe(0);
  });

  it('rests at a range of dB until levels leave it', () => {
    const range = new LevelRange();
    range.add(Float32Array.of(-101, -47));
    expect([range.low, range.high]).toEqual([-110, -40]);
    range.add(Float32Array.of(-95, -52));
    expect([range.low, range.high]).toEqual([-110, -40]);
    range.add(Float32Array.of(-95, -3));
    expect(range.high).toBe(10);
    range.add(Float32Array.of(-Infinity, NaN));
    expect(range.high).toBe(10);
  });
});

describe('hex', () => {
  it('of bits goes from the most significant', () => {
    expect(bitsToHex(Uint8Array.of(1, 0, 1, 0, 0, 0, 0, 1, 1))).toBe('a1');
    expect(bitsToHex(new Uint8Array(20))).toBe('0000 0');
  });

  it('of bytes has offset and text', () => {
    expect(hexDump('414200')).toEqual([{ offset: '0000', bytes: '41 42 00', text: 'AB·' }]);
    expect(hexDump('').length).toBe(0);
    expect(hexDump('00'.repeat(17)).map((line) => line.offset)).toEqual(['0000', '0010']);
  });
});

it('only what changed of a tap is sent', () => {
  const tap = { graph: 1, view: 'spectrum' as const, stream: 'a', bins: 512, zoom: { center_hz: 1, span_hz: 2 } };
  expect(changed(tap, { ...tap, bins: 1024 })).toEqual({ bins: 1024 });
  expect(changed(tap, { ...tap, zoom: null })).toEqual({ zoom: null });
  expect(changed(tap, { ...tap })).toEqual({});
});

it('a target keeps what an earlier message said of it', () => {
  const first = mergeRows(undefined, { key: 'a', kind: 'aircraft', name: 'DLH1', lat: 1, lon: 2, fields: { squawk: 7 } });
  const next = mergeRows(first, { key: 'a', kind: 'aircraft', name: null, lat: 3, lon: 4, heading_deg: 90, fields: { df: 17 } });
  expect(next).toEqual({
    key: 'a',
    kind: 'aircraft',
    name: 'DLH1',
    lat: 3,
    lon: 4,
    heading_deg: 90,
    fields: { squawk: 7, df: 17 },
  });
});

it('a message is shown by its innermost fields', () => {
  expect(pairs({ protocol: 'Mode S', fields: { df: 17, at: [1, 2] } })).toEqual([
    ['protocol', 'Mode S'],
    ['df', '17'],
    ['at', '[1,2]'],
  ]);
  expect(pairs('text')).toEqual([['', 'text']]);
});
