// The WebSocket: watches graphs, keeps taps, and connects again by itself.
import type { GraphId, Metrics, Tap } from './api';
import { parseFrame, parseMessage, type Frame, type Log, type Tapped } from './protocol';

/** The part of a `WebSocket` that the connection uses. */
export interface SocketLike {
  binaryType: string;
  readonly readyState: number;
  onopen: ((event: never) => unknown) | null;
  onclose: ((event: never) => unknown) | null;
  onmessage: ((event: { data: unknown } & never) => unknown) | null;
  send(data: string): void;
  close(): void;
}

export type ConnectionState = 'connecting' | 'open' | 'lost';

export interface Events {
  state(state: ConnectionState): void;
  metrics(graph: GraphId, metrics: Metrics): void;
  graphs(): void;
  ended(graph: GraphId, error: string | null): void;
  /** An error that belongs to no tap, or a message that doesn't follow the protocol. */
  error(sentence: string): void;
}

/** What one view hears of its tap. */
export interface TapListener {
  frame?(frame: Frame): void;
  log?(log: Log): void;
  /** The tap is there, or its axis changed. */
  tapped?(tapped: Tapped): void;
  error?(sentence: string): void;
}

interface OpenTap {
  tap: Tap;
  listener: TapListener;
  ref: number;
  id: number | undefined;
  /** Changes made before the answer came. */
  late: Partial<Tap>;
}

export interface TapHandle {
  change(fields: Partial<Tap>): void;
  close(): void;
}

const OPEN = 1;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

export class Connection {
  private socket: SocketLike | undefined;
  private readonly watched = new Set<GraphId>();
  private readonly byRef = new Map<number, OpenTap>();
  private readonly byId = new Map<number, OpenTap>();
  private nextRef = 1;
  private paused = false;
  private closed = false;
  private waitMs = FIRST_WAIT_MS;

  /** `open` makes a socket; it's called again after each loss. */
  constructor(
    private readonly open: () => SocketLike,
    private readonly events: Events,
  ) {
    this.connect();
  }

  watch(graph: GraphId): void {
    if (this.watched.has(graph)) return;
    this.watched.add(graph);
    this.send({ op: 'watch', graph });
  }

  unwatch(graph: GraphId): void {
    if (this.watched.delete(graph)) this.send({ op: 'unwatch', graph });
  }

  tap(tap: Tap, listener: TapListener): TapHandle {
    const open: OpenTap = { tap, listener, ref: this.nextRef++, id: undefined, late: {} };
    this.byRef.set(open.ref, open);
    this.send({ op: 'tap', tap, ref: open.ref });
    return {
      change: (fields) => {
        open.tap = { ...open.tap, ...fields };
        if (open.id !== undefined) this.send({ op: 'change', id: open.id, ...fields });
        else Object.assign(open.late, fields);
      },
      close: () => {
        this.byRef.delete(open.ref);
        if (open.id !== undefined) {
          this.byId.delete(open.id);
          this.send({ op: 'untap', id: open.id });
        }
      },
    };
  }

  /** Tells the server that nobody looks, or that somebody does again. */
  pause(paused: boolean): void {
    if (paused === this.paused) return;
    this.paused = paused;
    this.send({ op: paused ? 'pause' : 'resume' });
  }

  close(): void {
    this.closed = true;
    this.socket?.close();
  }

  private connect(): void {
    this.events.state('connecting');
    const socket = this.open();
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.waitMs = FIRST_WAIT_MS;
      this.events.state('open');
      for (const graph of this.watched) this.send({ op: 'watch', graph });
      for (const open of this.byRef.values()) this.askAgain(open);
      if (this.paused) this.send({ op: 'pause' });
    };
    socket.onmessage = (event: { data: unknown }) => this.receive(event.data);
    socket.onclose = () => {
      this.byId.clear();
      for (const open of this.byRef.values()) open.id = undefined;
      if (this.closed) return;
      this.events.state('lost');
      setTimeout(() => !this.closed && this.connect(), this.waitMs);
      this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS);
    };
    this.socket = socket;
  }

  private askAgain(open: OpenTap): void {
    open.late = {};
    this.send({ op: 'tap', tap: open.tap, ref: open.ref });
  }

  private send(message: object): void {
    if (this.socket?.readyState === OPEN) this.socket.send(JSON.stringify(message));
  }

  private receive(data: unknown): void {
    try {
      if (typeof data === 'string') this.message(data);
      else if (data instanceof ArrayBuffer) {
        const frame = parseFrame(data);
        this.byId.get(frame.tap)?.listener.frame?.(frame);
      }
    } catch (error) {
      this.events.error(error instanceof Error ? error.message : String(error));
    }
  }

  private message(text: string): void {
    const message = parseMessage(text);
    switch (message.op) {
      case 'metrics':
        return this.events.metrics(message.graph, message);
      case 'graphs':
        return this.events.graphs();
      case 'ended':
        return this.events.ended(message.graph, message.error ?? null);
      case 'log':
        return this.byId.get(message.id)?.listener.log?.(message);
      case 'tapped':
        return this.tapped(message);
      case 'error': {
        const open = this.byId.get(message.id ?? NaN) ?? this.byRef.get(message.ref ?? NaN);
        if (open) open.listener.error?.(message.error);
        else this.events.error(message.error);
      }
    }
  }

  private tapped(message: Tapped): void {
    let open = this.byId.get(message.id);
    if (!open) {
      open = message.ref == null ? undefined : this.byRef.get(message.ref);
      if (!open) {
        // The view was closed before the answer came.
        this.send({ op: 'untap', id: message.id });
        return;
      }
      open.id = message.id;
      this.byId.set(message.id, open);
      if (Object.keys(open.late).length > 0) this.send({ op: 'change', id: open.id, ...open.late });
      open.late = {};
    }
    open.listener.tapped?.(message);
  }
}
