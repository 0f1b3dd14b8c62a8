// Which views there are, which fit a stream, and panels as text in the page's address.
import type { PanelSpec, ViewName } from './api';

export type { PanelSpec };

interface ViewDoc {
  name: ViewName;
  title: string;
  says: string;
}

const STREAM_VIEWS: ViewDoc[] = [
  { name: 'spectrum', title: 'Spectrum', says: 'power over frequency' },
  { name: 'waterfall', title: 'Waterfall', says: 'spectrum over time' },
  { name: 'time', title: 'Time', says: 'samples with trigger' },
  { name: 'constellation', title: 'Constellation', says: 'I over Q, density' },
  { name: 'eye', title: 'Eye', says: 'symbols on each other' },
  { name: 'histogram', title: 'Histogram', says: 'how often each value' },
  { name: 'bits', title: 'Bits', says: 'raster and hex' },
  { name: 'tags', title: 'Tags', says: 'log with a filter' },
  { name: 'audio', title: 'Audio', says: 'listen here' },
];

export const MESSAGE_VIEWS: ViewDoc[] = [
  { name: 'messages', title: 'Messages', says: 'log with a filter' },
  { name: 'packets', title: 'Packets', says: 'hex with fields' },
  { name: 'map', title: 'Map', says: 'what has a position' },
];

export function viewTitle(view: ViewName): string {
  return [...STREAM_VIEWS, ...MESSAGE_VIEWS].find((doc) => doc.name === view)?.title ?? view;
}

const BYTES = new Set(['u8', 'i8']);
const COMPLEX = new Set(['C32', 'C64', 'cu8', 'cs8', 'cs16']);

/** Whether items of this type have a real and an imaginary part. */
export function isComplex(item: string | undefined): boolean {
  return item !== undefined && COMPLEX.has(item);
}

/** The views that make sense of items of this type. */
export function viewsFor(item: string): ViewDoc[] {
  const complex = isComplex(item);
  return STREAM_VIEWS.filter(({ name }) => {
    if (name === 'constellation') return complex;
    if (name === 'audio') return !complex && !BYTES.has(item);
    if (name === 'bits') return !complex;
    return true;
  });
}

/** Panels as text such as `spectrum.3,messages.4:out`. */
export function panelsToText(panels: PanelSpec[]): string {
  return panels
    .map(({ view, stream, port }) => {
      const place = port ? `${encodeURIComponent(port.block)}:${encodeURIComponent(port.port)}` : encodeURIComponent(stream!);
      return `${view}.${place}`;
    })
    .join(',');
}

/** Panels of a text; what is no panel is left out. */
export function panelsFromText(text: string): PanelSpec[] {
  const known = new Set<string>([...STREAM_VIEWS, ...MESSAGE_VIEWS].map((doc) => doc.name));
  return text.split(',').flatMap((part): PanelSpec[] => {
    const [, view, place] = /^([a-z]+)\.(.+)$/.exec(part) ?? [];
    if (!view || !place || !known.has(view)) return [];
    const [block, port] = place.split(':');
    if (port !== undefined)
      return [{ view: view as ViewName, port: { block: decodeURIComponent(block!), port: decodeURIComponent(port) } }];
    return [{ view: view as ViewName, stream: decodeURIComponent(place) }];
  });
}
