import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isolatedDeclaration } from 'rolldown/experimental';
import { root } from '../root.ts';

/** Its name in `dist/`; `exports` of package.json names it. */
export const PLUGIN_TYPES = 'plugin.d.ts';

/**
 * The types that plugins are written against: those of one file that imports nothing, so that nothing else of the
 * sources has to ship.
 * @throws what the compiler reports, and where the file imports something after all
 */
export async function pluginTypes(): Promise<string> {
  const file = join(root, 'src/plugins/plugin.ts');
  const { code, errors } = await isolatedDeclaration(file, await readFile(file, 'utf8'));
  const [error] = errors;
  if (error) throw new Error(`${file}: ${error.message}`);
  if (/^import /m.test(code)) throw new Error(`${file} imports something: its types would not stand by themselves`);
  return code;
}
