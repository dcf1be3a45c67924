import { dirname } from 'node:path';
import { UnavailableError } from '../../contracts/errors.ts';
import { writeAtomic } from '../../platform/files/atomic-file.ts';
import { copy, exists, makeDir, remove } from '../../platform/files/files.ts';
import {
  appendTextSync,
  isThereSync,
  readTailSync,
  readTextSync,
  realPathSync,
  sizeSync,
} from '../../platform/files/files-sync.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { loadSource } from '../../rules/backlog/load.ts';
import type { ToolState } from '../../rules/tools/answer-call.ts';
import { problemOfCall } from '../../rules/tools/fits.ts';
import { hookScript } from './hooks/hook-script.ts';
import type { Workspace } from './layout.ts';

/**
 * The spool stands where the control server cannot be reached (a virtual machine): a folder in the work tree, at the
 * same path inside and on the host. It holds what answers an agent's client there, and its tool calls come back in it.
 * What lies in it is the agent's to change: it is read as one reads a letter, and every call is judged again.
 */

/** A tool call as it was made inside. */
export interface SpooledCall {
  /** ISO 8601. */
  readonly at: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the tools inside answer from: the desk as it was when the agent was started. */
export interface SpoolDesk extends Omit<ToolState, 'agent' | 'record'> {
  readonly workspace: Workspace;
}

export interface Spool {
  /** Absolute. */
  readonly dir: string;
}

const FOLDER = '.ralph/state/inside';
const CALLS = 'calls.jsonl';
const DESK = 'desk.json';
/** Left by the first hook that is called. */
const HOOKED = 'hooked';

/** More calls than any agent makes in one iteration, and more bytes than they need: the rest is noise. */
const MOST_CALLS = 1000;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_BYTES_OF_A_CALL = 256 * 1024;

/**
 * Makes the spool of an iteration anew, with the programs in it that answer there: `hook.cjs`, and `program/`, a copy
 * of the built package for `ralph mcp`.
 * @param built folder of the built package, for tests
 * @throws UnavailableError when `.ralph/state` leads out of the work tree
 */
export async function openSpool(root: string, iteration: number, desk: SpoolDesk, built?: string): Promise<Spool> {
  const dir = `${root}/${FOLDER}/${iteration}`;
  await removeSpool(dir);
  await makeDir(`${dir}/program`);
  if (!isItself(dir)) {
    throw new UnavailableError({
      what: `${FOLDER} is not a folder of the work tree`,
      where: realPathSync(dir),
      why: 'the programs that answer the agent would be written elsewhere',
      mend: [`remove the symbolic link in ${root}/${FOLDER}`],
    });
  }
  const from = built ?? dirname(dirname(await hookScript()));
  await copy(`${from}/plugin/hook.cjs`, `${dir}/hook.cjs`);
  await copy(`${from}/dist`, `${dir}/program`);
  // The programs are ES modules; the package that says so stays behind.
  await writeAtomic(`${dir}/program/package.json`, '{"type":"module"}\n', { fsync: false });
  const { backlog: _, ...snapshot } = desk.snapshot;
  await writeAtomic(`${dir}/${DESK}`, `${JSON.stringify({ ...desk, snapshot })}\n`, { fsync: false });
  return { dir };
}

/** Removes a spool; fine when missing. One that leads elsewhere by now is left alone. */
export async function removeSpool(dir: string): Promise<void> {
  if ((await exists(dir)) && isItself(dir)) await remove(dir);
}

/** Adds a call; several processes may at once. @throws Error when it cannot be written as a whole */
export function appendSpooledCall(dir: string, call: SpooledCall): void {
  appendTextSync(`${dir}/${CALLS}`, `${JSON.stringify(call)}\n`);
}

/**
 * The calls of an agent, oldest first, each fitting its tool. Whatever else is in the file is left out, and told by
 * `onNotice` in one sentence without any of its text.
 */
export function readSpool(dir: string, onNotice: (text: string) => void = () => {}): readonly SpooledCall[] {
  const path = `${dir}/${CALLS}`;
  const size = isItself(path) ? (sizeSync(path) ?? 0) : 0;
  if (size === 0) return [];
  const lines = (readTailSync(path, MOST_BYTES) ?? '').split('\n');
  // Cut in the middle of a line, most likely; the last calls say most.
  if (size > MOST_BYTES) lines.shift();
  const calls = lines.flatMap((line) => callIn(line) ?? []);
  const kept = calls.slice(-MOST_CALLS);
  const junk = lines.filter((line) => line.trim() !== '').length - calls.length;
  if (junk > 0) onNotice(`${junk} ${junk === 1 ? 'line' : 'lines'} of the agent's tool calls could not be understood`);
  if (size > MOST_BYTES || kept.length < calls.length) {
    onNotice(`the agent made too many tool calls: only the last ${kept.length} count`);
  }
  return kept;
}

/** Was any hook called in there? */
export function hooksWereCalled(dir: string): boolean {
  return isThereSync(`${dir}/${HOOKED}`);
}

/** What the tools inside answer from. @throws Error when it is gone or broken */
export function readSpoolDesk(dir: string): SpoolDesk {
  const text = readTextSync(`${dir}/${DESK}`);
  if (text === null) throw new Error(`${dir} is not a spool of ralph`);
  const desk = JSON.parse(text) as SpoolDesk & { readonly snapshot: Omit<BacklogDocument, 'backlog'> };
  const { document } = loadSource(desk.snapshot);
  if (document === null) throw new Error(`the backlog in ${dir} cannot be read`);
  return { ...desk, snapshot: document };
}

function callIn(line: string): SpooledCall | null {
  if (line.trim() === '' || line.length > MOST_BYTES_OF_A_CALL) return null;
  try {
    const { at, name, args } = JSON.parse(line) as Partial<SpooledCall>;
    if (typeof at !== 'string' || typeof name !== 'string') return null;
    return problemOfCall(name, args) === null ? { at, name, args: args as SpooledCall['args'] } : null;
  } catch {
    return null;
  }
}

/** Does no symbolic link lead from this path elsewhere? An agent may have put one on the way. */
function isItself(path: string): boolean {
  return realPathSync(path) === path;
}
