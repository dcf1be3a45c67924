import { type EndReason, ownValue } from '../../contracts/index.ts';
import { counted, elapsed, questionIn } from '../../rules/text/index.ts';
import type { RunView } from '../../rules/view/index.ts';
import { isPlainWord } from './figures.ts';
import type { Need, Outcome, Report, ReportExtra, ReportStory } from './model.ts';
import { money } from './words.ts';

type Ending = Pick<Outcome, 'tone' | 'label'> & {
  /** Begins the sentence; figures follow. */
  readonly words: string;
};

const ENDINGS: Readonly<Record<EndReason, Ending>> = {
  complete: { tone: 'good', label: 'complete', words: 'Every story is done' },
  iterations: { tone: 'warn', label: 'out of iterations', words: 'The iterations are used up and stories are left' },
  blocked: { tone: 'warn', label: 'needs you', words: 'Only blocked stories are left' },
  circuit: { tone: 'bad', label: 'no progress', words: 'The circuit breaker ended the run: no progress' },
  budget: { tone: 'warn', label: 'budget spent', words: 'A budget is spent and stories are left' },
  limit: { tone: 'warn', label: 'usage limit', words: "The provider's usage limit ended the run" },
  unavailable: { tone: 'bad', label: 'needs you', words: 'The agent or its isolation could not be used' },
  stopped: { tone: 'warn', label: 'stopped', words: 'You stopped the run' },
  once: { tone: 'good', label: 'one iteration', words: 'The run was limited to one iteration' },
  failure: { tone: 'warn', label: 'stopped', words: 'The run stopped at the first failed iteration' },
  until: { tone: 'good', label: 'stopped', words: 'The requested story is done or blocked' },
  interrupted: { tone: 'warn', label: 'interrupted', words: 'The run was interrupted' },
  terminated: { tone: 'warn', label: 'terminated', words: 'The run was terminated' },
  condition: { tone: 'good', label: 'exit condition', words: 'An exit condition was met' },
  error: { tone: 'bad', label: 'failed', words: 'The run could not continue' },
};

/** Without a backlog there are no stories to mention. */
const ENDINGS_OF_PROMPT: Readonly<Partial<Record<EndReason, Ending>>> = {
  complete: { tone: 'good', label: 'complete', words: 'The agent has nothing left to do' },
  iterations: { tone: 'warn', label: 'out of iterations', words: 'The iterations are used up' },
  blocked: { tone: 'warn', label: 'needs you', words: 'The agent cannot continue without you' },
  budget: { tone: 'warn', label: 'budget spent', words: 'A budget is spent' },
};

const LEFT = ', and work is left';

const RUNNING: Ending = { tone: 'warn', label: 'under way', words: 'The run is under way' };
const CUT_OFF: Ending = { tone: 'bad', label: 'cut off', words: 'The run was cut off; the next start continues it' };
const BETWEEN: Ending = { tone: 'warn', label: 'between turns', words: 'The run waits for its next turn' };
const NO_END: Ending = { tone: 'warn', label: 'no end yet', words: 'The run is under way, or was cut off' };

function endingOf({ ended, lonePrompt, betweenSince }: RunView, live: boolean | null): Ending {
  if (ended === null && betweenSince !== null) return BETWEEN;
  if (ended === null) return live === null ? NO_END : live ? RUNNING : CUT_OFF;
  const ending =
    (lonePrompt ? ownValue(ENDINGS_OF_PROMPT, ended.reason) : undefined) ?? ownValue(ENDINGS, ended.reason) ?? NO_END;
  // A condition, or a requested story, may end a run whose work is not done: the exit code shows that.
  return ending.tone === 'good' && ended.exitCode !== 0
    ? { ...ending, tone: 'warn', words: `${ending.words}${LEFT}` }
    : ending;
}

/** How it ended in one sentence with the key figures. */
export function outcomeOf(
  views: readonly RunView[],
  live: ReportExtra['live'],
  figures: Pick<Report, 'storyCounts' | 'iterations' | 'time' | 'costUsd'>,
): Outcome {
  const last = views.at(-1);
  if (last === undefined) throw new RangeError('a report needs at least one run');
  const { words, ...ending } = endingOf(last, live);
  const { storyCounts, iterations, time, costUsd } = figures;
  const facts = [
    ...(storyCounts.total > 0 ? [`${storyCounts.done} of ${counted(storyCounts.total, 'story', 'stories')}`] : []),
    counted(iterations.length, 'iteration'),
    elapsed(time.totalMs),
    ...(costUsd === null ? [] : [money(costUsd)]),
  ].join(', ');
  const sentence =
    views.length === 1
      ? `${words}: ${facts}.`
      : `${counted(views.length, 'run')}: ${facts}. The last: ${words.charAt(0).toLowerCase() + words.slice(1)}.`;
  return { ...ending, sentence, reason: last.ended?.reason ?? null, exitCode: last.ended?.exitCode ?? null };
}

/** What a run with this ending waits for, apart from its stories. */
const AFTER: Readonly<Partial<Record<EndReason, Need>>> = {
  circuit: {
    what: 'The circuit breaker is open: find out why, fix it, then close it',
    command: 'ralph circuit status',
  },
  unavailable: { what: 'The agent or its isolation is missing', command: 'ralph doctor' },
  error: { what: 'The run ended with an error: its log says which', command: 'ralph log' },
  budget: { what: 'A budget is spent: the next run has its own budgets', command: 'ralph run' },
  iterations: { what: 'Stories are left: another run continues with them', command: 'ralph run' },
};

/** What only a person can do now: answers, blocked stories, what ended the last run. */
export function needsOf(stories: readonly ReportStory[], last: RunView, live: boolean | null): readonly Need[] {
  const blocked = stories.filter(({ state }) => state === 'blocked').map(needOf);
  const cut = last.ended === null && last.betweenSince === null && live === false ? [CONTINUE] : [];
  const after = last.ended === null ? undefined : ownValue(AFTER, last.ended.reason);
  // Needs of stories are listed above, in their current state. Event logs lie where agents can write: no command is
  // taken from them.
  const told = (last.ended?.needs ?? []).filter(({ kind }) => kind !== 'story');
  const others = told.map(({ what }): Need => ({ what, command: null }));
  return [...blocked, ...others, ...(after ? [after] : []), ...cut];
}

const CONTINUE: Need = { what: 'The run was cut off: the next start recovers it', command: 'ralph run' };

function needOf({ id, blocked }: ReportStory): Need {
  const question = questionIn(blocked ?? undefined);
  if (question) return { what: `${id} asks: ${question.text}`, command: `ralph answer ${question.id} "…"` };
  const command = isPlainWord(id) ? `ralph stories show ${id}` : 'ralph stories';
  return { what: `${id} is blocked: ${blocked ?? 'no reason given'}`, command };
}
