import { hostname } from 'node:os';
import { UsageError } from '../../../contracts/errors.ts';
import { STEERING_VERSION, type SteeringEntry, type StoryDecision } from '../../../contracts/state/steering.ts';
import { appendLine } from '../../../platform/files/append-line.ts';
import { readLog } from '../../../platform/files/append-log.ts';
import { makeDir, remove, stat } from '../../../platform/files/files.ts';
import { descendsFrom } from '../../../platform/process/lineage.ts';
import { limitsProblem } from '../../../rules/steering/limit-words.ts';
import { LONGEST_NOTE, noteProblem } from '../../../rules/steering/note-text.ts';
import { readRunRecord } from './run-record.ts';
import { needWordsKey, readWordsKey, type WordsKey } from './signed-words.ts';
import { wrongField } from './state-file.ts';

const POLL_MS = 500;

/** What a person asks for; the file adds what identifies and signs it. */
export type SteeringRequest = WithoutIdentity<SteeringEntry>;
type WithoutIdentity<Entry> = Entry extends unknown ? Omit<Entry, 'id' | 'version'> : never;

/** Told about a line that was skipped, in one sentence. Must not throw. */
export type OnSteeringProblem = (problem: string) => void;

/**
 * Appends what a person said, signed, and waits until it is on the disk. Any number of processes may do so at once.
 * @throws UsageError for a text that is empty, too long, or holds control characters, and inside an agent of the run
 */
export async function appendSteering(stateDir: string, request: SteeringRequest): Promise<SteeringEntry> {
  if ('text' in request) refuseUnfit(request.kind, request.text);
  await refuseDescendants(stateDir);
  const entry = { version: STEERING_VERSION, id: newId(request.at), ...request } as SteeringEntry;
  await appendEntries(stateDir, [entry]);
  return entry;
}

/**
 * Takes over lines that were checked elsewhere, in the place of those that are there: each is signed for this work tree.
 * @param lines as {@link readSteering} gave them in the other one
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

/** An agent can take RALPH_RUN_ID out of its environment; what it was started with at its birth it cannot take off. */
export async function refuseDescendants(stateDir: string): Promise<void> {
  const record = await readRunRecord(stateDir);
  if (record === null || record.ended !== null || record.host !== hostname() || !descendsFrom(record.pid)) return;
  throw new UsageError({
    what: 'what is said to a run is for people',
    where: `inside run ${record.run}`,
    why: 'this process was started by the run, whatever its environment says',
    mend: [
      'as the agent: say what is needed in the final message or the status block',
      'as a person: type it in a shell of your own',
    ],
  });
}

/**
 * Everything people said, oldest first. A line that cannot be read, that a person of this machine did not sign, or that
 * repeats another one is reported and skipped: a run must not end because of what was said to it. A torn last line is of
 * a process that writes now, or died before it was acknowledged.
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

export interface SteeringFollower {
  close(): void;
}

/**
 * Calls `onChange` with all entries soon after the file changed, and at first when it has any. It only looks at the
 * file's size, twice a second, and keeps no process alive. A file that cannot be looked at has not changed.
 */
export function followSteering(
  stateDir: string,
  onChange: (entries: readonly SteeringEntry[]) => void,
  onProblem?: OnSteeringProblem,
): SteeringFollower {
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
      // Looked at again at the next turn.
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

/** Sorts by time; nobody guesses it, so no node:crypto, which takes long to load. */
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
    mend: [`plain text of at most ${LONGEST_NOTE / 1024} KB; longer matters belong into a file that it names`],
  });
}

const FIELDS: Readonly<Record<SteeringEntry['kind'], Readonly<Record<string, string>>>> = {
  note: { text: 'string' },
  pause: { run: 'string' },
  resume: { run: 'string' },
  stop: { run: 'string', now: 'boolean' },
  limits: { run: 'string', limits: 'object' },
  answer: { question: 'string', text: 'string' },
  'circuit-reset': {},
  story: { story: 'string', decision: 'string' },
  block: { story: 'string', reason: 'string' },
  add: { folder: 'string', story: 'object' },
  waive: { story: 'string', finding: 'string', reason: 'string' },
};

const UNSIGNED = "it is not signed by a person's `ralph` command in this work tree";

/** The entry of a line, or why there is none. */
function parseEntry(line: string, key: WordsKey | null): SteeringEntry | string {
  let value: Record<string, unknown> | null;
  try {
    value = JSON.parse(line);
  } catch {
    return 'it is no JSON';
  }
  if (typeof value !== 'object' || value === null) return 'it is no JSON object';
  if (value['version'] !== STEERING_VERSION) return `its version is not ${STEERING_VERSION}`;
  const kind = String(value['kind']);
  if (!isKind(kind)) return `'${kind}' is no kind of entry`;
  const wrong = wrongField(value, { id: 'string', at: 'number', ...FIELDS[kind] });
  if (wrong !== null) return `its '${wrong}' is missing or of the wrong type`;
  const { mac, ...rest } = value;
  const entry = rest as unknown as SteeringEntry;
  const problem = problemIn(entry);
  if (problem !== null) return problem;
  return key?.isSigned(entry, mac) ? entry : UNSIGNED;
}

/** What nobody could have said by a command: a line was written by hand, or by a later version; null when it is fine. */
function problemIn(entry: SteeringEntry): string | null {
  if (Number.isNaN(new Date(entry.at).getTime())) return "its 'at' is no moment";
  switch (entry.kind) {
    case 'note':
    case 'answer': {
      const problem = noteProblem(entry.text);
      return problem === null ? null : `its text ${problem}`;
    }
    case 'limits':
      return limitsProblem({ ...entry.limits });
    case 'story':
      return DECISIONS.has(entry.decision) ? null : `'${entry.decision}' is no decision about a story`;
    case 'add':
      return wrongField({ ...entry.story }, { id: 'string', title: 'string' }) === null
        ? null
        : "its story has no 'id' or no 'title'";
    default:
      return null;
  }
}

const DECISIONS: ReadonlySet<string> = new Set<StoryDecision>(['approve', 'reopen']);

function isKind(kind: string): kind is SteeringEntry['kind'] {
  return Object.hasOwn(FIELDS, kind);
}
