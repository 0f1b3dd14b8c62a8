import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Tap } from './api';
import { Connection, type Events, type SocketLike } from './connection';

class Socket implements SocketLike {
  binaryType = '';
  readyState = 0;
  onopen: SocketLike['onopen'] = null;
  onclose: SocketLike['onclose'] = null;
  onmessage: SocketLike['onmessage'] = null;
  sent: Record<string, unknown>[] = [];
  send(data: string) {
    this.sent.push(JSON.parse(data));
  }
  close() {
    this.lose();
  }
  open() {
    this.readyState = 1;
    this.onopen?.({} as never);
  }
  lose() {
    this.readyState = 3;
    this.onclose?.({} as never);
  }
  say(message: object) {
    this.onmessage?.({ data: JSON.stringify(message) } as never);
  }
  bytes(tap: number) {
    const buffer = new ArrayBuffer(25);
    const view = new DataView(buffer);
    view.setUint8(0, 7);
    view.setUint8(1, 1);
    view.setUint16(2, tap, true);
    this.onmessage?.({ data: buffer } as never);
  }
}

let sockets: Socket[];
let events: { [K in keyof Events]: ReturnType<typeof vi.fn> };
const TAP: Tap = { graph: 1, stream: 'a.out>b.in', view: 'bits' };

function connect(): Connection {
  return new Connection(
    () => {
      const socket = new Socket();
      sockets.push(socket);
      return socket;
    },
    events as unknown as Events,
  );
}

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
  events = { state: vi.fn(), metrics: vi.fn(), graphs: vi.fn(), ended: vi.fn(), error: vi.fn() };
});

describe('a connection', () => {
  it('gives frames to the tap that they are of', () => {
    const link = connect();
    sockets[0]!.open();
    const frame = vi.fn();
    link.tap(TAP, { frame });
    expect(sockets[0]!.sent).toEqual([{ op: 'tap', tap: TAP, ref: 1 }]);
    sockets[0]!.say({ op: 'tapped', ref: 1, id: 5 });
    sockets[0]!.bytes(5);
    sockets[0]!.bytes(6);
    expect(frame).toHaveBeenCalledTimes(1);
  });

  it('asks for everything again after a loss, as it was last changed', () => {
    const link = connect();
    sockets[0]!.open();
    link.watch(1);
    const handle = link.tap(TAP, {});
    sockets[0]!.say({ op: 'tapped', ref: 1, id: 5 });
    handle.change({ points: 64 });
    expect(sockets[0]!.sent.at(-1)).toEqual({ op: 'change', id: 5, points: 64 });
    sockets[0]!.lose();
    expect(events.state).toHaveBeenLastCalledWith('lost');
    vi.runAllTimers();
    sockets[1]!.open();
    expect(sockets[1]!.sent).toEqual([
      { op: 'watch', graph: 1 },
      { op: 'tap', tap: { ...TAP, points: 64 }, ref: 1 },
    ]);
  });

  it('gives up a tap that was closed before its answer came', () => {
    const link = connect();
    sockets[0]!.open();
    link.tap(TAP, {}).close();
    sockets[0]!.say({ op: 'tapped', ref: 1, id: 5 });
    expect(sockets[0]!.sent.at(-1)).toEqual({ op: 'untap', id: 5 });
  });

  it('sends a change made before the answer came', () => {
    const link = connect();
    sockets[0]!.open();
    const handle = link.tap(TAP, {});
    handle.change({ points: 64 });
    sockets[0]!.say({ op: 'tapped', ref: 1, id: 5 });
    expect(sockets[0]!.sent.at(-1)).toEqual({ op: 'change', id: 5, points: 64 });
  });

  it('says an error to the tap that it is of', () => {
    const link = connect();
    sockets[0]!.open();
    const error = vi.fn();
    link.tap(TAP, { error });
    sockets[0]!.say({ op: 'error', ref: 1, error: 'no' });
    sockets[0]!.say({ op: 'error', error: 'also no' });
    expect(error).toHaveBeenCalledWith('no');
    sockets[0]!.say({ op: 'error', ref: 1, id: 5, error: 'still no' });
    expect(error).toHaveBeenLastCalledWith('still no');
    sockets[0]!.say({ op: 'tapped', ref: 1, id: 5 });
    sockets[0]!.say({ op: 'error', id: 5, error: 'later no' });
    expect(error).toHaveBeenLastCalledWith('later no');
    expect(events.error).toHaveBeenCalledWith('also no');
  });

  it('pauses once, and again after a loss', () => {
    const link = connect();
    sockets[0]!.open();
    link.pause(true);
    link.pause(true);
    expect(sockets[0]!.sent).toEqual([{ op: 'pause' }]);
    sockets[0]!.lose();
    vi.runAllTimers();
    sockets[1]!.open();
    expect(sockets[1]!.sent).toEqual([{ op: 'pause' }]);
  });

  it('that is closed stays closed', () => {
    const link = connect();
    sockets[0]!.open();
    link.close();
    vi.runAllTimers();
    expect(sockets.length).toBe(1);
  });
});
