// Positions on the map: web Mercator. Source: EPSG 3857, with the world one unit wide.

const MOST_LATITUDE = 85.0511;

export interface Place {
  x: number;
  y: number;
}

/** Longitude and latitude in degrees to 0..1 from the west and the north. */
export function project(lon: number, lat: number): Place {
  const phi = (Math.max(-MOST_LATITUDE, Math.min(MOST_LATITUDE, lat)) * Math.PI) / 180;
  return { x: lon / 360 + 0.5, y: 0.5 - Math.log(Math.tan(Math.PI / 4 + phi / 2)) / (2 * Math.PI) };
}

/** The inverse of `project`. */
export function unproject(x: number, y: number): { lon: number; lat: number } {
  return { lon: (x - 0.5) * 360, lat: (Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) * 360) / Math.PI - 90 };
}

/** Differences in hundredths of a degree, as in coast.json, to projected points. */
export function decodeLine(line: number[]): Place[] {
  const points: Place[] = [];
  let [lon, lat] = [0, 0];
  for (let k = 0; k + 1 < line.length; k += 2) {
    lon += line[k]!;
    lat += line[k + 1]!;
    points.push(project(lon / 100, lat / 100));
  }
  return points;
}

/** The direction of the last part of a trail, in degrees from north to the east, or nothing where it did not move. */
export function bearing(trail: Place[]): number | undefined {
  const last = trail[trail.length - 1];
  const before = trail[Math.max(0, trail.length - 4)];
  if (!last || !before || (last.x === before.x && last.y === before.y)) return undefined;
  return ((Math.atan2(last.x - before.x, before.y - last.y) * 180) / Math.PI + 360) % 360;
}
