// Speaks the dashboard's protocol with synthetic data: `npm run mock`, then `npm run dev`, or open its own address.
// It's a development tool and serves the fast browser tests.
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { graph, metrics } from './graph.mjs';
import { axis, logRows, viewFrame } from './signals.mjs';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};
const LOGS = new Set(['tags', 'messages', 'packets', 'map']);

/** Starts the server and returns what a test needs to look at and to steer it. With `again` it sends the same few rows over and over. */
export function serve(port = 8123, { again = false } = {}) {
  const info = graph();
  const started = Date.now();
  const seconds = () => (Date.now() - started) / 1000;
  const graphs = [
    { id: 1, name: 'adsb', state: 'running', seconds: 0, restarts: true },
    {
      id: 2,
      name: 'weather',
      state: 'failed',
      error: 'block source: the file data/weather.cu8 ends within a sample',
      seconds: 3.2,
      restarts: false,
    },
  ];
  const viewers = new Set();
  /** Requests and WebSocket messages, for tests. */
  const seen = [];

  const routes = [
    ['GET', /^\/api\/session$/, () => ({ role: 'control', version: 'mock' })],
    ['GET', /^\/api\/graphs$/, () => graphs.map((g) => (g.state === 'running' ? { ...g, seconds: seconds() } : g))],
    ['GET', /^\/api\/graphs\/(\d+)$/, (_, id) => ({ ...info, id: Number(id), name: graphs[id - 1].name })],
    ['GET', /^\/api\/graphs\/(\d+)\/metrics$/, () => metrics(info, seconds())],
    [
      'POST',
      /^\/api\/graphs\/(\d+)\/set$/,
      ({ block, parameter, value }) => {
        info.blocks.find((b) => b.id === block).parameters.find((p) => p.name === parameter).value = value;
        return { at: Math.round(seconds() * 2e6) };
      },
    ],
    [
      'POST',
      /^\/api\/graphs\/(\d+)\/(stop|start)$/,
      (_, id, verb) => {
        change(Number(id), verb === 'stop' ? 'ended' : 'running');
        return {};
      },
    ],
    [
      'POST',
      /^\/api\/graphs\/(\d+)\/replace$/,
      ({ block, kind }) => {
        info.blocks.find((b) => b.id === block).kind = kind;
        tell({ op: 'graphs' });
        return {};
      },
    ],
    ['POST', /^\/api\/graphs\/(\d+)\/record$/, ({ file }) => ({ id: 1, file: `recordings/${file}` })],
    ['DELETE', /^\/api\/records\/(\d+)$/, () => ({})],
  ];

  function tell(message) {
    for (const viewer of viewers) viewer.socket.send(JSON.stringify(message));
  }

  function change(id, state, error = null) {
    const one = graphs.find((g) => g.id === id);
    Object.assign(one, { state, error, seconds: seconds() });
    tell(state === 'running' ? { op: 'graphs' } : { op: 'ended', graph: id, error });
  }

  const http = createServer((request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    response.setHeader('Content-Security-Policy', "default-src 'self'; frame-ancestors 'none'");
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (!path.startsWith('/api/')) return file(path, response);
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      seen.push({ method: request.method, path, body });
      const answer = (status, value) => {
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(value));
      };
      for (const [method, pattern, handle] of routes) {
        const match = pattern.exec(path);
        if (match && method === request.method) return answer(200, handle(body ? JSON.parse(body) : {}, ...match.slice(1)));
      }
      answer(404, { error: `there is no ${request.method} ${path}` });
    });
  });

  function file(path, response) {
    const name = join(DIST, normalize(path === '/' ? '/index.html' : path));
    if (!name.startsWith(DIST) || !existsSync(name)) {
      response.writeHead(404);
      return response.end('not found');
    }
    response.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream' });
    createReadStream(name).pipe(response);
  }

  const sockets = new WebSocketServer({ server: http, path: '/api/ws' });
  sockets.on('connection', (socket) => {
    const viewer = { socket, taps: new Map(), watched: new Set(), paused: false, nextTap: 1 };
    viewers.add(viewer);
    const timer = setInterval(() => tick(viewer), again ? 5 : 20);
    socket.on('close', () => {
      clearInterval(timer);
      viewers.delete(viewer);
    });
    socket.on('message', (text) => {
      const message = JSON.parse(String(text));
      seen.push(message);
      handle(viewer, message);
    });
  });

  function handle(viewer, message) {
    const say = (answer) => viewer.socket.send(JSON.stringify(answer));
    switch (message.op) {
      case 'watch':
        return viewer.watched.add(message.graph);
      case 'unwatch':
        return viewer.watched.delete(message.graph);
      case 'tap': {
        if (message.tap.view === 'bits' && message.tap.stream.startsWith('radio'))
          return say({ op: 'error', ref: message.ref, error: 'a view of bits needs a stream of u8, this one is of C32' });
        const id = viewer.nextTap++;
        viewer.taps.set(id, { tap: message.tap, due: 0, state: { sequence: 0, audio: 0, seconds: 0 } });
        return say({ op: 'tapped', ref: message.ref, id, ...axis(message.tap) });
      }
      case 'untap':
        return viewer.taps.delete(message.id);
      case 'change': {
        const { op, id, ...fields } = message;
        const open = viewer.taps.get(id);
        if (!open) return;
        Object.assign(open.tap, fields);
        return say({ op: 'tapped', id, ...axis(open.tap) });
      }
      case 'pause':
        return (viewer.paused = true);
      case 'resume':
        return (viewer.paused = false);
    }
  }

  function tick(viewer) {
    if (viewer.paused) return;
    const now = seconds();
    if (!(viewer.nextMetrics > now)) {
      viewer.nextMetrics = now + 0.1;
      for (const g of viewer.watched)
        if (graphs[g - 1]?.state === 'running')
          viewer.socket.send(JSON.stringify({ op: 'metrics', graph: g, ...metrics(info, now) }));
    }
    for (const [id, open] of viewer.taps) {
      if (open.due > now || graphs[open.tap.graph - 1]?.state !== 'running') continue;
      const log = LOGS.has(open.tap.view);
      open.due = now + 1 / (open.tap.view === 'audio' ? 25 : log ? 3 : (open.tap.rate ?? 25));
      open.state.seconds = now;
      if (log) viewer.socket.send(JSON.stringify({ op: 'log', id, lost: 0, rows: logRows(open.tap, open.state) }));
      else viewer.socket.send(viewFrame(open.tap, id, open.state, again));
    }
  }

  return new Promise((resolve) => {
    http.listen(port, '127.0.0.1', () => {
      resolve({
        url: `http://127.0.0.1:${http.address().port}/`,
        seen,
        change,
        /** Cuts every connection, as a server that is started again does. */
        drop: () => viewers.forEach((viewer) => viewer.socket.terminate()),
        taps: () => [...viewers].reduce((sum, viewer) => sum + viewer.taps.size, 0),
        paused: () => [...viewers].some((viewer) => viewer.paused),
        close: () => {
          viewers.forEach((viewer) => viewer.socket.terminate());
          http.closeAllConnections();
          http.close();
        },
      });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await serve(Number(process.argv[2] ?? 8123), { again: process.argv.includes('--again') });
  console.log(`mock of the dashboard's server at ${url}`);
}
