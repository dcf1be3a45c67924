import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

export interface BundledThread {
  readonly program: URL;
  readonly remove: () => Promise<void>;
}

/** The program of a plugin's thread, bundled as it ships: a thread cannot run it from source. */
export async function bundleThread(): Promise<BundledThread> {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-plugin-thread-'));
  const file = join(folder, 'plugin-host.mjs');
  await build({
    input: fileURLToPath(new URL('../../src/adapters/plugins/thread.ts', import.meta.url)),
    platform: 'node',
    output: { file, format: 'esm' },
    logLevel: 'silent',
  });
  return { program: pathToFileURL(file), remove: () => rm(folder, { recursive: true }) };
}
