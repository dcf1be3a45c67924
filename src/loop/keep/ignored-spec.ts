import type { Workspace } from '../../adapters/workspace/layout.ts';
import type { ProtectedNames } from '../../contracts/state/journal.ts';
import { stat } from '../../platform/files/files.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { loopFiles } from './loop-files.ts';

/** A backlog is no larger, and neither is a progress log. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Backlog, progress log and review records that git ignores, because a person keeps their spec folder out of the
 * repository. The loop writes them as always and never commits them. No tree holds them either, so that the journal
 * carries them: recovery judges by them and puts them back.
 * @param ignored files, and folders with a slash at the end, as git lists them at the checkpoint
 * @returns undefined where git has them all
 */
export async function takeIgnoredSpec(
  workspace: Workspace,
  ignored: readonly string[],
): Promise<ProtectedNames | undefined> {
  const all = loopFiles(workspace);
  const hidden = all.filter((path) => isIgnored(path, ignored));
  if (hidden.length === 0) return undefined;
  const found: Record<string, ProtectedNames[string]> = {};
  for (const path of all) {
    const there = await stat(`${workspace.root}/${path}`);
    // One that is not there yet goes the way of the others.
    if (there !== null && !hidden.includes(path)) continue;
    const { bytes } = await readInside(workspace.root, path, MOST_BYTES);
    found[path] =
      there === null || bytes === null
        ? null
        : { kind: 'file', mode: there.mode, base64: Buffer.from(bytes).toString('base64') };
  }
  return found;
}

/** Whether git ignores a path, by its own list. Pure. */
export function isIgnored(path: string, ignored: readonly string[]): boolean {
  return ignored.some((entry) => entry === path || (entry.endsWith('/') && path.startsWith(entry)));
}

/** Of the files that the loop writes, those that belong into its commit. */
export function committedOf<Text>(
  files: Readonly<Record<string, Text>>,
  spec: ProtectedNames | undefined,
): Readonly<Record<string, Text>> {
  if (spec === undefined) return files;
  return Object.fromEntries(Object.entries(files).filter(([path]) => !Object.hasOwn(spec, path)));
}

/** The bytes of one of them as the checkpoint found it; null where there was none, undefined where git has it. */
export function ignoredBytes(spec: ProtectedNames | undefined, path: string): Uint8Array | null | undefined {
  if (spec === undefined || !Object.hasOwn(spec, path)) return undefined;
  const entry = spec[path] ?? null;
  return entry?.kind === 'file' ? Buffer.from(entry.base64, 'base64') : null;
}
