// A Vite plugin that writes licenses.txt: name, version and licence of each package whose code is in the page.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the page holds that no module brings: the coastline. */
const DATA = ['world-atlas'];
const FILES = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE'];

function packageOf(path) {
  for (let folder = dirname(path); folder.includes('node_modules'); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version) return folder;
  }
  return undefined;
}

function entry(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = FILES.map((file) => join(folder, file)).find(existsSync);
  if (!file) throw new Error(`${name} has no file with its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`;
}

export function licenses() {
  return {
    name: 'licenses',
    generateBundle(_, bundle) {
      const paths = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
      const folders = paths
        .filter((path) => path.includes('node_modules'))
        .map((path) => packageOf(path.replace(/^\0/, '').split('?')[0]));
      const all = new Set([...folders.filter(Boolean), ...DATA.map((name) => join('node_modules', name))]);
      const entries = [...all].map(entry).sort();
      const rule = `\n${'-'.repeat(72)}\n\n`;
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: entries.join(rule) });
    },
  };
}
