import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  anyObject,
  type Fields,
  jsonObject,
  listOf,
  messageOf,
  nullOr,
  number,
  object,
  STEERING_VERSION,
  StateError,
  type SteeringEntry,
  type StoryDecision,
  text,
  truth,
  UsageError,
  wrongField,
} from '../../../contracts/index.ts';
import {
  appendLine,
  chmod,
  createOnce,
  descendsFrom,
  makeDir,
  readLog,
  readText,
  realPath,
  remove,
  stat,
} from '../../../platform/index.ts';
import { changesProblem, LONGEST_NOTE, limitsProblem, noteProblem } from '../../../rules/steering/index.ts';
import { readRunRecord } from './run-record.ts';
import { stateHome } from './state-home.ts';

const POLL_MS = 500;

/** A user's request; the file adds its identity and signature. */
export type SteeringRequest = WithoutIdentity<SteeringEntry>;
type WithoutIdentity<Entry> = Entry extends unknown ? Omit<Entry, 'id' | 'version'> : never;

/** Receives one sentence about a skipped line. Must not throw. */
type OnSteeringProblem = (problem: string) => void;

/**
 * Appends a user's message, signed, and waits until it is on disk. Any number of processes may do so at once.
 * @throws UsageError for a text that is empty, too long, or contains control characters, and inside an agent of the run
 */
export async function appendSteering(stateDir: string, request: SteeringRequest): Promise<SteeringEntry> {
  if ('text' in request) refuseUnfit(request.kind, request.text);
  await refuseDescendants(stateDir);
  const entry = { version: STEERING_VERSION, id: newId(request.at), ...request } as SteeringEntry;
  await appendEntries(stateDir, [entry]);
  return entry;
}

/**
 * Replaces the lines with ones that were checked elsewhere: each is signed for this work tree.
 * @param lines as {@link readSteering} returned them for the other work tree
 */
export async function adoptSteering(stateDir: string, entries: readonly SteeringEntry[]): Promise<void> {
  await remove(steeringPath(stateDir));
  await appendEntries(stateDir, entries);
}

async function appendEntries(stateDir: string, entries: readonly SteeringEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await makeDir(stateDir);
  const key = await needWordsKey(stateDir);
  const lines = entries.map((entry) => JSON.stringify({ ...entry, mac: key.sign(entry) }));
  await appendLine(steeringPath(stateDir), lines.join('\n'));
}

/** An agent can remove RALPH_RUN_ID from its environment, but not the marks that its process got at its start. */
export async function refuseDescendants(stateDir: string): Promise<void> {
  const record = await readRunRecord(stateDir);
  if (record === null || record.ended !== null || record.host !== hostname() || !descendsFrom(record.pid)) return;
  throw new UsageError({
    what: 'only a user may send messages to a run',
    where: `inside run ${record.run}`,
    why: 'this process was started by the run',
    fix: [
      'as the agent: report what is needed in the final message or the status block',
      'as the user: type it in your own shell',
    ],
  });
}

/**
 * All messages from people, oldest first. A line that is unreadable, not signed by this machine's user, or a repetition
 * is reported and skipped: a message must not end a run. A torn last line comes from a process that is writing, or that
 * died before it was acknowledged.
 */
export async function readSteering(
  stateDir: string,
  onProblem: OnSteeringProblem = () => {},
): Promise<readonly SteeringEntry[]> {
  const path = steeringPath(stateDir);
  const { lines } = await readLog(path);
  const isEmpty = lines.every((line) => line === '');
  const key = isEmpty ? null : await readWordsKey(stateDir);
  const seen = new Set<string>();
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const entry = parseEntry(line, key);
    if (typeof entry !== 'string' && !seen.has(entry.id)) {
      seen.add(entry.id);
      return [entry];
    }
    const why = typeof entry === 'string' ? entry : 'it repeats an earlier line';
    onProblem(`${path}:${index + 1} is refused: ${why}`);
    return [];
  });
}

/**
 * Calls `onChange` with all entries soon after the file changed, and at the start if it has any. It only checks the
 * file's size, twice a second, and keeps no process alive. A file that cannot be checked counts as unchanged.
 */
export function followSteering(
  stateDir: string,
  onChange: (entries: readonly SteeringEntry[]) => void,
  onProblem?: OnSteeringProblem,
) {
  let seen = 0;
  let closed = false;
  let looking = false;
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const size = (await stat(steeringPath(stateDir)))?.size ?? 0;
      if (size === seen) return;
      const entries = await readSteering(stateDir, onProblem);
      seen = size;
      if (!closed) onChange(entries);
    } catch {
      // Checked again at the next interval.
    } finally {
      looking = false;
    }
  }
  void look();
  const timer = setInterval(() => void look(), POLL_MS);
  timer.unref();
  return {
    close: () => {
      closed = true;
      clearInterval(timer);
    },
  };
}

function steeringPath(stateDir: string): string {
  return `${stateDir}/steering.jsonl`;
}

/** Sorts by time; it need not be unguessable, so node:crypto is not loaded, which takes long. */
function newId(at: number): string {
  const time = new Date(at).toISOString().replace(/[-:.]/g, '').replace('T', '-').slice(0, 18);
  return `${time}-${Math.random().toString(36).slice(2, 10).padEnd(8, '0')}`;
}

function refuseUnfit(kind: 'note' | 'answer', text: string): void {
  const problem = noteProblem(text);
  if (problem === null) return;
  throw new UsageError({
    what: `the ${kind} ${problem}`,
    why: 'it becomes part of a prompt, word for word',
    fix: [`plain text of at most ${LONGEST_NOTE / 1024} KB; put longer texts into a file and name it`],
  });
}

const FIELDS: Readonly<Record<SteeringEntry['kind'], Fields>> = {
  note: { text },
  pause: { run: text },
  resume: { run: text },
  stop: { run: text, now: truth },
  limits: { run: text, limits: anyObject },
  answer: { question: text, text },
  'circuit-reset': {},
  story: { story: text, decision: text },
  block: { story: text, reason: text },
  reject: { story: text, changes: listOf(object({ text })) },
  add: { folder: text, story: object({ id: text, title: text }) },
  edit: { folder: text, story: text, fields: nullOr(anyObject) },
  waive: { story: text, finding: text, reason: text },
};

const UNSIGNED = "it is not signed by a user's `ralph` command in this work tree";

/** The entry in a line, or why there is none. */
function parseEntry(line: string, key: WordsKey | null): SteeringEntry | string {
  const value = jsonObject(line);
  if (value === null) return 'it is not a JSON object';
  if (value['version'] !== STEERING_VERSION) return `its version is not ${STEERING_VERSION}`;
  const { kind } = value;
  if (!isKind(kind)) return `'${typeof kind === 'string' ? kind : JSON.stringify(kind)}' is not a known kind of entry`;
  const wrong = wrongField(object({ id: text, at: number, ...FIELDS[kind] }), value);
  if (wrong !== null) return `its '${wrong}' is missing or of the wrong type`;
  const { mac, ...rest } = value;
  const entry = rest as unknown as SteeringEntry;
  const problem = problemIn(entry);
  if (problem !== null) return problem;
  return key?.isSigned(entry, mac) ? entry : UNSIGNED;
}

/** A value that no command writes: a line written by hand, or by a later version; null when it is valid. */
function problemIn(entry: SteeringEntry): string | null {
  if (Number.isNaN(new Date(entry.at).getTime())) return "its 'at' is not a time";
  switch (entry.kind) {
    case 'note':
    case 'answer': {
      const problem = noteProblem(entry.text);
      return problem === null ? null : `its text ${problem}`;
    }
    case 'reject':
      return changesProblem(entry.changes);
    case 'limits':
      return limitsProblem({ ...entry.limits });
    case 'story':
      return DECISIONS.has(entry.decision) ? null : `'${entry.decision}' is not a decision about a story`;
    default:
      return null;
  }
}

const DECISIONS: ReadonlySet<string> = new Set<StoryDecision>(['approve', 'reopen']);

function isKind(kind: unknown): kind is SteeringEntry['kind'] {
  return typeof kind === 'string' && Object.hasOwn(FIELDS, kind);
}

const KEY = /^[0-9a-f]{64}$/;

/**
 * The key that signs a user's messages in one work tree. It is stored beside the tokens of runs in that user's state
 * home: outside every work tree, and hidden inside an isolation. Without an isolation an agent has the user's rights
 * and could read it.
 */
type WordsKey = ReturnType<typeof keyOf>;

/** The key of a work tree, by its state folder; null when this user never signed anything for it. */
async function readWordsKey(stateDir: string): Promise<WordsKey | null> {
  const text = (await readText(await keyPath(stateDir)))?.trim();
  return text !== undefined && KEY.test(text) ? keyOf(text, await crypto()) : null;
}

/**
 * The key of a work tree, created at its first use. Of several created at once one wins, and all processes get it.
 * @throws StateError when it can be neither read nor created
 */
async function needWordsKey(stateDir: string): Promise<WordsKey> {
  const path = await keyPath(stateDir);
  try {
    const found = await readWordsKey(stateDir);
    if (found !== null) return found;
    const { randomBytes } = await crypto();
    const folder = controlFolder();
    await makeDir(folder);
    await chmod(folder, 0o700);
    await createOnce(path, `${randomBytes(32).toString('hex')}\n`, 0o600);
    const made = await readWordsKey(stateDir);
    if (made !== null) return made;
  } catch (error) {
    throw unusable(path, messageOf(error), 'set XDG_STATE_HOME to a folder you may write');
  }
  const fix = 'remove that file: a new key is made; repeat messages that the run has not read yet';
  throw unusable(path, 'the file holds no key', fix);
}

function unusable(where: string, why: string, fix: string): StateError {
  return new StateError({ what: 'the key that signs your messages to runs cannot be used', where, why, fix: [fix] });
}

/** Loaded for signing or checking only: it takes long to load, and most commands need neither. */
function crypto(): Promise<typeof import('node:crypto')> {
  return import('node:crypto');
}

function keyOf(key: string, { createHmac, timingSafeEqual }: typeof import('node:crypto')) {
  const macOf = (entry: object) => createHmac('sha256', Buffer.from(key, 'hex')).update(JSON.stringify(entry)).digest();
  return {
    /** Signs an entry in its final form in the file. */
    sign: (entry: object) => macOf(entry).toString('hex'),
    /** Whether this key signed the entry in its current form. */
    isSigned(entry: object, mac: unknown) {
      if (typeof mac !== 'string' || !KEY.test(mac)) return false;
      return timingSafeEqual(macOf(entry), Buffer.from(mac, 'hex'));
    },
  };
}

/** One key for each state folder, so that a line of one work tree is not valid in another. */
async function keyPath(stateDir: string): Promise<string> {
  // The folder may not exist yet: then its parent shows where it will be.
  const real = await realPath(stateDir).catch(() => stateDir);
  const { createHash } = await crypto();
  return join(controlFolder(), `words-${createHash('sha256').update(real).digest('hex').slice(0, 32)}.key`);
}

function controlFolder(): string {
  return join(stateHome(process.env), 'control');
}
