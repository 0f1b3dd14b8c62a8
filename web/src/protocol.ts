// Bytes and text of the WebSocket to typed frames and messages. The layout is in crates/monitor/PROTOCOL.md.
import type { GraphId, Metrics } from './api';

const HEADER_BYTES = 24;
const VERSION = 1;
const COMPLEX = 1;
const F32 = 2;
const TRIGGERED = 4;
const PAIRS = 8;

interface Header {
  tap: number;
  complex: boolean;
  triggered: boolean;
  /** The payload holds minimum and maximum of each pixel. */
  pairs: boolean;
  sequence: number;
  /** Samples or rows dropped since the frame before. */
  lost: number;
  firstSample: number;
}

export type Frame = Header &
  (
    | { kind: 'spectrum'; db: Float32Array }
    | { kind: 'waterfall'; levels: Uint8Array }
    | { kind: 'time'; samples: Float32Array }
    | { kind: 'constellation'; iq: Float32Array }
    | { kind: 'eye'; length: number; traces: Float32Array }
    | { kind: 'histogram'; low: number; high: number; counts: Uint32Array }
    | { kind: 'bits'; bits: Uint8Array }
    | { kind: 'audio'; samples: Float32Array }
  );

export type FrameOf<K extends Frame['kind']> = Extract<Frame, { kind: K }>;

/** A frame that doesn't follow the protocol. */
export class ProtocolError extends Error {}

/** Reads one binary message. Throws a `ProtocolError` for what isn't a frame of this version. */
export function parseFrame(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < HEADER_BYTES) {
    throw new ProtocolError(`a frame has at least ${HEADER_BYTES} bytes, this one ${buffer.byteLength}`);
  }
  const view = new DataView(buffer);
  const version = view.getUint8(1);
  if (version !== VERSION) throw new ProtocolError(`frame of version ${version}, expected ${VERSION}`);
  const flags = view.getUint32(4, true);
  const header: Header = {
    tap: view.getUint16(2, true),
    complex: (flags & COMPLEX) !== 0,
    triggered: (flags & TRIGGERED) !== 0,
    pairs: (flags & PAIRS) !== 0,
    sequence: view.getUint32(8, true),
    lost: view.getUint32(12, true),
    firstSample: Number(view.getBigUint64(16, true)),
  };
  const f32 = (flags & F32) !== 0;
  const kind = view.getUint8(0);
  const floats = (skip = 0) => {
    if (!f32) throw new ProtocolError(`a frame of kind ${kind} needs an f32 payload`);
    return words(buffer, HEADER_BYTES + skip, Float32Array);
  };
  switch (kind) {
    case 1:
      return { ...header, kind: 'spectrum', db: floats() };
    case 2:
      return { ...header, kind: 'waterfall', levels: new Uint8Array(buffer, HEADER_BYTES) };
    case 3:
      return { ...header, kind: 'time', samples: floats() };
    case 4:
      return { ...header, kind: 'constellation', iq: floats() };
    case 5:
      return { ...header, kind: 'eye', ...eye(view, floats) };
    case 6:
      if (buffer.byteLength < HEADER_BYTES + 8) throw new ProtocolError('a histogram needs its low and high end');
      return {
        ...header,
        kind: 'histogram',
        low: view.getFloat32(HEADER_BYTES, true),
        high: view.getFloat32(HEADER_BYTES + 4, true),
        counts: words(buffer, HEADER_BYTES + 8, Uint32Array),
      };
    case 7:
      return { ...header, kind: 'bits', bits: new Uint8Array(buffer, HEADER_BYTES) };
    case 8:
      return { ...header, kind: 'audio', samples: floats() };
    default:
      throw new ProtocolError(`frame of unknown kind ${kind}`);
  }
}

function eye(view: DataView, floats: (skip: number) => Float32Array) {
  if (view.byteLength < HEADER_BYTES + 4) throw new ProtocolError('an eye needs the length of its traces');
  const length = view.getUint32(HEADER_BYTES, true);
  const traces = floats(4);
  if (length === 0 || traces.length % length !== 0) {
    throw new ProtocolError(`an eye of ${traces.length} values doesn't divide into traces of ${length}`);
  }
  return { length, traces };
}

function words<T>(buffer: ArrayBuffer, offset: number, array: { new (buffer: ArrayBuffer, offset: number, length: number): T }): T {
  const bytes = buffer.byteLength - offset;
  if (bytes < 0 || bytes % 4 !== 0) throw new ProtocolError(`a payload of ${bytes} bytes is no row of 4-byte words`);
  return new array(buffer, offset, bytes / 4);
}

export interface Tapped {
  op: 'tapped';
  ref?: number | null;
  id: number;
  first_hz?: number | null;
  last_hz?: number | null;
  rate_hz?: number | null;
}

export interface Log {
  op: 'log';
  id: number;
  lost: number;
  rows: unknown[];
}

export type ServerMessage =
  | ({ op: 'metrics'; graph: GraphId } & Metrics)
  | Tapped
  | Log
  | { op: 'error'; ref?: number | null; id?: number | null; error: string }
  | { op: 'graphs' }
  | { op: 'ended'; graph: GraphId; error?: string | null };

const OPS = new Set(['metrics', 'tapped', 'log', 'error', 'graphs', 'ended']);

/** Reads one text message. Throws a `ProtocolError` for one that this page doesn't know. */
export function parseMessage(text: string): ServerMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new ProtocolError('a text message is JSON');
  }
  const op = (message as { op?: unknown } | null)?.op;
  if (typeof op !== 'string' || !OPS.has(op)) throw new ProtocolError(`message with unknown op ${String(op)}`);
  return message as ServerMessage;
}

/** The level in dB of a waterfall's byte. */
export function waterfallDb(level: number): number {
  return level / 1.5 - 160;
}
