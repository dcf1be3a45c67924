import type { Git } from '../adapters/git/index.ts';
import { fits, jsonValue, LockedError, listOf, object, StateError, wrongField } from '../contracts/index.ts';
import { appendLine, readLog, readText, thisProcess, tryLock, writePrivate } from '../platform/index.ts';
import {
  type DroppedCommit,
  droppedCommit,
  type LabResult,
  type LabTask,
  labResult,
  labTask,
} from '../rules/lab/index.ts';

const stored = object({ tasks: listOf(labTask), dropped: listOf(droppedCommit) });

export interface LabTasks {
  readonly tasks: readonly LabTask[];
  readonly dropped: readonly DroppedCommit[];
}

/**
 * Where the lab of a repository is: beside its objects, which hold the solutions anyway. What hides them from an agent
 * hides this.
 */
export function labFolder({ repo }: Pick<Git, 'repo'>): string {
  return `${repo.commonDir}/ralph/lab`;
}

/** A missing file holds no tasks. @throws StateError naming the field that does not fit */
export async function readTasks(folder: string): Promise<LabTasks> {
  const path = `${folder}/tasks.json`;
  const text = await readText(path);
  if (text === null) return { tasks: [], dropped: [] };
  const value = jsonValue(text);
  if (fits(stored, value)) return value;
  const field = wrongField(stored, value);
  throw new StateError({
    what: 'the tasks of the lab cannot be read',
    where: path,
    why: field ? `\`${field}\` is missing or of the wrong type` : 'it is not JSON with `tasks` and `dropped`',
    fix: ['correct it', 'or remove it: `ralph lab mine` creates it again'],
  });
}

export async function writeTasks(folder: string, { tasks, dropped }: LabTasks): Promise<void> {
  await writePrivate(`${folder}/tasks.json`, `${JSON.stringify({ tasks, dropped }, null, 2)}\n`);
}

/** In the order in which they came. `unreadable`: the number of lines that are no results; a torn last line is none. */
export async function readResults(
  folder: string,
): Promise<{ readonly results: readonly LabResult[]; readonly unreadable: number }> {
  const { lines } = await readLog(`${folder}/results.jsonl`);
  const results = lines.map(jsonValue).filter((value) => fits(labResult, value));
  return { results, unreadable: lines.length - results.length };
}

/** It is on the disk when this returns. Several processes may append. */
export async function appendResult(folder: string, result: LabResult): Promise<void> {
  await appendLine(`${folder}/results.jsonl`, JSON.stringify(result));
}

/**
 * Runs a task while no other process changes this part of the lab.
 * @param part `mine` or `run`
 * @throws LockedError
 */
export async function withLab<T>(folder: string, part: string, task: () => Promise<T>): Promise<T> {
  // A lock also takes the folder above its own: each part has one.
  const lock = await tryLock(`${folder}/locks/${part}/held/by`, thisProcess(`ralph lab ${part}`));
  if ('heldBy' in lock) {
    const { heldBy } = lock;
    throw new LockedError({
      what: `\`ralph lab ${part}\` is running in this repository`,
      ...(heldBy && { where: `pid ${heldBy.pid} on ${heldBy.host}, since ${heldBy.startedAt}` }),
      fix: ['wait for it to end, or stop it with Ctrl-C in its terminal'],
    });
  }
  try {
    return await task();
  } finally {
    await lock.release();
  }
}
