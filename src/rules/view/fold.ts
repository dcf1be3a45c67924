import type { RalphEvent } from '../../contracts/events.ts';
import { NO_USAGE } from '../../contracts/model.ts';
import { sumDollars } from '../amounts.ts';
import { addUsage } from '../usage.ts';
import { callsAfter } from './calls.ts';
import { hasShape } from './event-shape.ts';
import { type Facts, factsAfter, isTakenUp, NO_FACTS } from './facts.ts';
import { rowAfter } from './iteration-row.ts';
import { runLists } from './lists.ts';
import type { IterationView, Now, RunView } from './model.ts';
import { NOTHING_YET, nowAfter } from './now.ts';
import { storyBoard } from './stories.ts';

/** A run as its events tell it, one after the other. */
export interface RunFold {
  /**
   * Takes the next event. One that no version of ralph writes is left out; nothing is thrown.
   * @param line its 0-based line in the log, the header being 0
   */
  see(event: RalphEvent, line: number): void;
  /** As of the last event: the same object until another one comes. */
  view(): RunView;
}

const CHANGES_STORIES: ReadonlySet<RalphEvent['type']> = new Set(['backlog', 'select', 'story']);

/**
 * Folds the events of a run into its view, from the start or from where `from` is. Events of agents may be left out:
 * then only tool, file, context and cost of the process at work are missing.
 */
export function foldRun(run: string, from?: RunView): RunFold {
  let facts = from ? factsOf(from) : NO_FACTS;
  let now: Now = from?.now ?? NOTHING_YET;
  let lastEventAt = from?.lastEventAt ?? 0;
  let calls = from?.calls ?? [];
  let questions = from?.questions ?? [];
  const rows = new Map<number, IterationView>((from?.iterations ?? []).map((row) => [row.iteration, row]));
  let iterations: readonly IterationView[] | null = from?.iterations ?? null;
  const board = storyBoard(from);
  const lists = runLists(from);
  let stories: RunView['stories'] | null = from?.stories ?? null;
  let shown: RunView | null = from ?? null;

  function seeIteration(event: RalphEvent, at: number, line: number): void {
    const before = rows.get(event.iteration);
    const row = rowAfter(before, event, at, line);
    if (row === undefined) return;
    // Which window it is a share of was told elsewhere.
    const percent = now.iteration === event.iteration ? (now.context?.percent ?? 0) : 0;
    const after = percent > (row.contextPercent ?? 0) ? { ...row, contextPercent: percent } : row;
    rows.set(event.iteration, after);
    iterations = null;
    // What the agent says and does between changes nothing that a story shows.
    if (after.costUsd !== before?.costUsd || event.type !== 'agent') stories = null;
  }

  return {
    see(event, line) {
      if (!hasShape(event)) return;
      const at = Date.parse(event.ts);
      lastEventAt = at;
      shown = null;
      // What the last turn left to wait for is over.
      if (isTakenUp(facts, event)) now = { ...now, waiting: null };
      now = nowAfter(now, event, at, rows.get(event.iteration));
      calls = callsSeen(calls, event, at);
      if (event.iteration > 0) seeIteration(event, at, line);
      if (event.type === 'agent') return;
      facts = factsAfter(facts, event, at);
      lists.see(event, at);
      board.see(event);
      if (CHANGES_STORIES.has(event.type)) stories = null;
      if (event.type === 'question' && !questions.some(({ id }) => id === event.question)) {
        questions = [...questions, { id: event.question, story: event.story, text: event.text, at }];
      }
    },
    view() {
      if (shown !== null) return shown;
      iterations ??= [...rows.values()].sort((one, other) => one.iteration - other.iteration);
      stories ??= board.view(iterations);
      shown = {
        run,
        ...facts,
        lastEventAt,
        now,
        calls,
        stories,
        storyCounts: board.counts(),
        iterations,
        costUsd: sumDollars(iterations.map(({ costUsd }) => costUsd ?? 0)),
        usage: iterations.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
        ...lists.view(),
        questions,
      };
      return shown;
    },
  };
}

/** A start names all that count by then, those of a resumed run before its cut included. */
function callsSeen(calls: readonly number[], event: RalphEvent, at: number): readonly number[] {
  if (event.type === 'run-start' && event.recentCalls) return callsAfter([], at, event.recentCalls);
  return callsAfter(calls, at, event.type === 'agent-start' ? [at] : []);
}

function factsOf(view: RunView): Facts {
  return Object.fromEntries(Object.keys(NO_FACTS).map((name) => [name, view[name as keyof Facts]])) as unknown as Facts;
}
