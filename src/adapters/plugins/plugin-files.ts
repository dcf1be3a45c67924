import { join } from 'node:path';
import type { PluginSetting } from '../../contracts/config.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { localImports } from '../../rules/plugins/local-imports.ts';
import { filesMeant } from './code-files.ts';
import { findPlugin, isPath, within } from './find-plugin.ts';

const MOST_FILES = 500;
const MOST_BYTES = 1024 * 1024;

/**
 * What of the work tree runs on the host as a plugin, relative to the root: the files that the configuration names,
 * what these import from the tree, and the folders of packages. None of it is run to find out. What a plugin works out
 * at run time is not found, and a file that is not there counts by its name: nobody may put one there.
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
  for (let file = queue.shift(); file !== undefined && files.size < MOST_FILES; file = queue.shift()) {
    if (files.has(file)) continue;
    files.add(file);
    const { bytes } = await readInside(root, file, MOST_BYTES);
    if (bytes === null) continue;
    for (const imported of localImports(file, bytes.toString('utf8')))
      queue.push(...(await filesMeant(root, imported)));
  }
  return [...files, ...folders];
}
