// What the server's JSON holds. Units are in the names.

/** A block's name, or a stream's `block.port>block.port`. */
export type Id = string;
export type GraphId = number;

export interface GraphSummary {
  id: GraphId;
  name: string;
  state: 'running' | 'ended' | 'failed';
  error?: string | null;
  seconds: number;
  /** It can be started anew once it has ended. */
  restarts: boolean;
}

export interface PortRef {
  block: Id;
  port: string;
}

export interface Parameter {
  name: string;
  type: 'number' | 'text' | 'switch' | 'list';
  value: unknown;
  unit?: string | null;
  min?: number | null;
  max?: number | null;
  /** The words that it can be, where it is one of a few. */
  choices?: string[] | null;
  live: boolean;
  doc: string;
}

export interface Port {
  name: string;
  item: string;
  message: boolean;
}

export interface Block {
  id: Id;
  name: string;
  kind: string;
  doc?: string | null;
  region: number;
  /** It waits for the outside world on a thread of its own: that is part of its busy time. */
  waits_outside: boolean;
  parameters: Parameter[];
  inputs: Port[];
  outputs: Port[];
}

export interface Stream {
  id: Id;
  from: PortRef;
  to: PortRef;
  item: string;
  rate_hz?: number | null;
}

export interface MessageLink {
  from: PortRef;
  to: PortRef;
}

export interface GraphInfo {
  id: GraphId;
  name: string;
  blocks: Block[];
  streams: Stream[];
  messages: MessageLink[];
  workers: number;
  /** What the page shows first, where its address names no views. */
  views: PanelSpec[];
}

/** A view of a stream, or of the messages of an output. */
export interface PanelSpec {
  view: ViewName;
  stream?: Id | null;
  port?: PortRef | null;
}

export interface BlockMetrics {
  id: Id;
  items: number;
  items_per_s: number;
  calls_per_s: number;
  ns_per_item: number;
  /** Share of a worker; more than 1 where several run it. */
  busy: number;
  blocked_input: number;
  blocked_output: number;
  gaps: number;
  lost_items: number;
  dropped: number;
}

export interface StreamMetrics {
  id: Id;
  items_per_s: number;
  /** Items in the buffer. */
  fill: number;
  /** What the buffer holds, in items; 0 where the stream has no buffer of its own. */
  capacity: number;
  waits?: 'reader' | 'writer' | null;
  tags_per_s: number;
}

export interface Metrics {
  seconds: number;
  blocks: BlockMetrics[];
  streams: StreamMetrics[];
  bottleneck?: { block: Id; bound_items_per_s: number } | null;
  process: { cpu: number; memory_bytes: number };
}

export type StreamView = 'spectrum' | 'waterfall' | 'time' | 'constellation' | 'eye' | 'histogram' | 'bits' | 'tags' | 'audio';
export type MessageView = 'messages' | 'packets' | 'map';
export type ViewName = StreamView | MessageView;

/** What a viewer asks to see. */
export interface Tap {
  graph: GraphId;
  view: ViewName;
  stream?: Id;
  port?: PortRef;
  bins?: number;
  /** Rows or frames a second. */
  rate?: number;
  average?: number;
  window?: string;
  zoom?: { center_hz: number; span_hz: number } | null;
  trigger?: { level: number; edge: 'rising' | 'falling' } | null;
  points?: number;
  /** Samples that one frame of the time view spans. */
  samples?: number;
  symbol_samples?: number;
}

export interface Session {
  role: 'view' | 'control';
  version: string;
}

export interface MapRow {
  key: string;
  kind: 'aircraft' | 'ship' | 'station';
  name?: string | null;
  lat?: number | null;
  lon?: number | null;
  altitude_m?: number | null;
  heading_deg?: number | null;
  speed_mps?: number | null;
  fields?: Record<string, unknown> | null;
}

export interface TagRow {
  index: number;
  key: string;
  value: unknown;
}

export interface MessageRow {
  seconds: number;
  value: unknown;
}

export interface PacketRow {
  seconds: number;
  item: string;
  hex: string;
  meta: unknown;
}
