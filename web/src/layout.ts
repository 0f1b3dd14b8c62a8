// Places the blocks and streams of a graph. A pure function of the graph; metrics never move anything.
import { Graph, layout as runDagre } from '@dagrejs/dagre';
import type { GraphInfo, Id } from './api';

export const BLOCK = { width: 208, height: 88 };
export const LABEL = { width: 164, height: 34 };

export interface Point {
  x: number;
  y: number;
}

export interface PlacedBlock extends Point {
  id: Id;
}

export interface PlacedLink {
  key: string;
  /** The stream, or none for a link of messages. */
  stream: Id | undefined;
  from: Id;
  fromPort: string;
  path: string;
  label: Point;
}

export interface Layout {
  width: number;
  height: number;
  blocks: PlacedBlock[];
  links: PlacedLink[];
}

export type Direction = 'TB' | 'LR';

/** Places the graph top to bottom or left to right. Positions of blocks and labels are their centres. */
export function place(graph: GraphInfo, direction: Direction): Layout {
  const dagre = new Graph({ multigraph: true });
  dagre.setGraph({ rankdir: direction, nodesep: 24, edgesep: 16, ranksep: 34, marginx: 16, marginy: 24 });
  for (const block of graph.blocks) dagre.setNode(String(block.id), { ...BLOCK });
  const links = linksOf(graph);
  for (const link of links) {
    dagre.setEdge(String(link.from), String(link.to), { ...LABEL, labelpos: 'c' }, link.key);
  }
  runDagre(dagre);
  const blocks = graph.blocks.map((block) => {
    const { x, y } = dagre.node(String(block.id)) as Point;
    return { id: block.id, x, y };
  });
  const placed = links.map((link) => {
    const edge = dagre.edge(String(link.from), String(link.to), link.key) as { points: Point[] } & Point;
    return {
      key: link.key,
      stream: link.stream,
      from: link.from,
      fromPort: link.fromPort,
      path: curve(edge.points, direction),
      label: { x: edge.x, y: edge.y },
    };
  });
  const size = dagre.graph() as { width?: number; height?: number };
  return { width: size.width || 1, height: size.height || 1, blocks, links: placed };
}

/** The direction in which the whole graph is shown larger in a space of `width` by `height`. */
export function betterDirection(graph: GraphInfo, width: number, height: number): Direction {
  const scale = (direction: Direction) => {
    const { width: w, height: h } = place(graph, direction);
    return Math.min(width / w, height / h);
  };
  return scale('LR') > scale('TB') ? 'LR' : 'TB';
}

function linksOf(graph: GraphInfo) {
  const known = new Set(graph.blocks.map((block) => block.id));
  const streams = graph.streams.map((stream) => ({
    key: `s${stream.id}`,
    stream: stream.id as Id | undefined,
    from: stream.from.block,
    fromPort: stream.from.port,
    to: stream.to.block,
  }));
  const messages = graph.messages.map((link, at) => ({
    key: `m${at}`,
    stream: undefined as Id | undefined,
    from: link.from.block,
    fromPort: link.from.port,
    to: link.to.block,
  }));
  return [...streams, ...messages].filter((link) => known.has(link.from) && known.has(link.to));
}

/** A smooth path through the points, leaving and entering along the direction of flow. */
function curve(points: Point[], direction: Direction): string {
  const at = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  let path = `M${at(points[0]!)}`;
  for (let k = 1; k < points.length; k++) {
    const [a, b] = [points[k - 1]!, points[k]!];
    const [mx, my] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
    path +=
      direction === 'LR'
        ? ` C${at({ x: mx, y: a.y })} ${at({ x: mx, y: b.y })} ${at(b)}`
        : ` C${at({ x: a.x, y: my })} ${at({ x: b.x, y: my })} ${at(b)}`;
  }
  return path;
}
