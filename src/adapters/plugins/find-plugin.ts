import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ConfigError, type PluginSetting } from '../../contracts/index.ts';
import { list, readInside, readText, realPath, stat } from '../../platform/index.ts';
import { joinedTo, localImports, packagesNamed } from '../../rules/plugins.ts';
import { nearest, shellWord } from '../../rules/text/index.ts';

/** The location of a plugin's module. */
interface PluginPlace {
  /** As the configuration names it. */
  readonly use: string;
  /** Absolute, links resolved. */
  readonly path: string;
  /** Relative to the root, `/`-separated; null when it is elsewhere. */
  readonly inTree: string | null;
}

/** Whether a plugin is named by its path, not as a package. */
function isPath(use: string): boolean {
  return /^\.{0,2}\//.test(use);
}

/** @throws ConfigError when there is no such file or package */
export async function findPlugin(root: string, use: string): Promise<PluginPlace> {
  const found = isPath(use) ? await findFile(resolve(root, use)) : await findPackage(root, use);
  if (found === null) throw await missing(root, use);
  const path = await realPath(found);
  return { use, path, inTree: within(root, path) };
}

/** A path below the root, relative to it; null for any other. */
function within(root: string, path: string): string | null {
  const inside = relative(root, path);
  const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isOutside ? null : inside.split(sep).join('/');
}

/** The file, or the index of a folder. */
async function findFile(path: string): Promise<string | null> {
  for (const candidate of [path, join(path, 'index.js'), join(path, 'index.mjs'), join(path, 'index.ts')]) {
    const real = await realPath(candidate).catch(() => null);
    if (real !== null && (await stat(real))?.kind === 'file') return candidate;
  }
  return null;
}

async function findPackage(root: string, use: string): Promise<string | null> {
  try {
    const path = createRequire(join(root, 'package.json')).resolve(use);
    if (isAbsolute(path)) return path;
  } catch {
    // Packages for `import` alone cannot be found by `require`.
  }
  for (let folder = root; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', use);
    const text = await readText(join(place, 'package.json'));
    if (text !== null) return findFile(resolve(place, entryOf(text) ?? 'index.js'));
    if (folder === dirname(folder)) return null;
  }
}

/** The file that `import` loads from a package; null when its package.json does not name one. */
function entryOf(packageJson: string): string | null {
  try {
    const { exports, main } = JSON.parse(packageJson) as { readonly exports?: unknown; readonly main?: unknown };
    const entry = targetOf(exports) ?? main;
    return typeof entry === 'string' ? entry : null;
  } catch {
    return null;
  }
}

function targetOf(exports: unknown): string | null {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return null;
  const targets = exports as Readonly<Record<string, unknown>>;
  for (const condition of ['.', 'import', 'node', 'default']) {
    const target = targetOf(targets[condition]);
    if (target !== null) return target;
  }
  return null;
}

const WHERE = 'plugins of the configuration';

async function missing(root: string, use: string): Promise<ConfigError> {
  const what = `the plugin '${use}' cannot be found`;
  if (!isPath(use)) return new ConfigError({ what, where: WHERE, ...(await missingPackage(root, use)) });
  const path = resolve(root, use);
  if (await isFolder(path)) {
    const modules = (await list(path)).filter((name) => MODULE.test(name)).slice(0, 3);
    return new ConfigError({
      what: `the plugin '${use}' is a folder`,
      where: WHERE,
      why: 'it has no index.js, index.mjs or index.ts',
      fix: [
        `name the file in it${modules.length > 0 ? `: ${modules.map((name) => dotted(join(use, name))).join(', ')}` : ''}`,
      ],
    });
  }
  const folder = dirname(path);
  const near = likeliest(basename(use), await list(folder));
  const inTree = near === null ? null : within(root, join(folder, near));
  return new ConfigError({
    what,
    where: WHERE,
    why: `there is no file ${path}`,
    fix: [...(inTree === null ? [] : [`did you mean './${inTree}'?`]), 'paths are relative to the root of the project'],
  });
}

const MODULE = /\.[cm]?[jt]s$/;
/** A package, or a folder in one: nothing else can be installed. */
const PACKAGE = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(?:\/|$)/;

/** A typo is likelier than a package that was never installed, and a mistyped name may be a stranger's package. */
async function missingPackage(root: string, use: string): Promise<{ readonly why: string; readonly fix: string[] }> {
  const file = await findFile(resolve(root, use)).catch(() => null);
  const name = PACKAGE.test(use) && !MODULE.test(use) ? use.split('/', use.startsWith('@') ? 2 : 1).join('/') : null;
  return {
    why: 'no package of this name is installed',
    fix: [
      file === null
        ? 'a path in the project starts with ./'
        : `a path in the project starts with ./: did you mean './${use}'?`,
      ...(name === null
        ? []
        : [`if there is such a package, and it is the one you mean: npm install --save-dev ${shellWord(name)}`]),
    ],
  };
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(await realPath(path).catch(() => path)))?.kind === 'dir';
}

/** `join` removes the dot that distinguishes a path from a package. */
function dotted(path: string): string {
  return isPath(path) ? path : `./${path}`;
}

function likeliest(name: string, names: readonly string[]): string | null {
  const stem = (one: string) => one.replace(/\.[a-z]+$/, '');
  return names.find((one) => one !== name && stem(one) === stem(name)) ?? nearest(name, names);
}

/** Most files of a configuration and its plugins; with more, loading is refused. */
const MOST_FILES = 5_000;
const MOST_BYTES = 2 * 1024 * 1024;
const LOADABLE = /\.([cm]?js|[cm]?ts|json|node|wasm)$/;

/** The endings with which `require` completes a path. */
const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.json', '/index.js', '/index.mjs', '/index.ts'];

/**
 * The files of the work tree that run on the host when these modules are loaded: their imports from it, and the
 * packages they name with all dependencies. None of it is run to find out.
 * @param entries relative to the root
 * @returns path relative to the root → SHA-256 in hex; the text `missing` for a file that does not exist
 */
export async function codeFiles(root: string, entries: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const packages = new Set<string>();
  const queue = [...entries];
  const real = await realPath(root);
  for (let file = queue.shift(); file !== undefined && Object.keys(found).length < MOST_FILES; file = queue.shift()) {
    if (found[file] !== undefined) continue;
    const { bytes } = await readInside(real, file, MOST_BYTES);
    found[file] = bytes === null ? 'missing' : createHash('sha256').update(bytes).digest('hex');
    if (bytes === null) continue;
    const text = bytes.toString('utf8');
    for (const imported of localImports(file, text)) queue.push(...(await filesMeant(real, imported)));
    for (const name of packagesNamed(text)) queue.push(...(await filesOfPackage(real, file, name, packages)));
  }
  return found;
}

/** The file that an import means, and its target when it is a link; a name without a file, unchanged. */
async function filesMeant(root: string, path: string): Promise<readonly string[]> {
  for (const ending of ENDINGS) {
    const candidate = joinedTo([], path + ending);
    const real = candidate && (await realPath(join(root, candidate)).catch(() => null));
    if (!candidate || !real || (await stat(real))?.kind !== 'file') continue;
    const target = within(root, real);
    return target === null || target === candidate ? [candidate] : [candidate, target];
  }
  return [path];
}

/** Every module of a package in the tree, found from a file upwards as Node does, with its dependencies. */
async function filesOfPackage(root: string, from: string, name: string, seen: Set<string>): Promise<readonly string[]> {
  for (let folder = from.split('/').slice(0, -1); ; folder = folder.slice(0, -1)) {
    const place = [...folder, 'node_modules', name].join('/');
    const real = await realPath(join(root, place)).catch(() => null);
    const inTree = real && within(root, real);
    if (inTree) {
      if (seen.has(inTree)) return [];
      seen.add(inTree);
      const files = await modulesBelow(root, inTree);
      const needs = dependenciesIn(await readText(join(root, inTree, 'package.json')));
      const more = await Promise.all(needs.map((need) => filesOfPackage(root, `${inTree}/package.json`, need, seen)));
      return [...files, ...more.flat()];
    }
    if (folder.length === 0) return [];
  }
}

async function modulesBelow(root: string, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const queue = [folder];
  for (let dir = queue.shift(); dir !== undefined && found.length < MOST_FILES; dir = queue.shift()) {
    for (const name of await list(join(root, dir))) {
      const kind = (await stat(join(root, dir, name)))?.kind;
      if (kind === 'dir' && name !== 'node_modules') queue.push(`${dir}/${name}`);
      if (kind === 'file' && LOADABLE.test(name)) found.push(`${dir}/${name}`);
    }
  }
  return found;
}

function dependenciesIn(text: string | null): readonly string[] {
  try {
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = JSON.parse(text ?? '{}');
    return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  } catch {
    return [];
  }
}

const MOST_PLUGIN_FILES = 500;
const MOST_PLUGIN_BYTES = 1024 * 1024;

/**
 * The part of the work tree that runs on the host as a plugin, relative to the root: the files that the configuration
 * names, their imports from the tree, and the folders of packages. None of it is run to find out. Paths that a plugin
 * computes at run time are not found. A file that does not exist counts by its name: no process may create it.
 */
export async function pluginFiles(root: string, plugins: readonly PluginSetting[]): Promise<readonly string[]> {
  const files = new Set<string>();
  const folders = new Set<string>();
  const named: string[] = [];
  for (const { use } of plugins) {
    if (isPath(use)) named.push(...([within(root, join(root, use))] as const).filter((path) => path !== null));
    else folders.add(`node_modules/${use.split('/', use.startsWith('@') ? 2 : 1).join('/')}`);
    const place = await findPlugin(root, use).catch(() => null);
    const packageFolder = place?.inTree?.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
    if (packageFolder) folders.add(packageFolder);
    else if (place?.inTree) named.push(place.inTree);
  }
  const queue = [...named];
  for (let file = queue.shift(); file !== undefined && files.size < MOST_PLUGIN_FILES; file = queue.shift()) {
    if (files.has(file)) continue;
    files.add(file);
    const { bytes } = await readInside(root, file, MOST_PLUGIN_BYTES);
    if (bytes === null) continue;
    for (const imported of localImports(file, bytes.toString('utf8')))
      queue.push(...(await filesMeant(root, imported)));
  }
  return [...files, ...folders];
}
