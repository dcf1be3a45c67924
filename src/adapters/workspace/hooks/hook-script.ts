import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists } from '../../../platform/files/files.ts';

/**
 * Absolute path of the command hook in this installation. The package is looked for upwards from this module, which lies
 * deeper in the sources than in the built package.
 */
export async function hookScript(): Promise<string> {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (await exists(join(folder, 'package.json'))) return join(folder, 'plugin', 'hook.cjs');
    if (folder === dirname(folder)) throw new Error('this installation of ralph is incomplete');
  }
}
