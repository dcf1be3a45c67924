import type { EndReason, ExitCodeValue, StoryState, Usage, UserNeed } from '../../contracts/index.ts';
import {
  allTokens,
  counted,
  dollars,
  elapsed,
  endText,
  oneLine,
  outcomeOf,
  questionIn,
  STATE_TONE,
  shellWord,
  tokens,
} from '../../rules/text/index.ts';
import { type Column, renderColumns } from './layout.ts';
import type { Paint } from './paint.ts';

interface SummaryStory {
  readonly id: string;
  readonly title: string;
  readonly state: StoryState;
  /** Why it is blocked, what it was approved with at the cap … */
  readonly note?: string;
  readonly iterations: number;
  readonly costUsd: number | null;
}

type Step = readonly [command: string, what: string];

/** Where a run worked, for the commands suggested after it. */
export interface RunPlace {
  /** Its work tree; null when it is the user's current one. */
  readonly root: string | null;
  /** Stories that it worked on at once. */
  readonly lanes: number;
}

const HERE: RunPlace = { root: null, lanes: 1 };

export interface SummaryView {
  readonly run: string;
  readonly reason: EndReason;
  readonly exitCode: ExitCodeValue;
  /** One sentence beyond the reason: the error, the limit …; empty when the reason is enough. */
  readonly detail: string;
  readonly durationMs: number;
  readonly iterations: number;
  readonly costUsd: number | null;
  readonly usage: Usage;
  readonly branch: string | null;
  /** There is no backlog, so there are no stories to list either. */
  readonly lonePrompt: boolean;
  readonly stories: readonly SummaryStory[];
  /** Oldest first. */
  readonly commits: readonly { readonly commit: string; readonly subject: string }[];
  /** What a person has to do or know now, most pressing first. */
  readonly needs: readonly UserNeed[];
  /** Number of iterations with rolled-back work that is kept. */
  readonly rescues: number;
}

/** The block at the end of a run: outcome, what needs a person, then routine facts. Pure. */
export function renderSummary(
  summary: SummaryView,
  options: { readonly paint: Paint; readonly columns: number; readonly place?: RunPlace },
): readonly string[] {
  const { paint, columns, place = HERE } = options;
  const stories = summary.lonePrompt ? [] : summary.stories;
  const done = stories.filter((story) => story.state.startsWith('done')).length;
  const outcome = outcomeOf(summary.reason, summary.lonePrompt, { total: stories.length, done });
  return [
    '',
    paint(outcome.tone, outcome.text),
    ...(summary.detail ? [`  ${oneLine(summary.detail)}`] : []),
    `  ${figures(summary)}`,
    ...section(`Needs you: ${summary.needs.length}`, needLines(summary.needs, place, paint), paint),
    ...section(`Stories: ${done} of ${stories.length} done`, storyLines(stories, columns - 2, paint), paint),
    ...section(
      `Commits${summary.branch ? ` on ${summary.branch}` : ''}: ${summary.commits.length}`,
      summary.commits.map(({ commit, subject }) => `${paint('accent', commit.slice(0, 7))} ${oneLine(subject)}`),
      paint,
    ),
    ...section('Look next', lookNextLines(summary, place, paint), paint),
    '',
    `ralph run: ${endText(summary.reason)} (exit ${summary.exitCode})`,
  ];
}

function figures({ run, durationMs, iterations, costUsd, usage }: SummaryView): string {
  const spent = allTokens(usage);
  return [
    `run ${run}`,
    counted(iterations, 'iteration'),
    elapsed(durationMs),
    ...(costUsd === null ? [] : [dollars(costUsd)]),
    ...(spent > 0 ? [`${tokens(spent)} tokens`] : []),
  ].join(' · ');
}

/** Sections without lines are left out. */
function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : ['', paint('strong', title), ...lines.map((line) => `  ${line}`)];
}

const COLUMNS: readonly Column<SummaryStory>[] = [
  { title: 'story', text: (story) => oneLine(story.id) },
  { title: 'state', text: (story) => story.state, tone: (story) => STATE_TONE[story.state] },
  { title: 'iterations', text: (story) => (story.iterations === 0 ? '-' : String(story.iterations)), align: 'right' },
  { title: 'cost', text: (story) => dollars(story.costUsd), align: 'right' },
  {
    title: 'title',
    text: (story) => oneLine(story.note ? `${story.title} · ${noteText(story.note)}` : story.title),
    flexible: true,
  },
];

function noteText(note: string): string {
  const question = questionIn(note);
  return question ? `asks ${question.id}: ${question.text}` : note;
}

const MOST_STORIES = 40;

function storyLines(stories: readonly SummaryStory[], width: number, paint: Paint): readonly string[] {
  // In a long backlog only the stories that this run worked on, or that need a person, matter.
  const news =
    stories.length <= MOST_STORIES
      ? stories
      : stories.filter((story) => story.iterations > 0 || story.state === 'blocked');
  const shown = news.slice(0, MOST_STORIES);
  if (shown.length === 0) return [];
  const left = stories.length - shown.length;
  return [
    ...renderColumns(COLUMNS, shown, width, paint),
    ...(left > 0 ? [paint('dim', `… and ${left} more: ralph stories`)] : []),
  ];
}

const MOST_NEEDS = 20;

function needLines(needs: readonly UserNeed[], place: RunPlace, paint: Paint): readonly string[] {
  const left = needs.length - MOST_NEEDS;
  return [
    ...needs.slice(0, MOST_NEEDS).flatMap(({ what, command }) => {
      const help = command?.startsWith('ralph ') ? commandFor(place, command) : command;
      return [oneLine(what), ...(help === null || help === undefined ? [] : [`  ${paint('dim', oneLine(help))}`])];
    }),
    ...(left > 0 ? [paint('dim', `… and ${left} more: ralph log`)] : []),
  ];
}

function lookNextLines(summary: SummaryView, place: RunPlace, paint: Paint): readonly string[] {
  const steps = lookNext(summary).map(([command, what]): Step => [commandFor(place, command), what]);
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, what]) => `${command.padEnd(width)}  ${paint('dim', what)}`);
}

/** A command as typed in the user's current folder. */
function commandFor({ root, lanes }: RunPlace, command: string): string {
  const again = command.startsWith('ralph run') && lanes > 1 ? `${command} --parallel ${lanes}` : command;
  if (root === null) return again;
  return again.startsWith('git ')
    ? `git -C ${shellWord(oneLine(root))} ${again.slice('git '.length)}`
    : `${again} --project-dir ${shellWord(oneLine(root))}`;
}

const GO_ON: Readonly<Partial<Record<EndReason, readonly Step[]>>> = {
  complete: [['ralph finish', 'bring it to your branch, one commit per story']],
  iterations: [['ralph run', 'continue']],
  interrupted: [['ralph run', 'continue']],
  terminated: [['ralph run', 'continue']],
  stopped: [['ralph run', 'continue']],
  failure: [['ralph run', 'try again']],
  circuit: [
    ['ralph circuit status', 'why it opened, and what to look at'],
    ['ralph run --reset-circuit', 'continue once that is fixed'],
  ],
  budget: [['ralph run', 'continue: every run has its own budgets']],
  limit: [['ralph run --on-usage-limit wait', 'continue as soon as the limit has reset']],
  unavailable: [['ralph doctor', 'what is missing, and how to get it']],
};

/** The same for a lone prompt, where it differs: only the user can unblock it. */
const GO_ON_WITH_PROMPT: Readonly<Partial<Record<EndReason, readonly Step[]>>> = {
  complete: [],
  blocked: [
    ['ralph steer "…"', 'tell the agent what it needs; or change PROMPT.md'],
    ['ralph run', 'continue'],
  ],
};

/** Empty for a reason that only later versions know. */
function goOn(reason: EndReason, lonePrompt: boolean): readonly Step[] {
  const steps = lonePrompt && Object.hasOwn(GO_ON_WITH_PROMPT, reason) ? GO_ON_WITH_PROMPT : GO_ON;
  return Object.hasOwn(steps, reason) ? (steps[reason] ?? []) : [];
}

function lookNext({ reason, lonePrompt, commits, rescues }: SummaryView): readonly Step[] {
  return [
    ['ralph log', 'what happened in each iteration'],
    ...one(commits.length > 0, [`git log -${commits.length} --stat`, 'what was committed']),
    ...one(rescues > 0, ['ralph rescue list', `rolled-back work you can restore: ${rescues}`]),
    ...goOn(reason, lonePrompt),
  ];
}

function one(holds: boolean, step: Step): readonly Step[] {
  return holds ? [step] : [];
}
