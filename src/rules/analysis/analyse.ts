import type { Mode, Signals } from '../../contracts/index.ts';
import { isTestFile } from '../project-checks/index.ts';
import { BACKLOG_CLAIMS } from './keywords.ts';
import { promisesCompletion } from './promise.ts';
import { prose } from './prose.ts';
import { readStatus, type StatusBlock, type StatusReading } from './status-block.ts';
import { claimsOutright, type Weighed, weigh } from './weigh.ts';

/** What the loop knows about an iteration besides the agent's words. */
interface Facts {
  /** The configured words between `<promise>` and `</promise>`. */
  readonly promise: string;
  /** Without the backlog and the progress log; relative to the project root. */
  readonly changedFiles: readonly string[];
  readonly ranTests: boolean;
}

/** How a completion was claimed, surest first. */
type ClaimedBy = 'exit-signal' | 'promise' | 'status' | 'keywords';

interface Analysis {
  /** The text really makes the promise, regardless of the rest. */
  readonly promise: boolean;
  /** The text calls the whole work finished, and no stronger evidence in it contradicts; null when it does not. */
  readonly claimsCompletion: { readonly by: ClaimedBy } | null;
  /** Why the agent cannot continue, in its own words; null when it does not say so. */
  readonly stuck: string | null;
  readonly signals: Signals;
}

/** The confidence at which the work counts as finished, and the confidence of work that continues. */
const SURE = 100;
const GOES_ON = 20;

/**
 * Reads an agent's answer: the status block first, then the promise, then the words. `EXIT_SIGNAL: false`, a status
 * other than COMPLETE, and an unreadable block override all words of completion and the promise; so do failing tests,
 * which finished work does not have. Linear in the length of the text.
 */
export function analyse(text: string, facts: Facts): Analysis {
  const said = readStatus(text);
  const { block } = said;
  const promise = promisesCompletion(text, facts.promise);
  const words = weigh(prose(text));
  const goesOn = saysWorkContinues(said);
  const isFailing = block?.testsStatus === 'FAILING';
  const claimed = goesOn ? null : claimedBy(block, promise, words);
  const by = isFailing ? null : claimed;
  const ongoing = facts.changedFiles.length > 0 ? GOES_ON : 0;
  const heard = words.completion && !goesOn && !isFailing ? words.confidence : ongoing;
  const confidence = by !== null && by !== 'keywords' ? SURE : heard;
  const done = confidence >= SURE;
  const stuck = block?.status === 'BLOCKED' ? block.recommendation || 'STATUS: BLOCKED' : words.stuck;
  return {
    promise,
    claimsCompletion: by === null ? null : { by },
    stuck,
    signals: {
      done,
      completion: claimed !== null || (words.completion && !goesOn),
      testOnly: !done && stuck === null && isTestOnly(block, words, facts, goesOn),
      confidence,
    },
  };
}

/**
 * Whether an agent that works on one story calls the whole backlog finished: by the promise, or in unambiguous words.
 * `STATUS: COMPLETE` and `EXIT_SIGNAL: true` are about its story (see `prompt/render.ts`), and a reviewer's
 * prose is about other agents' work.
 */
export function announcesEverything(text: string, promise: string, mode: Mode): boolean {
  const { block, isUnreadable } = readStatus(text);
  if (isUnreadable || block?.exitSignal === false || block?.status === 'BLOCKED') return false;
  if (promisesCompletion(text, promise)) return true;
  return mode !== 'review' && claimsOutright(prose(text), BACKLOG_CLAIMS);
}

function claimedBy(block: StatusBlock | null, promise: boolean, words: Weighed): ClaimedBy | null {
  if (block?.exitSignal === true) return 'exit-signal';
  if (promise) return 'promise';
  if (block?.status === 'COMPLETE') return 'status';
  return words.claims ? 'keywords' : null;
}

/** A truncated answer also counts as unfinished: its end is not known. */
function saysWorkContinues({ block, isUnreadable }: StatusReading): boolean {
  if (isUnreadable || block?.status === 'BLOCKED') return true;
  return block?.exitSignal === false || (block?.status === 'IN_PROGRESS' && block.exitSignal !== true);
}

/**
 * Whether an unfinished iteration only ran or wrote tests and nothing else is left: three of these end the work. The
 * files an agent changed outweigh what it calls its work, and failing tests count as work.
 */
function isTestOnly(
  block: StatusBlock | null,
  words: Weighed,
  { changedFiles, ranTests }: Facts,
  goesOn: boolean,
): boolean {
  if (block?.testsStatus === 'FAILING' || words.failing) return false;
  const saysTesting = block?.workType === 'TESTING';
  // Writing tests for twenty modules is twenty iterations of work.
  if (changedFiles.length > 0)
    return !goesOn && !words.open && areTests(changedFiles) && (saysTesting || ranTests || words.tested);
  return saysTesting || (ranTests && words.tested && !words.open);
}

/** Test files, and the files beside them that they read. */
function areTests(paths: readonly string[]): boolean {
  const isTest = (path: string): boolean => isTestFile(path) && !DOCUMENT.test(path);
  return paths.some(isTest) && paths.every((path) => isTest(path) || MATERIAL.test(path));
}

const DOCUMENT = /\.(?:md|mdx|rst|adoc)$/i;
const MATERIAL =
  /(?:^|\/)(?:__snapshots__|snapshots|test-?_?data|__fixtures__|fixtures|__mocks__|golden)\/|\.snap$|\.golden$/i;
