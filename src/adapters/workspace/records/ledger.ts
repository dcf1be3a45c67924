import { StateError } from '../../../contracts/errors.ts';
import { LEDGER_VERSION, type LedgerLine } from '../../../contracts/state/ledger.ts';
import { openAppendLog, readLog } from '../../../platform/files/append-log.ts';
import { ARCHIVE_FIELDS, type ArchiveLine, withArchivedApart } from '../archive/ledger.ts';
import { refuseLaterVersion, wrongField } from './state-file.ts';

const ITERATION = {
  run: 'string',
  iteration: 'number',
  story: 'string',
  mode: 'string',
  verdict: 'string',
  counts: 'string',
  stateChanged: 'boolean',
  startedAt: 'number',
  durationMs: 'number',
  failure: '?object',
} as const;
const OTHERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reset: { story: 'string', at: 'number' },
  'circuit-reset': { at: 'number' },
  addition: { word: 'string', story: '?string', at: 'number' },
  waiver: { story: 'string', finding: 'string', at: 'number' },
  answer: { question: 'string', story: 'string', text: 'string', at: 'number' },
  archive: ARCHIVE_FIELDS,
};

/** Iterations a ledger file of this process holds, so that an append need not read the file. Valid while its size is. */
interface Known {
  readonly iterations: Set<string>;
  readonly size: number;
}
const known = new Map<string, Known>();

/** For who plays several processes in one: what the last of them knew is gone. */
export function forgetLedgers(): void {
  known.clear();
}

/** Told about a last line that does not count, in one sentence. Must not throw. */
type OnTornLine = (problem: string) => void;

/**
 * Every line, oldest first. A torn last line is reported and dropped: its writer died before it was acknowledged. One
 * that is whole but for its newline counts: somebody edited the file by hand.
 * @throws StateError naming the line when one cannot be read, or is of a later version.
 */
export async function readLedger(stateDir: string, onTorn: OnTornLine = () => {}): Promise<readonly LedgerLine[]> {
  return withArchivedApart(await readAll(stateDir, onTorn));
}

/** The archives, oldest first. @throws StateError as {@link readLedger} does */
export async function readArchives(stateDir: string): Promise<readonly ArchiveLine[]> {
  return (await readAll(stateDir, () => {})).filter((line) => line.kind === 'archive');
}

async function readAll(stateDir: string, onTorn: OnTornLine): Promise<readonly (LedgerLine | ArchiveLine)[]> {
  const path = ledgerPath(stateDir);
  const { lines, torn } = await readLog(path);
  const whole = torn !== null && isWhole(torn);
  if (torn !== null && !whole) onTorn(`${path}:${lines.length + 1} is dropped: the line is not whole`);
  return (whole ? [...lines, torn] : lines).map((line, index) => parseLine(line, `${path}:${index + 1}`));
}

/**
 * Appends one line and waits until it is on the disk. An iteration that is there already is not written again.
 * The caller holds the run lock.
 */
export async function appendLedger(stateDir: string, line: LedgerLine | ArchiveLine): Promise<void> {
  const path = ledgerPath(stateDir);
  const log = openAppendLog(path, isWhole);
  try {
    const iterations = await iterationsIn(path, stateDir, log.size());
    const written = line.kind === 'iteration' && iterations.has(keyOf(line.run, line.iteration));
    if (!written) log.append(JSON.stringify(line));
    // Also when it is there: the process that wrote it may have been killed before the line was on the disk.
    log.sync();
    if (line.kind === 'iteration') iterations.add(keyOf(line.run, line.iteration));
    known.set(path, { iterations, size: log.size() });
  } finally {
    log.close();
  }
}

async function iterationsIn(path: string, stateDir: string, size: number): Promise<Set<string>> {
  const held = known.get(path);
  if (held !== undefined && held.size === size) return held.iterations;
  const lines = await readLedger(stateDir);
  return new Set(lines.flatMap((line) => (line.kind === 'iteration' ? [keyOf(line.run, line.iteration)] : [])));
}

function keyOf(run: string, iteration: number): string {
  return `${run} ${iteration}`;
}

/** A line begins with the brace that its end closes, so that no cut-off part of one is an object. */
function isWhole(line: string): boolean {
  return parseObject(line) !== null;
}

function ledgerPath(stateDir: string): string {
  return `${stateDir}/ledger.jsonl`;
}

function parseLine(text: string, where: string): LedgerLine | ArchiveLine {
  const value = parseObject(text);
  if (value === null) throw unreadable(where, 'the line is not a JSON object');
  refuseLaterVersion(where, { name: 'ledger', version: LEDGER_VERSION }, value['version']);
  const types = typesOf(String(value['kind']));
  const wrong = types === null ? 'kind' : value['version'] !== LEDGER_VERSION ? 'version' : wrongField(value, types);
  if (wrong !== null) throw unreadable(where, `its '${wrong}' is missing or of the wrong type`);
  return value as unknown as LedgerLine | ArchiveLine;
}

/** Null for a kind that there is not; also for `constructor`, which every object has. */
function typesOf(kind: string): Readonly<Record<string, string>> | null {
  if (kind === 'iteration') return ITERATION;
  return Object.hasOwn(OTHERS, kind) ? (OTHERS[kind] ?? null) : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function unreadable(where: string, why: string): StateError {
  return new StateError({
    what: 'the ledger cannot be read',
    where,
    why: `${why}; attempts and budgets are counted from it, so nothing is guessed`,
    mend: ['delete or repair that one line (keep a copy); the iterations on the other lines still count'],
  });
}
