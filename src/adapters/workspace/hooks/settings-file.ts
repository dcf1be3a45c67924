import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from '../../../contracts/index.ts';
import { readText, realPath, remove, writeAtomic } from '../../../platform/index.ts';
import { parseJson } from '../../../rules/backlog/index.ts';

/**
 * Reads a settings file of the client.
 * @returns null when there is none
 * @throws ConfigError with file and line when it is not a JSON object: a person has to fix it
 */
export async function readSettings(path: string): Promise<string | null> {
  const text = await readText(path);
  if (text === null) return null;
  const parsed = parseJson(text, path);
  if ('problem' in parsed) {
    const { line, message, fix } = parsed.problem;
    throw unusable(`${path}:${line}`, message, fix);
  }
  if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value)) {
    throw unusable(`${path}:1`, 'it does not hold an object of settings', 'write {} or remove the file');
  }
  return text;
}

/** What happened to a file: `backup` is where its text from before our first change is kept, if there was one. */
export interface SettingsChange {
  readonly path: string;
  readonly changed: boolean;
  readonly backup: string | null;
}

/** Writes settings; the text from before our first change is kept beside the file. */
export async function writeSettings(
  path: string,
  text: { readonly before: string | null; readonly after: string },
  isFirstChange: boolean,
): Promise<SettingsChange> {
  const backup = backupPath(path);
  if (text.before !== null && isFirstChange) await writeAtomic(backup, text.before);
  if (text.before !== text.after) await writeAtomic(await followed(path), text.after);
  const kept = (await readText(backup)) !== null;
  return { path, changed: text.before !== text.after, backup: kept ? backup : null };
}

/**
 * Writes settings without our entries. If the file has no other changes since, its original is restored byte for byte,
 * or the file is removed if it was created here. Otherwise the backup stays, for a person to compare.
 */
export async function restoreSettings(
  path: string,
  text: { readonly before: string; readonly after: string },
): Promise<SettingsChange> {
  const backup = backupPath(path);
  const original = await readText(backup);
  const after: unknown = JSON.parse(text.after);
  if (original !== null && isDeepStrictEqual(JSON.parse(original), after)) {
    await writeAtomic(await followed(path), original);
    await remove(backup);
    return { path, changed: true, backup: null };
  }
  if (original === null && isDeepStrictEqual(after, {})) await remove(path);
  else await writeAtomic(await followed(path), text.after);
  return { path, changed: true, backup: original === null ? null : backup };
}

function backupPath(path: string): string {
  return `${path}.before-ralph`;
}

/** People link settings to a folder of dotfiles: the link stays. */
async function followed(path: string): Promise<string> {
  return realPath(path).catch(() => path);
}

function unusable(where: string, why: string, fix: string): ConfigError {
  return new ConfigError({ what: "the client's settings cannot be read", where, why, fix: [fix] });
}
