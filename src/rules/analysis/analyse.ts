import type { Mode } from '../../contracts/model.ts';
import type { Signals } from '../../contracts/state.ts';
import { isTestFile } from '../test-files.ts';
import { BACKLOG_CLAIMS } from './keywords.ts';
import { promisesCompletion } from './promise.ts';
import { prose } from './prose.ts';
import { parseStatusBlock, type StatusBlock } from './status-block.ts';
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
 * Reads an agent's answer: the status block first, then the promise, then the words. `EXIT_SIGNAL: false`, and a
 * status that is not COMPLETE, beat every word of completion and the promise. Linear in the length of the text.
 */
export function analyse(text: string, facts: Facts): Analysis {
  const block = parseStatusBlock(text);
  const promise = promisesCompletion(text, facts.promise);
  const words = weigh(prose(text));
  const by = claimedBy(block, promise, words);
  const confidence = confidenceOf(by, words, { goesOn: saysItGoesOn(block), changed: facts.changedFiles.length > 0 });
  const done = confidence >= SURE;
  return {
    block,
    promise,
    claimsCompletion: by === null ? null : { by },
    stuck: block?.status === 'BLOCKED' ? block.recommendation || 'STATUS: BLOCKED' : words.stuck,
    signals: {
      done,
      completion: by !== null || (words.completion && !saysItGoesOn(block)),
      testOnly: !done && isTestOnly(block, words, facts),
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
  const block = parseStatusBlock(text);
  if (block?.exitSignal === false || block?.status === 'BLOCKED') return false;
  if (promisesCompletion(text, promise)) return true;
  return mode !== 'review' && claimsOutright(prose(text), BACKLOG_CLAIMS);
}

function claimedBy(block: StatusBlock | null, promise: boolean, words: Weighed): ClaimedBy | null {
  if (block?.exitSignal === true && block.status !== 'BLOCKED') return 'exit-signal';
  if (saysItGoesOn(block)) return null;
  if (promise) return 'promise';
  if (block?.status === 'COMPLETE') return 'status';
  return words.claims ? 'keywords' : null;
}

function saysItGoesOn(block: StatusBlock | null): boolean {
  if (block === null || block.status === 'BLOCKED') return block !== null;
  return block.exitSignal === false || (block.status === 'IN_PROGRESS' && block.exitSignal !== true);
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

function isTestOnly(block: StatusBlock | null, words: Weighed, { changedFiles, ranTests }: Facts): boolean {
  if (block?.workType === 'TESTING') return true;
  return (ranTests || words.tested) && changedFiles.every(isTestFile);
}
