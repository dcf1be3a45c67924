import { join } from 'node:path';
import { list, readText, stat } from '../../platform/files/files.ts';
import { namesFile, REGISTRY_FILES } from '../../rules/isolation/registries.ts';

/** Lock files of large projects have some megabytes; what is larger is passed over. */
const FILE_BYTES = 8 * 1024 * 1024;
const ALL_BYTES = 48 * 1024 * 1024;

/** Of projects with more, the first by name tell enough. */
const FOLDERS = 400;

/** Folders below the root: `apps/web` is at the second level. */
const LEVELS = 2;

/** Holds other people's packages, or what was built. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  'node_modules',
  'vendor',
  'target',
  'dist',
  'build',
  'out',
  'venv',
  'bower_components',
  'Pods',
]);

/** Files of these are named with their folder. */
const SUBFOLDERS: readonly string[] = [
  ...new Set(REGISTRY_FILES.filter((name) => name.includes('/')).map((name) => name.slice(0, name.lastIndexOf('/')))),
];

/**
 * The files that tell which package registries a project uses: text by path below `root`, from the root and the folders
 * of its workspaces. Links are not followed. Reads what is there now: an agent may have written it.
 */
export async function readRegistryFiles(root: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  let left = ALL_BYTES;
  for (const folder of await foldersOf(root)) {
    for (const place of [folder, ...SUBFOLDERS.map((name) => join(folder, name))]) {
      for (const name of await list(join(root, place))) {
        const path = join(place, name);
        if (!namesFile(REGISTRY_FILES, path)) continue;
        const facts = await stat(join(root, path));
        if (facts?.kind !== 'file' || facts.size > Math.min(FILE_BYTES, left)) continue;
        found[path] = (await readText(join(root, path))) ?? '';
        left -= facts.size;
      }
    }
  }
  return found;
}

/** The root itself, as `''`, and what is below it, level by level. */
async function foldersOf(root: string): Promise<readonly string[]> {
  const folders = [''];
  let level = folders.slice();
  for (let depth = 0; depth < LEVELS; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      for (const name of await list(join(root, folder))) {
        if (folders.length + next.length >= FOLDERS) break;
        if (name.startsWith('.') || PASSED_OVER.has(name)) continue;
        if ((await stat(join(root, folder, name)))?.kind === 'dir') next.push(join(folder, name));
      }
    }
    folders.push(...next);
    level = next;
  }
  return folders;
}
