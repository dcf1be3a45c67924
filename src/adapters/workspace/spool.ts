import { jsonObject, UnavailableError } from '../../contracts/index.ts';
import {
  appendTextSync,
  copy,
  exists,
  isThereSync,
  makeDir,
  packageFolder,
  readTailSync,
  readTextSync,
  realPathSync,
  remove,
  sizeSync,
  writeAtomic,
} from '../../platform/index.ts';
import { type BacklogDocument, loadSource } from '../../rules/backlog/index.ts';
import { problemOfCall, type ToolState } from '../../rules/tools/index.ts';
import type { Workspace } from './layout.ts';

/**
 * The spool replaces the control server where it cannot be reached (a virtual machine): a folder in the work tree, at
 * the same path inside and on the host. It contains what answers an agent's client there, and returns its tool calls.
 * The agent can change its content: it is read as untrusted input, and every call is judged again.
 */

/** A tool call made inside. */
interface SpooledCall {
  /** ISO 8601. */
  readonly at: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The data from which the tools inside answer: the session at the agent's start. */
export interface SpoolSession extends Omit<ToolState, 'agent' | 'record'> {
  readonly workspace: Workspace;
}

const FOLDER = '.ralph/state/inside';
const CALLS = 'calls.jsonl';
const SESSION = 'session.json';
/** Written by the first hook that is called. */
const HOOKED = 'hooked';

/** More calls than any agent makes in one iteration, and more bytes than they need: anything beyond is noise. */
const MOST_CALLS = 1000;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_BYTES_OF_A_CALL = 256 * 1024;

/**
 * Recreates the spool of an iteration, with the programs that answer in it: `hook.cjs` with its parts in `hook/`,
 * and `program/`, a copy of the built package for `ralph mcp`.
 * @param built folder of the built package, for tests
 * @returns its folder, absolute
 * @throws UnavailableError when `.ralph/state` leads out of the work tree
 */
export async function openSpool(
  root: string,
  iteration: number,
  session: SpoolSession,
  built?: string,
): Promise<{ readonly dir: string }> {
  const dir = `${root}/${FOLDER}/${iteration}`;
  await removeSpool(dir);
  await makeDir(`${dir}/program`);
  if (!isItself(dir)) {
    throw new UnavailableError({
      what: `${FOLDER} is not a folder of the work tree`,
      where: realPathSync(dir),
      why: 'the programs that answer the agent would be written outside',
      fix: [`remove the symbolic link in ${root}/${FOLDER}`],
    });
  }
  const from = built ?? (await packageFolder());
  for (const name of ['hook.cjs', 'hook']) await copy(`${from}/plugin/${name}`, `${dir}/${name}`);
  await copy(`${from}/dist`, `${dir}/program`);
  const { backlog: _, ...snapshot } = session.snapshot;
  await writeAtomic(`${dir}/${SESSION}`, `${JSON.stringify({ ...session, snapshot })}\n`, { fsync: false });
  return { dir };
}

/** Removes a spool; a missing one is fine. One that now leads elsewhere is left alone. */
export async function removeSpool(dir: string): Promise<void> {
  if ((await exists(dir)) && isItself(dir)) await remove(dir);
}

/** Adds a call; several processes may do so at once. @throws Error when it cannot be written completely */
export function appendSpooledCall(dir: string, call: SpooledCall): void {
  appendTextSync(`${dir}/${CALLS}`, `${JSON.stringify(call)}\n`);
}

/**
 * The calls of an agent, oldest first, each valid for its tool. Anything else in the file is left out, and reported to
 * `onNotice` in one sentence without any of its text.
 */
export function readSpool(dir: string, onNotice: (text: string) => void = () => {}): readonly SpooledCall[] {
  const path = `${dir}/${CALLS}`;
  const size = isItself(path) ? (sizeSync(path) ?? 0) : 0;
  if (size === 0) return [];
  const lines = (readTailSync(path, MOST_BYTES) ?? '').split('\n');
  // Probably cut in the middle of a line; the last calls matter most.
  if (size > MOST_BYTES) lines.shift();
  const calls = lines.flatMap((line) => callIn(line) ?? []);
  const kept = calls.slice(-MOST_CALLS);
  const junk = lines.filter((line) => line.trim() !== '').length - calls.length;
  if (junk > 0) onNotice(`${junk} ${junk === 1 ? 'line' : 'lines'} of the agent's tool calls could not be read`);
  if (size > MOST_BYTES || kept.length < calls.length) {
    onNotice(`the agent made too many tool calls: only the last ${kept.length} count`);
  }
  return kept;
}

/** Was any hook called inside? */
export function hooksWereCalled(dir: string): boolean {
  return isThereSync(`${dir}/${HOOKED}`);
}

/** The data from which the tools inside answer. @throws Error when it is missing or damaged */
export function readSpoolSession(dir: string): SpoolSession {
  const text = readTextSync(`${dir}/${SESSION}`);
  if (text === null) throw new Error(`${dir} is not a spool of ralph`);
  const session = JSON.parse(text) as SpoolSession & { readonly snapshot: Omit<BacklogDocument, 'backlog'> };
  const { document } = loadSource(session.snapshot);
  if (document === null) throw new Error(`the backlog in ${dir} cannot be read`);
  return { ...session, snapshot: document };
}

function callIn(line: string): SpooledCall | null {
  if (line.length > MOST_BYTES_OF_A_CALL) return null;
  const { at, name, args } = jsonObject(line) ?? {};
  if (typeof at !== 'string' || typeof name !== 'string') return null;
  return problemOfCall(name, args) === null ? { at, name, args: args as SpooledCall['args'] } : null;
}

/** Is this path free of symbolic links? An agent may have put one on it. */
function isItself(path: string): boolean {
  return realPathSync(path) === path;
}
