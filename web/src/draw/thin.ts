// Fewer values than were sent, where a pixel has several: the largest or the least of each, so that no peak is lost.

type Values = Float32Array | Uint8Array;

/** Where the values of column `k` of `columns` begin. */
export function columnStart(k: number, columns: number, length: number): number {
  return Math.floor((k * length) / columns);
}

/** The largest of the values of each column; all of `values` where there are no more than `columns`. */
export function largest<T extends Values>(values: T, columns: number): T {
  return thin(values, columns, (a, b) => a > b);
}

/** The least of the values of each column; all of `values` where there are no more than `columns`. */
export function least<T extends Values>(values: T, columns: number): T {
  return thin(values, columns, (a, b) => a < b);
}

function thin<T extends Values>(values: T, columns: number, better: (a: number, b: number) => boolean): T {
  const { length } = values;
  if (length <= columns) return values;
  const thinned = new (values.constructor as { new (length: number): T })(columns);
  for (let column = 0; column < columns; column++) {
    const end = columnStart(column + 1, columns, length);
    let best = values[columnStart(column, columns, length)]!;
    for (let k = columnStart(column, columns, length) + 1; k < end; k++) if (better(values[k]!, best)) best = values[k]!;
    thinned[column] = best;
  }
  return thinned;
}
