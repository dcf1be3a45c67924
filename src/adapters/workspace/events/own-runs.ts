import { resolve } from 'node:path';
import { appendLine } from '../../../platform/files/append-line.ts';
import { exists, list, readText, stat } from '../../../platform/files/files.ts';
import { RUNS_FOLDER } from '../paths.ts';

/** One name a line: the runs of this work tree, in its git dir, where neither a clone nor an agent inside can write. */
const FILE = 'runs';
const RUN = /^\d{8}-\d{6}-[a-z0-9]+$/;

/**
 * Names of the runs of this work tree that left events, oldest first. Folders that came with a clone, or that an agent
 * made, are none of ours, however they look.
 */
export async function listRuns(root: string): Promise<readonly string[]> {
  const names = (await list(`${root}/${RUNS_FOLDER}`)).filter((name) => RUN.test(name));
  if (names.length === 0) return [];
  const stateDir = await stateDirOf(root);
  // Without a git dir nobody can say.
  if (stateDir === null) return names;
  const own = await ownRuns(stateDir);
  return own === null ? namesBefore(stateDir, names) : names.filter((name) => own.has(name));
}

/** Notes that a run is one of this work tree, before it writes its first event. */
export async function rememberRun(root: string, stateDir: string, run: string): Promise<void> {
  const own = await ownRuns(stateDir);
  if (own?.has(run)) return;
  const before = own === null ? await namesBefore(stateDir, await list(`${root}/${RUNS_FOLDER}`)) : [];
  await appendLine(`${stateDir}/${FILE}`, [...before.filter((name) => RUN.test(name) && name !== run), run].join('\n'));
}

async function ownRuns(stateDir: string): Promise<ReadonlySet<string> | null> {
  const text = await readText(`${stateDir}/${FILE}`);
  return text === null ? null : new Set(text.split('\n'));
}

/** Versions before this one kept no list: where they left a ledger, what is there is theirs. */
async function namesBefore(stateDir: string, names: readonly string[]): Promise<readonly string[]> {
  return (await exists(`${stateDir}/ledger.jsonl`)) ? names : [];
}

/** `<git dir>/ralph` of a work tree; null where there is no repository. */
async function stateDirOf(root: string): Promise<string | null> {
  const kind = (await stat(`${root}/.git`))?.kind;
  if (kind === 'dir') return `${root}/.git/ralph`;
  const pointer = kind === 'file' ? /^gitdir: (.+)/.exec((await readText(`${root}/.git`)) ?? '')?.[1] : undefined;
  return pointer === undefined ? null : `${resolve(root, pointer.trim())}/ralph`;
}
