// HTTP requests of the page, and the token that goes with them.
import type { GraphId, GraphInfo, GraphSummary, Id, PortRef, Session, Stream } from './api';
import type { SocketLike } from './connection';

export type RecordId = string | number;

const TOKEN_KEY = 'superhet.token';

/** Takes `#token=...` out of the address, so that it isn't copied with it, and keeps it for this tab. */
export function takeToken(): void {
  const match = /[#&]token=([^&]+)/.exec(location.hash);
  if (!match) return;
  sessionStorage.setItem(TOKEN_KEY, decodeURIComponent(match[1]!));
  history.replaceState(null, '', location.pathname + location.search + location.hash.replace(/[#&]token=[^&]+/, ''));
}

function token(): string | null {
  return sessionStorage.getItem(TOKEN_KEY);
}

export function openSocket(): SocketLike {
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/ws`;
  const secret = token();
  return new WebSocket(address, secret ? [`superhet.token.${secret}`] : []) as unknown as SocketLike;
}

/** An answer of the server that is an error, with its sentence. */
export class Refusal extends Error {}

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = {};
  const secret = token();
  if (secret) headers['Authorization'] = `Bearer ${secret}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const init: RequestInit = { method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await fetch(`/api/${path}`, init);
  const text = await response.text();
  let answer: unknown;
  try {
    answer = text ? JSON.parse(text) : {};
  } catch {
    answer = { error: text };
  }
  if (!response.ok) {
    const sentence = (answer as { error?: string }).error;
    throw new Refusal(sentence || `${method} ${path}: status ${response.status}`);
  }
  return answer as T;
}

const graphPath = (graph: GraphId, rest: string) => `graphs/${encodeURIComponent(graph)}${rest}`;

export const api = {
  session: () => request<Session>('GET', 'session'),
  graphs: () => request<GraphSummary[]>('GET', 'graphs'),
  graph: (graph: GraphId) => request<GraphInfo>('GET', graphPath(graph, '')),
  set: (graph: GraphId, block: Id, parameter: string, value: unknown) =>
    request<{ at?: number | null }>('POST', graphPath(graph, '/set'), { block, parameter, value }),
  stop: (graph: GraphId) => request<object>('POST', graphPath(graph, '/stop'), {}),
  start: (graph: GraphId) => request<object>('POST', graphPath(graph, '/start'), {}),
  replace: (graph: GraphId, block: Id, kind: string, parameters: Record<string, unknown>) =>
    request<object>('POST', graphPath(graph, '/replace'), { block, kind, parameters }),
  record: (graph: GraphId, stream: Stream['id'], file: string, annotations?: PortRef) =>
    request<{ id: RecordId; file: string }>('POST', graphPath(graph, '/record'), { stream, file, annotations }),
  endRecord: (id: RecordId) => request<object>('DELETE', `records/${encodeURIComponent(id)}`),
};
