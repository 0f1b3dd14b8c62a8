import { describe, expect, it } from 'vitest';
import { parseFrame, parseMessage, ProtocolError, waterfallDb } from './protocol';

function frame(kind: number, flags: number, payload: ArrayLike<number>, version = 1): ArrayBuffer {
  const buffer = new ArrayBuffer(24 + payload.length);
  const view = new DataView(buffer);
  view.setUint8(0, kind);
  view.setUint8(1, version);
  view.setUint16(2, 0x0a0b, true);
  view.setUint32(4, flags, true);
  view.setUint32(8, 7, true);
  view.setUint32(12, 3, true);
  view.setBigUint64(16, 5_000_000_000n, true);
  new Uint8Array(buffer, 24).set(Array.from(payload));
  return buffer;
}

const floats = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

describe('frames', () => {
  it('have their header where the protocol says', () => {
    const read = parseFrame(frame(3, 1 | 2 | 4 | 8, floats(1, 2, 3, 4)));
    expect(read).toMatchObject({
      kind: 'time',
      tap: 0x0a0b,
      complex: true,
      triggered: true,
      pairs: true,
      sequence: 7,
      lost: 3,
      firstSample: 5e9,
    });
    expect(read.kind === 'time' && [...read.samples]).toEqual([1, 2, 3, 4]);
  });

  it('of each kind have their payload', () => {
    expect(parseFrame(frame(1, 2, floats(-90, -30)))).toMatchObject({ kind: 'spectrum', db: Float32Array.of(-90, -30) });
    expect(parseFrame(frame(2, 0, [0, 255]))).toMatchObject({ kind: 'waterfall', levels: Uint8Array.of(0, 255) });
    expect(parseFrame(frame(4, 2, floats(1, -1)))).toMatchObject({ kind: 'constellation', iq: Float32Array.of(1, -1) });
    const eye = new Uint8Array(12);
    new DataView(eye.buffer).setUint32(0, 2, true);
    eye.set(floats(0.5, 1), 4);
    expect(parseFrame(frame(5, 2, eye))).toMatchObject({ kind: 'eye', length: 2, traces: Float32Array.of(0.5, 1) });
    const histogram = new Uint8Array(16);
    histogram.set(floats(-1, 1), 0);
    histogram.set(new Uint8Array(Uint32Array.of(4, 9).buffer), 8);
    expect(parseFrame(frame(6, 0, histogram))).toMatchObject({ kind: 'histogram', low: -1, high: 1, counts: Uint32Array.of(4, 9) });
    expect(parseFrame(frame(7, 0, [0, 1, 1]))).toMatchObject({ kind: 'bits', bits: Uint8Array.of(0, 1, 1) });
    expect(parseFrame(frame(8, 2, floats(0.25)))).toMatchObject({ kind: 'audio', samples: Float32Array.of(0.25) });
  });

  it('that break the protocol are refused, wherever they are cut', () => {
    expect(() => parseFrame(frame(9, 0, []))).toThrow(ProtocolError);
    expect(() => parseFrame(frame(1, 2, floats(1), 2))).toThrow(/version 2/);
    expect(() => parseFrame(frame(1, 0, floats(1)))).toThrow(/f32/);
    for (const whole of [
      frame(3, 2, floats(1, 2)),
      frame(5, 2, [2, 0, 0, 0, ...floats(1, 2)]),
      frame(6, 0, [...floats(0, 1), 1, 0, 0, 0]),
    ]) {
      for (let length = 0; length < whole.byteLength; length++) {
        try {
          parseFrame(whole.slice(0, length));
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }
    }
  });

  it('of an eye need whole traces', () => {
    expect(() => parseFrame(frame(5, 2, [3, 0, 0, 0, ...floats(1, 2)]))).toThrow(/traces of 3/);
    expect(() => parseFrame(frame(5, 2, [0, 0, 0, 0, ...floats(1, 2)]))).toThrow(ProtocolError);
  });
});

describe('messages', () => {
  it('are told apart by op', () => {
    expect(parseMessage('{"op":"ended","graph":1,"error":null}')).toEqual({ op: 'ended', graph: 1, error: null });
  });

  it('that are unknown are refused', () => {
    for (const text of ['', '{', 'null', '3', '{"op":"sing"}', '{"graph":1}'])
      expect(() => parseMessage(text)).toThrow(ProtocolError);
  });
});

it('a byte of a waterfall spans -160 to 10 dB', () => {
  expect([waterfallDb(0), waterfallDb(255)]).toEqual([-160, 10]);
});
