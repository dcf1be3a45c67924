import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { root } from '../root.ts';
import { INK, INK_STAND_INS } from './ink.ts';
import { thirdPartyLicenses } from './licenses.ts';
import { MAN_FOLDER, manPages } from './man-pages.ts';
import { oneByte } from './one-byte.ts';
import { bundlePage, PAGE } from './page.ts';
import { PLUGIN_TYPES, pluginTypes } from './plugin-types.ts';
import { bundleSingleFiles, SINGLE_FILES } from './single-files.ts';
import { STARTUP_PARTS, type StartupPart, startupParts } from './startup-parts.ts';
import { WHAT_IS_USED } from './tree-shaking.ts';

const dist = join(root, 'dist');

/** The programs in dist/: every other file there is a chunk that one of these loads, most of them lazily. */
const ENTRIES = {
  main: 'src/main.ts',
  'scripted-agent': 'src/adapters/agents/scripted/player.ts',
};

/** ES modules, for plugins: their thread, and what they import for their types. */
const MODULES = {
  'plugin-host': 'src/adapters/plugins/thread.ts',
  plugin: 'src/plugins/plugin.ts',
};

/** With all that only these import: a chunk of its own for that would import this one back. */
const GUARD =
  /[\\/]src[\\/]((rules[\\/](guard|hooks|tools)|surfaces[\\/]hooks)[\\/]|adapters[\\/]workspace[\\/]config[\\/]hook-settings)/;
const CORE = /[\\/]src[\\/](?!version)/;
const isCore = (id: string) => CORE.test(id) && !GUARD.test(id);

/** What loads the parts is none of them. */
const LOADER: Plugin = {
  name: 'loader',
  resolveId: (id) => (id.endsWith('/files/parts.ts') ? { id: './parts.cjs', external: true } : null),
};

/**
 * Every chunk costs a start about a millisecond, every kilobyte of it some microseconds: what a run loads first goes into
 * the chunks of its parts, what several commands share besides into one chunk, each library and the guard into its own,
 * so that only the commands that need it load it. The version stays by itself, as `--version` loads nothing else.
 */
const chunksOf = (startup: ReadonlyMap<string, StartupPart>) => [
  // Else it would be in the program's entry, which is no module for others.
  { name: 'version', test: /[\\/](src[\\/]version\.ts|package\.json)$/ },
  { name: 'ink', test: INK },
  ...['commander', '(@?hono)', 'jsonc-parser', 'micromark', '@modelcontextprotocol', 'unbash', 'yaml', 'zod'].map(
    (name) => ({
      name: name.replace(/[^a-z-]/g, ''),
      test: new RegExp(`[\\\\/]node_modules[\\\\/]${name}`),
    }),
  ),
  ...STARTUP_PARTS.map((name) => ({
    name,
    test: (id: string) => CORE.test(id) && startup.get(id) === name,
  })),
  { name: 'guard', test: GUARD },
  { name: 'core', test: isCore, minShareCount: 3 },
];

/**
 * Bundles src/ into dist/. Safe beside a running build or program: chunks are named by their content, a file
 * appears whole or not at all, and the programs are switched to the new chunks last.
 *
 * @throws what the bundler reports, warnings included: an unresolved import must not ship
 */
export async function bundle(): Promise<void> {
  const startup = startupParts();
  const build = await rolldown({
    cwd: root,
    input: ENTRIES,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    // jsonc-parser's `main` is UMD, whose inner requires no bundler can follow; its `module` is not.
    resolve: { mainFields: ['module', 'main'] },
    // Installed, not bundled: native code with prebuilt binaries beside it, and the engine of a fleet, which few need.
    external: ['fs-native-extensions', /^@dbos-inc\/dbos-sdk/, 'pg'],
    // Without React's checks for developers: they take time at each frame.
    transform: { target: 'node20.19', define: { 'process.env.NODE_ENV': '"production"' } },
    treeshake: WHAT_IS_USED,
    plugins: [INK_STAND_INS, LOADER],
    onLog(level, log) {
      // What the command hook loads lazily is loaded at once where a run shares it.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
    },
  });
  // CommonJS: of ES modules, Node 20 takes no compiled form. Identifiers and line breaks stay, so that a stack trace that
  // a user sends is readable; chunks load from one flat folder, as `new URL('./x.js', import.meta.url)` in any of them
  // must find its neighbours.
  const { output: program } = await build.generate({
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: false,
    dynamicImportInCjs: false,
    comments: false,
    // A judge's chunk does not bring along what it shares with all others.
    codeSplitting: { groups: chunksOf(startup), includeDependenciesRecursively: false },
  });
  await build.close();

  const output = [...program, ...(await modules())];
  const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk');
  await mkdir(dist, { recursive: true });
  const others = [...(await bundleSingleFiles()), await bundlePage()];
  await put('THIRD-PARTY-LICENSES.txt', await thirdPartyLicenses([...chunks, ...others]));
  await put(PLUGIN_TYPES, await pluginTypes());
  await mkdir(join(dist, MAN_FOLDER), { recursive: true });
  for (const [name, text] of manPages()) await put(join(MAN_FOLDER, name), text);
  for (const part of [...output].sort(programsLast)) {
    await put(part.fileName, part.type === 'chunk' ? oneByte(part.code) : part.source);
  }
  await removeAllBut([
    PLUGIN_TYPES,
    'THIRD-PARTY-LICENSES.txt',
    PAGE,
    MAN_FOLDER,
    ...SINGLE_FILES,
    ...output.map((part) => part.fileName),
  ]);
}

async function modules(): Promise<readonly OutputChunk[]> {
  const build = await rolldown({ cwd: root, input: MODULES, platform: 'node', treeshake: WHAT_IS_USED });
  const { output } = await build.generate({ format: 'esm', comments: false });
  await build.close();
  return output.filter((part) => part.type === 'chunk');
}

function programsLast(a: OutputChunk | OutputAsset, b: OutputChunk | OutputAsset): number {
  return Number(a.type === 'chunk' && a.isEntry) - Number(b.type === 'chunk' && b.isEntry);
}

async function put(name: string, content: string | Uint8Array): Promise<void> {
  const temporary = join(dist, `.${basename(name)}.${process.pid}`);
  await writeFile(temporary, content);
  await rename(temporary, join(dist, name));
}

async function removeAllBut(names: readonly string[]): Promise<void> {
  const leftovers = (await readdir(dist)).filter((name) => !names.includes(name) && !name.startsWith('.'));
  await Promise.all(leftovers.map((name) => rm(join(dist, name), { recursive: true, force: true })));
}
