import type { RunLimits } from '../../contracts/state/run-record.ts';
import { allTokens } from '../../rules/usage.ts';
import { durationOf } from '../../rules/view/duration.ts';
import type { RunView } from '../../rules/view/model.ts';
import { counted, dollars, elapsed, tokens } from '../terminal/format.ts';
import type { Paint, Tone } from '../terminal/paint.ts';
import { oneLine } from '../terminal/sanitise.ts';
import { displayWidth } from '../terminal/width.ts';
import { BREAKER_TONE, questionIn } from '../terminal/words.ts';
import { bar, LABEL, labelled } from './styled.ts';

const HOUR = 3_600_000;

/** A figure that the monitor keeps in view: of how far the run is, and of what speaks for its end. */
export interface Gauge {
  readonly label: string;
  /** The words beside the bar; they say it all by themselves. */
  readonly text: string;
  /** 0 to 1; null where there is no whole to measure against. */
  readonly share: number | null;
  readonly tone: Tone;
}

/** All gauges, the most telling ones first. `until`: the last moment of the run so far. Pure. */
export function gaugesOf(view: RunView, now: number, until: number): readonly Gauge[] {
  return [
    contextGauge(view),
    callsGauge(view, now),
    costGauge(view),
    breakerGauge(view),
    storiesGauge(view),
    iterationsGauge(view),
    claimsGauge(view),
    questionsGauge(view),
    budgetsGauge(view, until),
  ];
}

function contextGauge({ now: { context } }: RunView): Gauge {
  const label = 'context';
  if (context === null) return { label, text: '-', share: null, tone: 'dim' };
  // Nobody told how large the window is: then no share is claimed.
  if (context.percent === null) return { label, text: `${tokens(context.tokens)} tokens`, share: null, tone: 'accent' };
  const of = context.window === null ? '' : ` of ${tokens(context.window)}`;
  return {
    label,
    text: `${Math.round(context.percent)}%${of}`,
    share: context.percent / 100,
    tone: scale(context.percent / 100),
  };
}

function callsGauge({ calls, limits }: RunView, now: number): Gauge {
  const count = calls.filter((at) => at > now - HOUR).length;
  const share = limits === null ? null : count / limits.calls;
  return {
    label: 'calls/h',
    text: limits === null ? String(count) : `${count} of ${limits.calls}`,
    share,
    tone: scale(share),
  };
}

function costGauge({ costUsd, limits }: RunView): Gauge {
  const most = limits?.maxCost ?? null;
  const share = most === null ? null : costUsd / most;
  return {
    label: 'cost',
    text: most === null ? dollars(costUsd) : `${dollars(costUsd)} of ${dollars(most)}`,
    share,
    tone: scale(share),
  };
}

function breakerGauge({ breaker: { state, reason } }: RunView): Gauge {
  const why = state === 'closed' || reason === '' ? '' : `: ${oneLine(reason)}`;
  return { label: 'breaker', text: `${state}${why}`, share: null, tone: BREAKER_TONE[state] };
}

function storiesGauge({ storyCounts: { total, done, blocked }, lonePrompt, exit }: RunView): Gauge {
  if (lonePrompt) {
    const { signals } = exit;
    return {
      label: 'done',
      text: signals?.done ? 'the agent says so' : 'not yet, says the agent',
      share: null,
      tone: 'dim',
    };
  }
  const text = `${done} of ${total}, ${total - done} left${blocked > 0 ? `, ${blocked} blocked` : ''}`;
  return { label: 'stories', text, share: total === 0 ? null : done / total, tone: 'good' };
}

function iterationsGauge({ used, maxIterations }: RunView): Gauge {
  const share = maxIterations === 0 ? null : used / maxIterations;
  return {
    label: 'iterations',
    text: `${used} of ${maxIterations}, ${Math.max(0, maxIterations - used)} left`,
    share,
    tone: scale(share),
  };
}

/** What agents claim of the end, and what came of it. */
function claimsGauge({ exit: { falseCompletions, stopRefusals, signals, condition } }: RunView): Gauge {
  const label = 'signals';
  if (condition !== null)
    return { label, text: `exit condition ${oneLine(condition)} is met`, share: null, tone: 'warn' };
  const parts = [
    ...(signals?.done ? ['done'] : signals?.completion ? ['completion'] : []),
    ...(signals?.testOnly ? ['only tests'] : []),
    ...(falseCompletions > 0 ? [counted(falseCompletions, 'false completion')] : []),
    ...(stopRefusals > 0 ? [counted(stopRefusals, 'refused stop')] : []),
  ];
  return { label, text: parts.join(', ') || 'none', share: null, tone: parts.length > 0 ? 'warn' : 'dim' };
}

function questionsGauge(view: RunView): Gauge {
  const count = openQuestions(view).length;
  const text = count === 0 ? 'none' : `${count} ${count === 1 ? 'waits' : 'wait'} for you (a)`;
  return { label: 'asked', text, share: null, tone: count > 0 ? 'warn' : 'dim' };
}

function budgetsGauge(view: RunView, now: number): Gauge {
  const parts = view.limits === null ? [] : budgetParts(view, view.limits, now);
  return { label: 'budgets', text: parts.join(', ') || 'none', share: null, tone: 'dim' };
}

function budgetParts(view: RunView, { maxTokens, maxDurationMs, maxCost }: RunLimits, now: number): readonly string[] {
  const spent = durationOf(view, now);
  return [
    ...(maxCost === null ? [] : [`${dollars(Math.max(0, maxCost - view.costUsd))} left`]),
    ...(maxTokens === null ? [] : [`${tokens(allTokens(view.usage))} of ${tokens(maxTokens)} tokens`]),
    ...(maxDurationMs === null ? [] : [`${elapsed(Math.max(0, maxDurationMs - spent))} left`]),
  ];
}

/** The nearer to its limit, the more it is worth a look. */
function scale(share: number | null): Tone {
  if (share === null || share < 0.7) return 'accent';
  return share < 0.9 ? 'warn' : 'bad';
}

/** The longest words beside a bar that are worth its being shorter: `12 of 34, 22 left`. */
const WORDS = 17;
const BAR = { least: 6, most: 20 };

/** A gauge as a line of at most `width` columns: label, bar where there is a whole, words. Pure. */
export function gaugeLine({ label, text, share, tone }: Gauge, width: number, paint: Paint): string {
  const room = width - LABEL;
  if (share === null) return labelled(label, paint(tone, wholeParts(text, room)), paint);
  const barWidth = Math.min(BAR.most, Math.max(BAR.least, room - 1 - WORDS));
  return labelled(label, `${bar(share, barWidth, paint, tone)} ${wholeParts(text, room - barWidth - 1)}`, paint);
}

/** `3 of 14, 11 left, 1 blocked` without the parts that there is no room for, the last ones first. */
function wholeParts(text: string, columns: number): string {
  const at = text.lastIndexOf(', ');
  return displayWidth(text) <= columns || at < 0 ? text : wholeParts(text.slice(0, at), columns);
}

/** A gauge in a few words, where there is no room for bars. Pure. */
export function gaugeWords({ label, text, share, tone }: Gauge, paint: Paint): string {
  return `${paint('dim', label)} ${share === null ? paint(tone, text) : text}`;
}

/** Questions that stories still wait with, earlier runs' included. Pure. */
export function openQuestions({
  stories,
}: RunView): readonly { readonly id: string; readonly text: string; readonly story: string }[] {
  return stories.flatMap((story) => {
    const question = questionIn(story.blocked ?? undefined);
    return question === null ? [] : [{ ...question, story: story.id }];
  });
}
