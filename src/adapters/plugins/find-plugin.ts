import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ConfigError } from '../../contracts/errors.ts';
import { list, readText, realPath, stat } from '../../platform/files/files.ts';
import { nearest } from '../../rules/nearest.ts';
import { shellWord } from '../../rules/shell-word.ts';

/** Where the module of a plugin is. */
export interface PluginPlace {
  /** As the configuration names it. */
  readonly use: string;
  /** Absolute, links resolved. */
  readonly path: string;
  /** Relative to the root, `/`-separated; null when it lies elsewhere. */
  readonly inTree: string | null;
}

/** Whether a plugin is named by its path, not as a package. */
export function isPath(use: string): boolean {
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
export function within(root: string, path: string): string | null {
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
    // Packages for `import` alone are none for `require`.
  }
  for (let folder = root; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', use);
    const text = await readText(join(place, 'package.json'));
    if (text !== null) return findFile(resolve(place, entryOf(text) ?? 'index.js'));
    if (folder === dirname(folder)) return null;
  }
}

/** What `import` takes of a package; null when its package.json does not say so. */
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
      mend: [
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
    mend: [
      ...(inTree === null ? [] : [`did you mean './${inTree}'?`]),
      'paths are relative to the root of the project',
    ],
  });
}

const MODULE = /\.[cm]?[jt]s$/;
/** A package, or a folder of one: nothing else can be installed. */
const PACKAGE = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(?:\/|$)/;

/** A slip of the pen is likelier than a package nobody installed, and a name typed wrong may be a stranger's package. */
async function missingPackage(root: string, use: string): Promise<{ readonly why: string; readonly mend: string[] }> {
  const file = await findFile(resolve(root, use)).catch(() => null);
  const name = PACKAGE.test(use) && !MODULE.test(use) ? use.split('/', use.startsWith('@') ? 2 : 1).join('/') : null;
  return {
    why: 'no package of this name is installed',
    mend: [
      file === null
        ? 'a file of the project starts with ./'
        : `a file of the project starts with ./: did you mean './${use}'?`,
      ...(name === null
        ? []
        : [`if there is such a package, and it is the one you mean: npm install --save-dev ${shellWord(name)}`]),
    ],
  };
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(await realPath(path).catch(() => path)))?.kind === 'dir';
}

/** `join` takes the dot away by which a path is told from a package. */
function dotted(path: string): string {
  return isPath(path) ? path : `./${path}`;
}

function likeliest(name: string, names: readonly string[]): string | null {
  const stem = (one: string) => one.replace(/\.[a-z]+$/, '');
  return names.find((one) => one !== name && stem(one) === stem(name)) ?? nearest(name, names);
}
