import type { Mode } from '../../contracts/model.ts';
import type { Signals } from '../../contracts/state/ledger.ts';
import { BACKLOG_CLAIMS } from './keywords.ts';
import { promisesCompletion } from './promise.ts';
import { prose } from './prose.ts';
import { readStatus, type StatusBlock, type StatusReading } from './status-block.ts';
import { isTestOnly } from './test-only.ts';
import { claimsOutright, type Weighed, weigh } from './weigh.ts';

/** What the loop knows about an iteration besides the agent's words. */
export interface Facts {
  /** The configured words between `<promise>` and `</promise>`. */
  readonly promise: string;
  /** Outside of backlog and progress log; relative to the project root. */
  readonly changedFiles: readonly string[];
  readonly ranTests: boolean;
}

/** How a completion was claimed, surest first. */
export type ClaimedBy = 'exit-signal' | 'promise' | 'status' | 'keywords';

export interface Analysis {
  readonly block: StatusBlock | null;
  /** The promise was really said, whatever else the text says. */
  readonly promise: boolean;
  /** The text calls the whole work finished, and nothing surer in it contradicts; null when it does not. */
  readonly claimsCompletion: { readonly by: ClaimedBy } | null;
  /** Why the agent cannot go on, in its own words; null when it does not say so. */
  readonly stuck: string | null;
  readonly signals: Signals;
}

/** A confidence from which the work counts as finished, and the one of work that goes on. */
const SURE = 100;
const GOES_ON = 20;

/**
 * Reads an agent's answer: the status block first, then the promise, then the words. `EXIT_SIGNAL: false`, a status that
 * is not COMPLETE, and a block that cannot be read beat every word of completion and the promise; so do failing tests,
 * which a finished work has not. Linear in the length of the text.
 */
export function analyse(text: string, facts: Facts): Analysis {
  const said = readStatus(text);
  const { block } = said;
  const promise = promisesCompletion(text, facts.promise);
  const words = weigh(prose(text));
  const goesOn = saysItGoesOn(said);
  const claimed = claimedBy(said, promise, words);
  const by = block?.testsStatus === 'FAILING' ? null : claimed;
  const confidence = confidenceOf(by, words, {
    goesOn: goesOn || block?.testsStatus === 'FAILING',
    changed: facts.changedFiles.length > 0,
  });
  const done = confidence >= SURE;
  const stuck = block?.status === 'BLOCKED' ? block.recommendation || 'STATUS: BLOCKED' : words.stuck;
  return {
    block,
    promise,
    claimsCompletion: by === null ? null : { by },
    stuck,
    signals: {
      done,
      completion: claimed !== null || (words.completion && !goesOn),
      testOnly: !done && stuck === null && isTestOnly(block, words, { ...facts, goesOn }),
      confidence,
    },
  };
}

/**
 * Whether an agent that works on one story of a backlog calls all of it finished: by the promise, or in words that
 * can mean nothing else. `STATUS: COMPLETE` and `EXIT_SIGNAL: true` are about its story (see `prompt/signal.ts`), and a
 * reviewer's prose is about the work of others.
 */
export function announcesEverything(text: string, promise: string, mode: Mode): boolean {
  const { block, isUnreadable } = readStatus(text);
  if (isUnreadable || block?.exitSignal === false || block?.status === 'BLOCKED') return false;
  if (promisesCompletion(text, promise)) return true;
  return mode !== 'review' && claimsOutright(prose(text), BACKLOG_CLAIMS);
}

function claimedBy(said: StatusReading, promise: boolean, words: Weighed): ClaimedBy | null {
  if (saysItGoesOn(said)) return null;
  if (said.block?.exitSignal === true) return 'exit-signal';
  if (promise) return 'promise';
  if (said.block?.status === 'COMPLETE') return 'status';
  return words.claims ? 'keywords' : null;
}

/** An answer cut short goes on as well: nobody knows what it was about to say. */
function saysItGoesOn({ block, isUnreadable }: StatusReading): boolean {
  if (isUnreadable || block?.status === 'BLOCKED') return true;
  return block?.exitSignal === false || (block?.status === 'IN_PROGRESS' && block.exitSignal !== true);
}

function confidenceOf(
  by: ClaimedBy | null,
  words: Weighed,
  { goesOn, changed }: { readonly goesOn: boolean; readonly changed: boolean },
): number {
  if (by !== null && by !== 'keywords') return SURE;
  if (words.completion && !goesOn) return words.confidence;
  return changed ? GOES_ON : 0;
}
