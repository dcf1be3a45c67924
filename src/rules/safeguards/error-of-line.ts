import type { CheckResult } from '../../contracts/model.ts';
import type { LedgerIteration } from '../../contracts/state/ledger.ts';
import { howItFailed } from '../check-words.ts';
import { normaliseError } from './normalise-error.ts';

/** Lines of a check's output that are compared, the last ones, and how much of each: what is longer is data. */
const LINES = 12;
const LONGEST_LINE = 200;

/** What went wrong, in the words and marks of most tools; with what was expected and what came instead. */
const TELLING =
  /\b(?:fail\w*|err|errors?|\w+(?:error|exception)|exception|panic\w*|fatal|assert\w*|expected|received|actual|cannot|cant|could not|couldnt|unable|unexpected|undefined|unresolved|unknown|invalid|missing|denied|refused|not ok|not found|no such|timed? ?out|killed|aborted)\b|[✗✘×✖●❌]|^[+>-]|^e\s|^#\)/;

/** The words of sums and times at the end of a run; a line of nothing else is the same for every failure. */
const SUM =
  /\b(?:tests?|files?|suites?|cases?|specs?|examples?|scenarios?|steps?|snapshots?|assertions?|expectations?|failed|failures?|failing|fail|passed|passing|pass|errors?|errored|skipped|ignored|pending|todo|cancelled|total|ok|succeeded|time|duration|start|ran|run|all|of|in|at|took|finished|estimated|and|exit|code|status|with|m?s)\b/g;

/** The breaker asks for the same lines twice a second while a run waits; lines never change. */
const remembered = new WeakMap<LedgerIteration, string | null>();

/**
 * The error of a bad iteration, normalised: the agent's own where its process ended badly, else the first check that
 * failed with the lines of its output that say why, else the reason. Null where simply nothing was done.
 */
export function errorOf(line: LedgerIteration): string | null {
  const before = remembered.get(line);
  if (before !== undefined) return before;
  const error = readError(line);
  remembered.set(line, error);
  return error;
}

function readError(line: LedgerIteration): string | null {
  if (line.error !== null) return known(line.error.message) ?? line.error.kind;
  const check = line.failure?.checks.find(({ ok }) => !ok);
  if (check !== undefined) return known([`${check.command} ${howItFailed(check)}`, ...meaningful(check)].join('\n'));
  return line.verdict === 'no-progress' ? null : known(line.reason);
}

function known(text: string): string | null {
  return normaliseError(text) || null;
}

/** Normalised first, so that a folder's name or a number's length never decides which lines are taken. */
function meaningful({ tail }: CheckResult): readonly string[] {
  const lines = new Set(tail.split(/\r\n|\r|\n/).map((line) => normaliseError(line).slice(0, LONGEST_LINE)));
  const words = [...lines].filter((line) => /\p{L}/u.test(line));
  const telling = words.filter((line) => TELLING.test(line) && /\p{L}/u.test(line.replace(SUM, '')));
  return (telling.length > 0 ? telling : words).slice(-LINES);
}
