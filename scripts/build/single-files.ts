import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { root } from '../root.ts';
import { WHAT_IS_USED } from './tree-shaking.ts';

/** Programs that are one file each, and where that goes: the hook into the plugin, which is installed as a folder. */
const PROGRAMS = { hook: 'plugin/hook.cjs', inside: 'dist/inside.cjs' } as const;

export type SingleFile = keyof typeof PROGRAMS;

/** The names of those in `dist/`. */
export const SINGLE_FILES = Object.values(PROGRAMS).flatMap((place) => /^dist\/(.+)/.exec(place)?.[1] ?? []);

/**
 * Bundles each into one minified CommonJS file without dependencies: read and compiled at every tool call of an agent,
 * and at every start of a sandbox, where a package of chunks, or ESM, would cost milliseconds each. A file appears
 * whole or not at all.
 *
 * @returns the chunks, for the licences of what is in them
 * @throws what the bundler reports, warnings included
 */
export async function bundleSingleFiles(): Promise<readonly OutputChunk[]> {
  return Promise.all(
    Object.entries(PROGRAMS).map(async ([name, place]) => {
      const chunk = await singleFileChunk(name as SingleFile);
      await put(join(root, place), chunk.code);
      return chunk;
    }),
  );
}

/** One of the bundles, in memory. */
export async function singleFileChunk(name: SingleFile): Promise<OutputChunk> {
  const build = await rolldown({
    cwd: root,
    input: `src/${name}.ts`,
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    transform: { target: 'node20.19' },
    treeshake: WHAT_IS_USED,
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.generate({
    format: 'cjs',
    entryFileNames: `${name}.cjs`,
    minify: true,
    comments: false,
    codeSplitting: false,
  });
  await build.close();
  const [chunk, ...others] = output;
  if (chunk === undefined || others.length > 0) throw new Error(`${name} is not one file`);
  return chunk;
}

async function put(path: string, code: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, code);
  await rename(temporary, path);
}
