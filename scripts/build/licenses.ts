import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputChunk } from 'rolldown';

/**
 * The licences of the packages whose code is in the bundle, as their terms ask. Derived from what was really
 * bundled: a package that is imported but shaken out is not named.
 *
 * @throws when a bundled package carries no licence text: someone must look before it ships
 */
export async function thirdPartyLicenses(chunks: readonly OutputChunk[]): Promise<string> {
  const folders = new Set<string>();
  for (const chunk of chunks) {
    for (const [id, module] of Object.entries(chunk.modules)) {
      const folder = packageFolder(id);
      if (folder !== null && module.renderedLength > 0) folders.add(folder);
    }
  }
  const notices = await Promise.all([...folders].map(notice));
  const intro = 'The programs in this folder contain code of the following packages.\n';
  return [intro, ...notices.sort()].join(`\n${'-'.repeat(80)}\n\n`);
}

/** `…/node_modules/@scope/name/lib/x.js` → `…/node_modules/@scope/name`; null for our own and virtual modules. */
function packageFolder(moduleId: string): string | null {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(moduleId)?.[0] ?? null;
}

/** Packages that ship no text of their licence, and one of the same holder under the same licence that does. */
const SAME_LICENCE: Readonly<Record<string, string>> = { 'yoga-layout': 'react' };

async function notice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const same = SAME_LICENCE[name];
  const text = await licenceText(same === undefined ? folder : join(folder, '..', same));
  if (text === null) throw new Error(`${name} is bundled but has no licence file`);
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

async function licenceText(folder: string): Promise<string | null> {
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e([.-]|$)/i.test(entry));
  return file === undefined ? null : readFile(join(folder, file), 'utf8');
}
