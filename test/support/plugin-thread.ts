import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

export interface BundledThread {
  readonly program: URL;
  readonly remove: () => Promise<void>;
}

/** The program of a plugin's thread, bundled as it ships, with what plugins import beside it: a thread cannot run it from source. */
export async function bundleThread(): Promise<BundledThread> {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-plugin-thread-'));
  const file = join(folder, 'plugin-host.mjs');
  const bundle = (source: string, into: string) =>
    build({
      input: fileURLToPath(new URL(`../../src/${source}`, import.meta.url)),
      platform: 'node',
      output: { file: into, format: 'esm' },
      logLevel: 'silent',
    });
  await Promise.all([
    bundle('adapters/plugins/thread.ts', file),
    bundle('plugins/plugin.ts', join(folder, 'plugin.js')),
    writeFile(join(folder, 'package.json'), '{ "type": "module" }'),
  ]);
  return { program: pathToFileURL(file), remove: () => rm(folder, { recursive: true }) };
}
