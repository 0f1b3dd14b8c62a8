// The command with its dashboard, for tests: started, waited for, and ended by its process.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from './browser.mjs';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The command: `SUPERHET`, or the debug build. Nothing where it isn't there or has no dashboard. */
export function commandPath() {
  const path = process.env.SUPERHET ?? `${ROOT}target/debug/superhet`;
  if (!existsSync(path)) return undefined;
  return spawnSync(path, ['run', '--help'], { encoding: 'utf8' }).stdout?.includes('--dashboard') ? path : undefined;
}

/** Starts the command and waits for the addresses of its dashboard: for control, and for a look where tokens are asked for. */
export async function start(args) {
  const child = spawn(commandPath(), args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (part) => (said += part));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const urls = () => said.match(/http:\/\/\S+/g);
  await until(() => {
    if (child.exitCode !== null) throw new Error(`superhet ${args.join(' ')} ended: ${said}`);
    return urls();
  }, 'the command says where its dashboard is');
  return {
    urls: urls(),
    said: () => said,
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), 30_000);
      await ended;
      clearTimeout(kill);
    },
  };
}
