import { describe, expect, it } from 'vitest';
import type { GraphInfo } from './api';
import { BLOCK, betterDirection, place } from './layout';

function chain(names: string[], extra: [string, string][] = []): GraphInfo {
  const links = [...names.slice(1).map((name, k) => [names[k]!, name] as [string, string]), ...extra];
  return {
    id: 1,
    name: 'test',
    workers: 1,
    views: [],
    blocks: names.map((name) => ({
      id: name,
      name,
      kind: name,
      region: 0,
      waits_outside: false,
      parameters: [],
      inputs: [],
      outputs: [],
    })),
    streams: links.map(([a, b], k) => ({
      id: `${a}.out>${b}.in${k}`,
      from: { block: a, port: 'out' },
      to: { block: b, port: `in${k}` },
      item: 'C32',
    })),
    messages: [{ from: { block: names[0]!, port: 'messages' }, to: { block: names[names.length - 1]!, port: 'in' } }],
  };
}

describe('a layout', () => {
  it('places each block and stream once, and no block on another', () => {
    const graph = chain(
      ['a', 'b', 'c', 'd'],
      [
        ['a', 'c'],
        ['a', 'c'],
        ['b', 'd'],
      ],
    );
    for (const direction of ['TB', 'LR'] as const) {
      const layout = place(graph, direction);
      expect(layout.blocks.map((block) => block.id)).toEqual(['a', 'b', 'c', 'd']);
      expect(new Set(layout.links.map((link) => link.key)).size).toBe(graph.streams.length + 1);
      for (const one of layout.blocks) {
        for (const other of layout.blocks) {
          if (one === other) continue;
          const apart = Math.abs(one.x - other.x) >= BLOCK.width || Math.abs(one.y - other.y) >= BLOCK.height;
          expect(apart, `${one.id} and ${other.id} in ${direction}`).toBe(true);
        }
      }
    }
  });

  it('is the same for the same graph', () => {
    const graph = chain(['a', 'b', 'c'], [['a', 'c']]);
    expect(place(graph, 'TB')).toEqual(place(graph, 'TB'));
  });

  it('turns a chain along the longer side', () => {
    const graph = chain(['a', 'b', 'c', 'd', 'e']);
    expect(betterDirection(graph, 400, 1000)).toBe('TB');
    expect(betterDirection(graph, 2000, 300)).toBe('LR');
  });

  it('leaves out links to blocks that are not there', () => {
    const graph = chain(['a', 'b']);
    graph.streams[0]!.to.block = 'gone';
    expect(place(graph, 'TB').links.map((link) => link.key)).toEqual(['m0']);
  });

  it('of an empty graph is empty', () => {
    const layout = place({ id: 1, name: '', blocks: [], streams: [], messages: [], workers: 0, views: [] }, 'TB');
    expect([layout.blocks, layout.links]).toEqual([[], []]);
  });
});
