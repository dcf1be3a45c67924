import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type CodeSplittingGroup, type OutputChunk, rolldown } from 'rolldown';
import { root } from '../root.ts';
import { oneByte } from './one-byte.ts';
import { loadedWith } from './startup-parts.ts';
import { WHAT_IS_USED } from './tree-shaking.ts';

/** What the command hook loads, in the folder of that name beside it. */
const PARTS = 'hook';

/** The names of single files in `dist/`. */
export const SINGLE_FILES = ['inside.cjs', 'parts.cjs'];

/**
 * Bundles the programs that start so often that a package of chunks, or ESM, would cost too many milliseconds: minified
 * CommonJS without dependencies. In `dist/` are the bridge into a sandbox, and what loads the other files there. The command hook goes into the
 * plugin, which is installed as a folder, and is in parts. A file appears whole or not at all, a part before what loads
 * it.
 *
 * @returns the chunks, for the licences of what is in them
 * @throws what the bundler reports, warnings included
 */
export async function bundleSingleFiles(): Promise<readonly OutputChunk[]> {
  const [hook, ...files] = await Promise.all([
    hookChunks(),
    insideChunk(),
    chunks('src/platform/files/parts.ts', 'parts.cjs').then(only),
  ]);
  for (const { fileName, code } of files) await put(join(root, 'dist', fileName), code);
  for (const { fileName, code } of hook) await put(join(root, 'plugin', fileName), code);
  const parts = new Set(hook.map(({ fileName }) => basename(fileName)));
  const folder = join(root, 'plugin', PARTS);
  // Compiled forms are named after their part.
  const leftovers = (await readdir(folder)).filter((name) => !parts.has(name.replace(/(?<=\.cjs)\..*/, '')));
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { force: true })));
  return [...files, ...hook];
}

/** The bridge into a sandbox, in memory. */
export async function insideChunk(): Promise<OutputChunk> {
  return only(await chunks('src/inside.ts', 'inside.cjs'));
}

/** The command hook, in memory: its parts, then `hook.cjs`, which knows the part that answers by its name. */
export async function hookChunks(): Promise<readonly OutputChunk[]> {
  // What every call needs is one part, with the little that the guard shares with others; what two others share is another:
  // each costs a file to find and read.
  const first = loadedWith(['surfaces/hooks/run-hook', 'rules/text/words', 'contracts/agent-programs']);
  const parts = await chunks('src/surfaces/hooks/run-hook.ts', `${PARTS}/[name]-[hash].cjs`, {}, [
    { name: 'first', test: (id) => first.has(id) },
    { name: 'shared', minShareCount: 2, test: (id) => !GUARD.test(id) },
  ]);
  const answer = parts.find(({ isEntry }) => isEntry)?.fileName ?? '';
  const start = await chunks('src/hook.ts', 'hook.cjs', { ANSWER: JSON.stringify(`./${basename(answer)}`) });
  return [...parts, only(start)];
}

async function chunks(
  input: string,
  name: string,
  define: Record<string, string> = {},
  groups?: CodeSplittingGroup[],
): Promise<OutputChunk[]> {
  const build = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    resolve: { mainFields: ['module', 'main'] },
    transform: { target: 'node20.19', define },
    treeshake: WHAT_IS_USED,
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.generate({
    format: 'cjs',
    entryFileNames: name,
    chunkFileNames: name,
    minify: true,
    comments: false,
    ...(groups && { codeSplitting: { includeDependenciesRecursively: false, groups } }),
  });
  await build.close();
  return output.flatMap((part) => (part.type === 'chunk' ? [{ ...part, code: oneByte(part.code) }] : []));
}

/** Shared by the part for a command and the one for all calls of a run, of which the first is in the second. */
const GUARD = /[\\/](rules[\\/](guard|hooks[\\/]pre-tool-use)|node_modules[\\/]unbash)/;

function only([chunk, ...others]: readonly OutputChunk[]): OutputChunk {
  if (chunk === undefined || others.length > 0) throw new Error(`${chunk?.fileName} is not one file`);
  return chunk;
}

async function put(path: string, code: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, code);
  await rename(temporary, path);
}
