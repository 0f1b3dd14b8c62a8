// Rows of a log: the latest are kept, a filter chooses, and a pause holds them still. Rows of a map: what is known of one target.
import type { MapRow } from '../api';
import { oneLine } from '../format';

const MOST = 2000;

export class Rows<T> {
  filter = $state('');
  held = $state(false);
  count = $state(0);
  private kept: T[] = [];
  private shown = $state.raw<T[]>([]);

  /** `text` is what the filter looks at. */
  constructor(private readonly text: (row: T) => string) {}

  readonly matching = $derived.by(() => {
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return this.shown;
    return this.shown.filter((row) => {
      const text = this.text(row).toLowerCase();
      return words.every((word) => text.includes(word));
    });
  });

  add(rows: T[]): void {
    this.kept = [...rows.slice().reverse(), ...this.kept].slice(0, MOST);
    this.count += rows.length;
    if (!this.held) this.shown = this.kept;
  }

  hold(): void {
    this.held = !this.held;
    if (!this.held) this.shown = this.kept;
  }

  clear(): void {
    this.kept = [];
    this.shown = [];
    this.count = 0;
  }

  /** The rows that match, oldest first, one JSON value a line. */
  lines(): Blob {
    const text = this.matching
      .map((row) => JSON.stringify(row))
      .reverse()
      .join('\n');
    return new Blob([text, '\n'], { type: 'application/x-ndjson' });
  }
}

/** What is known of a target: each message says only some of it. */
export function mergeRows(before: MapRow | undefined, row: MapRow): MapRow {
  const said = Object.fromEntries(Object.entries(row).filter(([, value]) => value != null));
  return { ...before, ...(said as unknown as MapRow), fields: { ...before?.fields, ...row.fields } };
}

/** The fields of a message with those of the maps in it, as name and text. */
export function pairs(value: unknown): [string, string][] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [['', oneLine(value)]];
  return Object.entries(value).flatMap(([name, inner]): [string, string][] => {
    const isMap = inner !== null && typeof inner === 'object' && !Array.isArray(inner);
    return isMap ? pairs(inner) : [[name, oneLine(inner)]];
  });
}
