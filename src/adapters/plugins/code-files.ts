import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { list, readText, realPath, stat } from '../../platform/files/files.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { joinedTo, localImports, packagesNamed } from '../../rules/plugins/local-imports.ts';
import { within } from './find-plugin.ts';

/** What a configuration and its plugins may consist of; more is refused when it is loaded. */
const MOST_FILES = 5_000;
const MOST_BYTES = 2 * 1024 * 1024;
const MODULE = /\.([cm]?js|[cm]?ts|json|node|wasm)$/;

/** As `require` completes a path. */
const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.json', '/index.js', '/index.mjs', '/index.ts'];

/**
 * The files of the work tree that run on the host when these modules are loaded: what they import from it, and the
 * packages they name with all that these depend on. None of it is run to find out.
 * @param entries relative to the root
 * @returns path relative to the root → SHA-256 in hex; the text `missing` for a file that is not there
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

/** The file that an import means, and the one that it leads to when it is a link; a name that nothing has, as it is. */
export async function filesMeant(root: string, path: string): Promise<readonly string[]> {
  for (const ending of ENDINGS) {
    const candidate = joinedTo([], path + ending);
    const real = candidate && (await realPath(join(root, candidate)).catch(() => null));
    if (!candidate || !real || (await stat(real))?.kind !== 'file') continue;
    const target = within(root, real);
    return target === null || target === candidate ? [candidate] : [candidate, target];
  }
  return [path];
}

/** Every module of a package in the tree, found from a file upwards as Node does, with those it depends on. */
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
      if (kind === 'file' && MODULE.test(name)) found.push(`${dir}/${name}`);
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
