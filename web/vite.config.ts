// Builds the page into dist/ with fixed file names, so that a build that changes nothing gives the same files.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { licenses } from './scripts/licenses.mjs';

/** The server of `npm run dev`: a command with `--dashboard`, or the mock. */
const SERVER = process.env.SUPERHET_URL ?? 'http://127.0.0.1:8123';

export default defineConfig({
  plugins: [svelte(), licenses()],
  base: './',
  build: {
    target: 'es2022',
    // Small files stay files: the page's content policy refuses `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
      },
    },
  },
  server: {
    proxy: {
      '/api': { target: SERVER, ws: true },
      '/metrics': SERVER,
    },
  },
  test: { include: ['src/**/*.test.ts'] },
});
