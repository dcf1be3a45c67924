import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from '../../../contracts/errors.ts';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { readText, realPath, remove } from '../../../platform/files/files.ts';
import { parseJson } from '../../../rules/backlog/formats/json-syntax.ts';

/**
 * Reads a settings file of the client's.
 * @returns null when there is none
 * @throws ConfigError with file and line when it is no JSON object: it is a person's to mend
 */
export async function readSettings(path: string): Promise<string | null> {
  const text = await readText(path);
  if (text === null) return null;
  const parsed = parseJson(text, path);
  if ('problem' in parsed) {
    const { line, message, mend } = parsed.problem;
    throw unusable(`${path}:${line}`, message, mend);
  }
  if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value)) {
    throw unusable(`${path}:1`, 'it holds no object of settings', 'write {} or remove the file');
  }
  return text;
}

/** What became of a file: `backup` is where its text from before our first change is kept, if there was one. */
export interface SettingsChange {
  readonly path: string;
  readonly changed: boolean;
  readonly backup: string | null;
}

/** Writes settings; what was there before our first change is kept beside the file. */
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
 * Writes settings from which our entries were taken. If nothing else happened to the file since, it is what it was,
 * byte for byte: removed where we had made it. Otherwise the backup stays, for a person to compare.
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

/** People keep settings in a folder of dotfiles and link to them: the link stays. */
async function followed(path: string): Promise<string> {
  return realPath(path).catch(() => path);
}

function unusable(where: string, why: string, mend: string): ConfigError {
  return new ConfigError({ what: "the client's settings cannot be read", where, why, mend: [mend] });
}
