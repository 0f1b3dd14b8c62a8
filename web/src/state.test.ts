import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { GraphInfo, GraphSummary } from './api';

/** Requests that wait for their answers, in the order in which they came. */
const waiting: { what: string; answer: (value: unknown) => void }[] = [];
const ask = (what: string) => new Promise((answer) => waiting.push({ what, answer }));

vi.mock('./client', () => ({
  Refusal: Error,
  openSocket: () => socket,
  api: {
    session: () => Promise.resolve({ role: 'control' }),
    graphs: () => ask('graphs'),
    graph: (id: number) => ask(`graph ${id}`),
  },
}));

const socket = { readyState: 1, send() {}, close() {} } as unknown as Record<string, (event: object) => void>;
const say = (message: object) => socket['onmessage']!({ data: JSON.stringify(message) });
const line = (state: GraphSummary['state'], id = 1) => ({ id, name: 'g', state, error: null, seconds: 1, restarts: true });
const info = (id = 1) => ({ id, name: `g${id}`, blocks: [], streams: [], messages: [], workers: 1, views: [] }) as unknown as GraphInfo;

async function next(what: string) {
  await vi.waitFor(() => expect(waiting[0]?.what).toBe(what));
  return waiting.shift()!;
}

describe('what the page knows of graphs', () => {
  let dashboard: typeof import('./state.svelte').dashboard;

  beforeEach(async () => {
    waiting.length = 0;
    vi.useRealTimers();
    vi.resetModules();
    vi.stubGlobal('location', { hash: '' });
    vi.stubGlobal('history', { replaceState() {} });
    vi.stubGlobal('document', { addEventListener() {} });
    ({ dashboard } = await import('./state.svelte'));
    dashboard.start();
    socket['onopen']!({});
    (await next('graphs')).answer([line('running'), line('running', 2)]);
    (await next('graph 1')).answer(info());
    await vi.waitFor(() => expect(dashboard.summary?.state).toBe('running'));
  });

  it('does not let an answer that was on its way undo an end', async () => {
    const done = dashboard.refresh();
    const early = await next('graphs');
    say({ op: 'ended', graph: 1, error: null });
    early.answer([line('running')]);
    (await next('graphs')).answer([line('ended')]);
    (await next('graph 1')).answer(info());
    await done;
    expect(dashboard.summary?.state).toBe('ended');
  });

  it('counts a start that follows an end at once', async () => {
    const done = dashboard.refresh();
    const early = await next('graphs');
    say({ op: 'ended', graph: 1, error: null });
    say({ op: 'graphs' });
    early.answer([line('running')]);
    (await next('graphs')).answer([line('running')]);
    (await next('graph 1')).answer(info());
    await done;
    expect([dashboard.summary?.state, dashboard.starts]).toEqual(['running', 1]);
  });

  it('shows the graph that was chosen last, whichever answer comes first', async () => {
    const done = dashboard.refresh();
    (await next('graphs')).answer([line('running'), line('running', 2)]);
    const first = await next('graph 1');
    const chosen = dashboard.show(2);
    (await next('graph 2')).answer(info(2));
    await chosen;
    first.answer(info(1));
    await done;
    expect(dashboard.graph?.id).toBe(2);
  });
});
