// Writes public/coast.json: coastlines for the map, from Natural Earth's 1:110m land (public domain), which the
// package world-atlas carries. Each line is a list of longitude and latitude in hundredths of a degree; after the first
// point the numbers are differences.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { mesh } from 'topojson-client';

const atlas = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('world-atlas/land-110m.json'), 'utf8'));
const lines = mesh(atlas, atlas.objects.land).coordinates.map((line) => {
  let [x, y] = [0, 0];
  return line.flatMap(([lon, lat]) => {
    const [px, py] = [x, y];
    [x, y] = [Math.round(lon * 100), Math.round(lat * 100)];
    return [x - px, y - py];
  });
});
writeFileSync(new URL('../public/coast.json', import.meta.url), JSON.stringify(lines));
console.log(`${lines.length} lines, ${lines.reduce((sum, line) => sum + line.length / 2, 0)} points`);
