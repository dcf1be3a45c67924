import {
  anyObject,
  jsonObject,
  LEDGER_VERSION,
  type LedgerIteration,
  type LedgerLine,
  listOf,
  nullOr,
  number,
  type Of,
  object,
  type Shape,
  StateError,
  text,
  truth,
  wrongField,
} from '../../../contracts/index.ts';
import { openAppendLog, readLog } from '../../../platform/index.ts';
import { totalsOf } from '../../../rules/safeguards/index.ts';
import { refuseLaterVersion } from './state-file.ts';

/**
 * A ledger line that readers never see: earlier lines about these stories belong to an archived loop, whose folder is
 * `label`. The next loop may reuse their ids, and its stories start with no attempts, no failures and no answers.
 */
const ARCHIVE = object({ stories: listOf(text), label: text, at: number });
type ArchiveLine = Of<typeof ARCHIVE> & { readonly version: typeof LEDGER_VERSION; readonly kind: 'archive' };

const SHAPES = new Map<unknown, Shape>([
  [
    'iteration',
    object({
      run: text,
      iteration: number,
      story: text,
      mode: text,
      verdict: text,
      counts: text,
      stateChanged: truth,
      startedAt: number,
      durationMs: number,
      failure: nullOr(anyObject),
    }),
  ],
  ['reset', object({ story: text, at: number })],
  ['circuit-reset', object({ at: number })],
  ['addition', object({ word: text, story: nullOr(text), at: number })],
  ['waiver', object({ story: text, finding: text, at: number })],
  ['answer', object({ question: text, story: text, text, at: number })],
  ['archive', ARCHIVE],
]);

/** Receives one sentence about a last line that does not count. Must not throw. */
type OnTornLine = (problem: string) => void;

/**
 * Every line, oldest first. A torn last line is reported and dropped: its writer died before it was acknowledged. A
 * complete one without its newline counts: a person edited the file by hand.
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
  // A line starts with the brace that its end closes, so no truncated part of one is an object.
  const whole = torn !== null && jsonObject(torn) !== null;
  if (torn !== null && !whole) onTorn(`${path}:${lines.length + 1} is dropped: the line is incomplete`);
  return (whole ? [...lines, torn] : lines).map((line, index) => parseLine(line, `${path}:${index + 1}`));
}

/**
 * Appends one line and waits until it is on disk. An iteration that is already there is not written again.
 * The caller holds the run lock.
 * @param known the lines that are there, where the caller has read them
 * @returns whether it was not there
 */
export async function appendLedger(
  stateDir: string,
  line: LedgerLine | ArchiveLine,
  known?: readonly LedgerLine[],
): Promise<boolean> {
  const log = openAppendLog(ledgerPath(stateDir), (line) => jsonObject(line) !== null);
  try {
    const isThere = line.kind === 'iteration' && isIn(known ?? (await readLedger(stateDir)), line);
    if (!isThere) log.append(ledgerText(line));
    // Also for an existing line: its writer may have been killed before the line was on disk.
    log.sync();
    return !isThere;
  } finally {
    log.close();
  }
}

/** A line without its newline. */
export function ledgerText(line: LedgerLine | ArchiveLine): string {
  return JSON.stringify(line);
}

function isIn(lines: readonly LedgerLine[], { run, iteration }: LedgerIteration): boolean {
  if (iteration > totalsOf(lines, run).last) return false;
  return lines.some((line) => line.kind === 'iteration' && line.run === run && line.iteration === iteration);
}

function ledgerPath(stateDir: string): string {
  return `${stateDir}/ledger.jsonl`;
}

function parseLine(line: string, where: string): LedgerLine | ArchiveLine {
  const value = jsonObject(line);
  if (value === null) throw unreadable(where, 'the line is not a JSON object');
  refuseLaterVersion(where, { name: 'ledger', version: LEDGER_VERSION }, value['version']);
  const shape = SHAPES.get(value['kind']);
  const wrong =
    shape === undefined ? 'kind' : value['version'] !== LEDGER_VERSION ? 'version' : wrongField(shape, value);
  if (wrong !== null) throw unreadable(where, `its '${wrong}' is missing or of the wrong type`);
  return value as unknown as LedgerLine | ArchiveLine;
}

function unreadable(where: string, why: string): StateError {
  return new StateError({
    what: 'the ledger cannot be read',
    where,
    why: `${why}; attempts and budgets are counted from it, so ralph does not guess`,
    fix: ['delete or repair that one line (keep a copy); the iterations on the other lines still count'],
  });
}

/** The line that closes the history of stories. */
export function archiveLine(stories: readonly string[], label: string, at: number): ArchiveLine {
  return { version: LEDGER_VERSION, kind: 'archive', stories, label, at };
}

/**
 * The ledger with archived stories under names that no current story has. Iterations still count for limits, budgets
 * and the breaker. Lines that settle user words (`reset`, `waiver`) keep their story: else old words would apply again.
 */
function withArchivedApart(lines: readonly (LedgerLine | ArchiveLine)[]): readonly LedgerLine[] {
  const archives = lines.flatMap((line, at) =>
    line.kind === 'archive' ? [{ at, label: line.label, stories: new Set(line.stories) }] : [],
  );
  if (archives.length === 0) return lines as readonly LedgerLine[];
  return lines.flatMap((line, at): readonly LedgerLine[] => {
    if (line.kind === 'archive') return [];
    if (line.kind !== 'iteration' && line.kind !== 'answer') return [line];
    const closed = archives.find((archive) => archive.at > at && archive.stories.has(line.story));
    return [closed === undefined ? line : { ...line, story: `${line.story} (${closed.label})` }];
  });
}
