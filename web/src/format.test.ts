import { describe, expect, it } from 'vitest';
import { tickLabels, ticks } from './axis';
import { count, duration, hertz, oneLine, percent, si } from './format';

describe('numbers', () => {
  it('have three digits and a prefix', () => {
    expect([2.4e6, 999.9, 0.0123, 0, 1e-15, -45.25e3].map((value) => si(value))).toEqual([
      '2.40 M',
      '1.00 k',
      '12.3 m',
      '0',
      '0.00 n',
      '-45.3 k',
    ]);
    expect(si(12.34e-9, 's')).toBe('12.3 ns');
    expect([12, 12e3].map((value) => si(value, '/s'))).toEqual(['12.0/s', '12.0 k/s']);
    expect(si(Number.NaN)).toBe('–');
    expect(si(undefined)).toBe('–');
  });

  it('of frequencies have digits down to the resolution', () => {
    expect(hertz(1090.012e6, 1000)).toBe('1\u2009090.012 MHz');
    expect(hertz(7000, 10)).toBe('7.00 kHz');
    expect(hertz(50, 1)).toBe('50 Hz');
  });

  it('of time, shares and counts', () => {
    expect([1.24, 65, 3723].map(duration)).toEqual(['1.2 s', '1:05', '1:02:03']);
    expect([0.012, 0.5, 1].map(percent)).toEqual(['1.2 %', '50 %', '100 %']);
    expect(count(1234567)).toBe('1\u2009234\u2009567');
  });

  it('values stand in one line', () => {
    expect([oneLine('a'), oneLine(0.1 + 0.2), oneLine({ a: [1] }), oneLine(undefined)]).toEqual([
      'a',
      '0.3',
      '{"a":[1]}',
      'undefined',
    ]);
  });
});

describe('ticks', () => {
  it('lie within the range at nice steps', () => {
    expect(ticks(-1, 1, 4)).toEqual([-1, -0.5, 0, 0.5, 1]);
    expect(ticks(1, 1, 4)).toEqual([]);
    expect(ticks(0, Infinity, 4)).toEqual([]);
  });

  it('are written with the digits of their step', () => {
    expect(tickLabels([1089.25e6, 1089.5e6, 1089.75e6], 'Hz')).toEqual(['1089.25', '1089.50', '1089.75 MHz']);
    expect(tickLabels([0, 5e-4, 1e-3], 's')).toEqual(['0.0', '0.5', '1.0 ms']);
  });
});
