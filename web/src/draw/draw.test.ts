import { describe, expect, it } from 'vitest';
import { PALETTES, paletteBytes } from '../palette';
import { Density } from './density';
import { bearing, decodeLine, project, unproject } from './mercator';
import { AutoRange, percentile } from './range';
import { largest, least } from './thin';

describe('palettes', () => {
  it('begin and end at their stops, in whole colours', () => {
    const bytes = paletteBytes('viridis');
    expect([...bytes.slice(0, 4)]).toEqual([0x44, 0x01, 0x54, 255]);
    expect([...bytes.slice(-4)]).toEqual([0xfd, 0xe7, 0x25, 255]);
  });

  it('grow lighter from the lowest to the highest level', () => {
    for (const name of PALETTES) {
      const bytes = paletteBytes(name);
      const light = (level: number) => 0.2126 * bytes[level * 4]! + 0.7152 * bytes[level * 4 + 1]! + 0.0722 * bytes[level * 4 + 2]!;
      for (let level = 8; level < 256; level += 8) expect(light(level), `${name} at ${level}`).toBeGreaterThan(light(level - 8));
    }
  });
});

describe('the range of a waterfall', () => {
  it('spans noise and signal, whatever a single row says', () => {
    const range = new AutoRange();
    const row = new Uint8Array(1024).fill(80);
    row.fill(200, 500, 510);
    for (let k = 0; k < 200; k++) range.add(row);
    expect(range.low).toBeCloseTo(76, 0);
    expect(range.high).toBeCloseTo(206, 0);
    range.add(new Uint8Array(1024).fill(255));
    expect(range.high).toBeLessThan(212);
    range.reset();
    range.add(new Uint8Array(1024).fill(20));
    expect(range.low).toBeCloseTo(16, 0);
  });

  it('percentiles of counts', () => {
    expect(percentile([0, 5, 0, 5], 0.5)).toBe(1);
    expect(percentile([0, 5, 0, 5], 0.51)).toBe(3);
    expect(percentile([0, 0], 0.5)).toBe(0);
  });
});

describe('density', () => {
  it('counts points on the cell they fall on, and leaves out those outside', () => {
    const density = new Density(4, 4);
    density.add(0.1, 0.9);
    density.add(1, 0.5);
    density.add(Number.NaN, 0.5);
    expect([...density.cells].reduce((sum, cell) => sum + cell)).toBe(1);
    expect(density.cells[0]).toBe(1);
    density.fade(0.5);
    expect(density.cells[0]).toBe(0.5);
  });
});

describe('thinning', () => {
  it('keeps the peak of each column', () => {
    const values = Float32Array.of(1, 9, 2, 3, -4, 0, 5);
    expect([...largest(values, 3)]).toEqual([9, 3, 5]);
    expect([...least(values, 3)]).toEqual([1, 2, -4]);
    expect(largest(values, 7)).toBe(values);
    for (let length = 1; length < 40; length++) {
      const row = Uint8Array.from({ length }, (_, k) => (k * 37) % 101);
      for (let columns = 1; columns < 45; columns++) expect(Math.max(...largest(row, columns))).toBe(Math.max(...row));
    }
  });
});

describe('the map', () => {
  it('projects and finds back', () => {
    expect(project(0, 0)).toEqual({ x: 0.5, y: 0.5 });
    for (const [lon, lat] of [
      [8.5, 50.1],
      [-122, -33],
      [179.9, 84],
    ] as const) {
      const { x, y } = project(lon, lat);
      const back = unproject(x, y);
      expect(back.lon).toBeCloseTo(lon, 9);
      expect(back.lat).toBeCloseTo(lat, 9);
    }
    expect(project(0, 90).y).toBeCloseTo(0, 5);
  });

  it('knows where a trail goes', () => {
    expect(bearing([project(0, 0), project(0, 1)])).toBeCloseTo(0);
    expect(bearing([project(0, 0), project(-1, 0)])).toBeCloseTo(270);
    expect(bearing([project(0, 0)])).toBeUndefined();
  });

  it('reads lines of differences', () => {
    expect(decodeLine([100, 200, -100, -200])).toEqual([project(1, 2), project(0, 0)]);
  });
});
