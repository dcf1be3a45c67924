import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, readText } from '../../../platform/files/files.ts';

/** The text of a file that `ralph init` writes. */
export async function readTemplate(name: 'prd.md' | 'tasks.json'): Promise<string> {
  const path = await templatePath(name);
  const text = await readText(path);
  if (text === null) throw new Error(`${path} is no file`);
  return text;
}

/**
 * Absolute path of something in the package's `templates/` folder. The folder is looked for upwards from this module,
 * which lies deeper in the sources than in the built package.
 */
export async function templatePath(name: string): Promise<string> {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'templates', name);
    if (await exists(path)) return path;
    if (folder === dirname(folder)) throw new Error(`templates/${name} is missing from this installation of ralph`);
  }
}
