import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { root } from '../root.ts';

/** Where the command hook goes: beside the other programs, and into the plugin, which is installed as a folder. */
const PLACES = ['dist/hook.cjs', 'plugin/hook.cjs'];

/**
 * Bundles src/hook.ts into one minified CommonJS file without dependencies: read and compiled at every tool call of an
 * agent, where a package of chunks, or ESM, would cost milliseconds each. A file appears whole or not at all.
 *
 * @returns the chunk, for the licences of what is in it
 * @throws what the bundler reports, warnings included
 */
export async function bundleHook(): Promise<OutputChunk> {
  const chunk = await hookChunk();
  for (const place of PLACES) await put(join(root, place), chunk.code);
  return chunk;
}

/** The bundle, in memory. */
export async function hookChunk(): Promise<OutputChunk> {
  const build = await rolldown({
    cwd: root,
    input: 'src/hook.ts',
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    transform: { target: 'node20.19' },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.generate({
    format: 'cjs',
    entryFileNames: 'hook.cjs',
    minify: true,
    comments: false,
    codeSplitting: false,
  });
  await build.close();
  const [chunk, ...others] = output;
  if (chunk === undefined || others.length > 0) throw new Error('the hook is not one file');
  return chunk;
}

async function put(path: string, code: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, code);
  await rename(temporary, path);
}
