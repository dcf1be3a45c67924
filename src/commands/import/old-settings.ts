import { posix } from 'node:path';
import type { OldFile } from '../../adapters/workspace/import/folder.ts';
import { migrateSettings, type SettingMove } from '../../rules/import/migrate-settings.ts';
import { flatten, readAssignments, readToml } from '../../rules/import/read-settings.ts';

/** What becomes of the settings of another loop, and what could not be read of them. Nothing is run. */
export async function readOldSettings(
  files: readonly OldFile[],
): Promise<{ readonly moves: readonly SettingMove[]; readonly warnings: readonly string[] }> {
  const found = new Map<string, unknown>();
  const warnings: string[] = [];
  for (const { path, text } of files) {
    const { values, unread } = await valuesIn(path, text);
    for (const [name, value] of Object.entries(values)) if (!found.has(name)) found.set(name, value);
    for (const each of unread) warnings.push(`${path}: not taken over, a shell would have to work it out: ${each}`);
  }
  return { moves: migrateSettings(Object.fromEntries(found)), warnings };
}

async function valuesIn(
  path: string,
  text: string,
): Promise<{ readonly values: Readonly<Record<string, unknown>>; readonly unread: readonly string[] }> {
  const ending = posix.extname(path);
  if (ending === '.toml') return { values: readToml(text), unread: [] };
  if (!['.json', '.yaml', '.yml'].includes(ending)) return readAssignments(text);
  // Every JSON text is YAML as well.
  const { parse } = await import('yaml');
  try {
    return { values: flatten(parse(text)), unread: [] };
  } catch (error) {
    return {
      values: {},
      unread: [error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'it cannot be read'],
    };
  }
}
