import { join } from 'node:path';
import { list, readBytes, realPath, stat } from '../../../platform/files/files.ts';
import { isWithin } from '../view/paths.ts';
import { holdsCredential, isSettingsFile } from './inline-credentials.ts';

/** A file to be copied. */
export interface Picked {
  /** Below the configuration folder. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

export interface Pick {
  readonly files: readonly Picked[];
  /** What was left out, and why, for the person: `skills/x is larger than 1 MB`. */
  readonly leftOut: readonly string[];
}

/** Instructions and small programs; more is a mistake, or no instruction. */
const LIMITS = { fileBytes: 1024 ** 2, totalBytes: 32 * 1024 ** 2, files: 4000, depth: 12 };

/**
 * Reads the named parts of a person's configuration folder. Links are followed as long as they stay in that folder: one
 * that an agent had put there at another time may lead to anything. Missing parts are passed over, and so is what is
 * neither file nor folder.
 */
export async function pickParts(folder: string, parts: readonly string[]): Promise<Pick> {
  const root = await realPath(folder).catch(() => null);
  if (root === null) return { files: [], leftOut: [] };
  const files: Picked[] = [];
  const leftOut: string[] = [];
  let total = 0;

  async function take(path: string, depth: number): Promise<void> {
    const real = await realPath(join(root ?? '', path)).catch(() => null);
    if (real === null) return;
    if (!isWithin(real, root ?? '')) return void leftOut.push(`${path} is a link to a place outside ${folder}`);
    const found = await stat(real);
    if (found?.kind === 'dir') {
      if (depth >= LIMITS.depth) return void leftOut.push(`${path} lies too deep`);
      for (const name of await list(real)) if (name !== '.git') await take(join(path, name), depth + 1);
      return;
    }
    if (found?.kind !== 'file') return;
    if (found.size > LIMITS.fileBytes) return void leftOut.push(`${path} is larger than 1 MB`);
    if (files.length >= LIMITS.files || total + found.size > LIMITS.totalBytes) {
      return void leftOut.push(`${path}: too much to copy`);
    }
    const bytes = (await readBytes(real)) ?? new Uint8Array();
    if (isSettingsFile(path) && holdsCredential(new TextDecoder().decode(bytes))) {
      return void leftOut.push(`${path} holds a key or a password (name a variable there instead)`);
    }
    total += bytes.byteLength;
    files.push({ path, bytes, executable: (found.mode & 0o111) !== 0 });
  }

  for (const part of parts) await take(part, 0);
  return { files, leftOut };
}
