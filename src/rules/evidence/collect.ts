import {
  type Backlog,
  type LedgerIteration,
  type LedgerLine,
  NO_USAGE,
  type Story,
  type StoryState,
  type Usage,
} from '../../contracts/index.ts';
import { type Receipt, storyState } from '../backlog/index.ts';
import { addUsage, sumCosts } from '../text/index.ts';

/** The known history of one story. */
export interface StoryEvidence {
  readonly story: Story;
  readonly state: StoryState;
  /** null until it was approved, and for stories done before ralph was used. */
  readonly receipt: Receipt | null;
  readonly iterations: number;
  readonly failed: number;
  /** US dollars; null when no iteration reported a cost. */
  readonly costUsd: number | null;
  readonly durationMs: number;
}

/** All stories of a backlog together. */
export interface LoopEvidence {
  readonly stories: readonly StoryEvidence[];
  readonly done: number;
  /** Epoch ms of the first iteration and of the last known event; null when there is none. */
  readonly from: number | null;
  readonly to: number | null;
  readonly iterations: number;
  readonly costUsd: number | null;
  readonly usage: Usage;
  readonly durationMs: number;
}

const FAILED: ReadonlySet<string> = new Set(['rejected', 'no-progress', 'timed-out', 'agent-error']);

/**
 * Combines backlog, receipts and ledger. The ledger stays in the clone that wrote it; in any other clone only the
 * receipts, which are committed, are available.
 */
export function collectEvidence(
  { stories }: Pick<Backlog, 'stories'>,
  receipts: readonly Receipt[],
  ledger: readonly LedgerLine[],
): LoopEvidence {
  const byStory = iterationsByStory(ledger);
  const last = new Map(receipts.map((receipt) => [receipt.story, receipt]));
  const found = stories.map((story) => ofStory(story, last.get(story.id) ?? null, byStory.get(story.id) ?? []));
  const lines = stories.flatMap(({ id }) => byStory.get(id) ?? []);
  const approvals = found.flatMap(({ receipt }) => (receipt === null ? [] : [Date.parse(receipt.approvedAt)]));
  const times = [...lines.flatMap((line) => [line.startedAt, line.startedAt + line.durationMs]), ...approvals];
  const known = times.filter((time) => Number.isFinite(time));
  return {
    stories: found,
    done: stories.filter(({ passes }) => passes).length,
    from: known.length === 0 ? null : known.reduce((a, b) => Math.min(a, b)),
    to: known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b)),
    iterations: lines.length,
    costUsd: sumCosts(found.map(({ costUsd }) => costUsd)),
    usage: lines.length > 0 ? lines.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE) : receiptsUsage(found),
    durationMs: found.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

function ofStory(story: Story, receipt: Receipt | null, lines: readonly LedgerIteration[]): StoryEvidence {
  const state = storyState(story);
  if (lines.length === 0) {
    const { attempts = 0, costUsd = null, durationMs = 0 } = receipt ?? {};
    return { story, state, receipt, iterations: 0, failed: attempts, costUsd, durationMs };
  }
  return {
    story,
    state,
    receipt,
    iterations: lines.length,
    failed: lines.filter(({ verdict }) => FAILED.has(verdict)).length,
    costUsd: sumCosts(lines.map(({ costUsd }) => costUsd)),
    durationMs: lines.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

function iterationsByStory(ledger: readonly LedgerLine[]): ReadonlyMap<string, readonly LedgerIteration[]> {
  const byStory = new Map<string, LedgerIteration[]>();
  for (const line of ledger) {
    if (line.kind !== 'iteration') continue;
    const lines = byStory.get(line.story);
    if (lines === undefined) byStory.set(line.story, [line]);
    else lines.push(line);
  }
  return byStory;
}

function receiptsUsage(stories: readonly StoryEvidence[]): Usage {
  return stories.reduce((sum, { receipt }) => {
    if (receipt?.tokens === undefined) return sum;
    const { input, output, cacheRead, cacheWrite } = receipt.tokens;
    return addUsage(sum, {
      inputTokens: input,
      outputTokens: output,
      cacheReadTokens: cacheRead,
      cacheWriteTokens: cacheWrite,
    });
  }, NO_USAGE);
}
