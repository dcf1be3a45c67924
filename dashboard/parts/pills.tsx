import type { ComponentChildren } from 'preact';
import type { BreakerState, Mode, StoryState, Verdict } from '../../src/contracts/index.ts';
import { BREAKER_TONE, MODE_TEXT, questionIn, resultOf, STATE_TONE, VERDICT_TONE } from '../../src/rules/text/index.ts';
import type { IterationView } from '../../src/rules/view/index.ts';
import type { RunState } from '../../src/surfaces/dashboard/index.ts';
import { counted } from '../text.ts';
import { Icon, type IconName } from './icon.tsx';

export type PillTone = 'good' | 'warn' | 'bad' | 'info' | 'accent' | 'plain';

/** A word with a shape and a colour of the same meaning. */
export function Pill(props: {
  readonly tone: PillTone;
  readonly icon: IconName;
  readonly children: ComponentChildren;
  readonly live?: boolean;
}) {
  return (
    <span class={`pill ${props.tone}${props.live ? ' live' : ''}`}>
      <Icon name={props.icon} />
      <span>{props.children}</span>
    </span>
  );
}

const VERDICT_ICON: Readonly<Record<Verdict, IconName>> = {
  accepted: 'check-circle',
  advanced: 'arrow-circle',
  rejected: 'cross-circle',
  'no-progress': 'minus-circle',
  'timed-out': 'clock',
  interrupted: 'pause',
  'agent-error': 'alert',
  limited: 'blocked',
};

export function VerdictPill({ verdict }: { readonly verdict: Verdict }) {
  return <ResultPill verdict={verdict} mode="implement" claim={null} error={null} blocked={null} />;
}

interface Result extends Pick<IterationView, 'mode' | 'claim' | 'error' | 'blocked'> {
  readonly verdict: Verdict;
}

/** The result of an iteration; one that only asked, or whose story is blocked, is not a plain success. */
export function ResultPill({ blocked, ...judged }: Result) {
  const { verdict } = judged;
  if (blocked === null || VERDICT_TONE[verdict] !== 'good') {
    const { text, tone } = resultOf(judged);
    return (
      <Pill tone={toneOf(tone)} icon={VERDICT_ICON[verdict] ?? 'circle'}>
        {text}
      </Pill>
    );
  }
  const question = questionIn(blocked);
  return (
    <Pill tone="warn" icon={question === null ? 'blocked' : 'question'}>
      {question === null ? 'blocked' : `asks ${question.id}`}
    </Pill>
  );
}

const RUN_STATE: Readonly<
  Record<RunState, { readonly tone: PillTone; readonly icon: IconName; readonly text: string }>
> = {
  running: { tone: 'accent', icon: 'play', text: 'running' },
  waiting: { tone: 'warn', icon: 'clock', text: 'waiting' },
  paused: { tone: 'warn', icon: 'pause', text: 'paused' },
  ended: { tone: 'plain', icon: 'stop', text: 'ended' },
  between: { tone: 'info', icon: 'dots', text: 'between turns' },
  'cut-off': { tone: 'bad', icon: 'alert', text: 'cut off' },
};

/** `reason`: why it ended, which says more than the state. */
export function RunStatePill({ state, reason }: { readonly state: RunState; readonly reason?: string | undefined }) {
  if (state === 'ended' && reason === 'complete') {
    return (
      <Pill tone="good" icon="check-circle">
        complete
      </Pill>
    );
  }
  const { tone, icon, text } = RUN_STATE[state];
  const bad = state === 'ended' && (reason === 'error' || reason === 'circuit' || reason === 'unavailable');
  return (
    <Pill tone={bad ? 'bad' : tone} icon={bad ? 'cross-circle' : icon} live={state === 'running'}>
      {state === 'ended' ? (reason ?? text) : text}
    </Pill>
  );
}

const STORY_ICON: Readonly<Record<StoryState, IconName>> = {
  done: 'check-circle',
  'done, unreviewed': 'check',
  blocked: 'blocked',
  'needs review': 'eye',
  'changes requested': 'wrench',
  'to do': 'circle',
};

export function StoryStatePill({ state }: { readonly state: StoryState }) {
  return (
    <Pill tone={toneOf(STATE_TONE[state])} icon={STORY_ICON[state] ?? 'circle'}>
      {state}
    </Pill>
  );
}

const BREAKER_ICON: Readonly<Record<BreakerState, IconName>> = {
  closed: 'check-circle',
  'half-open': 'alert',
  open: 'cross-circle',
};

export function BreakerPill({ state }: { readonly state: BreakerState }) {
  return (
    <Pill tone={toneOf(BREAKER_TONE[state])} icon={BREAKER_ICON[state]}>
      {state}
    </Pill>
  );
}

const MODE_ICON: Readonly<Record<Mode, IconName>> = { implement: 'pen', review: 'eye', 'review-fix': 'wrench' };

export function ModeLabel({ mode }: { readonly mode: Mode }) {
  return (
    <span class="mode">
      <Icon name={MODE_ICON[mode]} />
      <span>{MODE_TEXT[mode]}</span>
    </span>
  );
}

/** The pill's tone for a tone of the terminal. */
function toneOf(tone: string | null | undefined): PillTone {
  return tone === 'good' || tone === 'warn' || tone === 'bad' || tone === 'accent' ? tone : 'plain';
}

/** How many stories are done, blocked and left. */
export function StoryBar(props: { readonly total: number; readonly done: number; readonly blocked: number }) {
  const { total, done, blocked } = props;
  const blockedText = blocked > 0 ? `, ${blocked} blocked` : '';
  return (
    <span class="story-bar">
      <span class="track" role="img" aria-label={`${done} of ${counted(total, 'story', 'stories')} done${blockedText}`}>
        <span class="fill good" style={{ width: share(done, total) }} />
        <span class="fill hatched" style={{ width: share(blocked, total) }} />
      </span>
      <span class="number" aria-hidden="true">
        {done}/{total}
      </span>
    </span>
  );
}

/** A gauge: its name, its value in words, and how full that is. Without a limit there is nothing to fill. */
export function Gauge(props: {
  readonly name: string;
  readonly value: number;
  readonly limit: number | null;
  readonly format: (amount: number) => string;
}) {
  const { name, value, limit, format } = props;
  const used = limit === null || limit <= 0 ? null : value / limit;
  const tone = used === null || used < 0.75 ? 'accent' : used < 0.95 ? 'warn' : 'bad';
  return (
    <div class="gauge stack-1">
      <div class="gauge-head">
        <span class="dim">{name}</span>
        <span class="number">
          {format(value)}
          {limit !== null && <span class="dim"> of {format(limit)}</span>}
        </span>
      </div>
      <span class="track" aria-hidden="true">
        {used !== null && <span class={`fill ${tone}`} style={{ width: share(value, limit ?? 0) }} />}
      </span>
    </div>
  );
}

/** A part of a whole as a width, between 0 % and 100 %. */
export function share(part: number, whole: number): string {
  if (whole <= 0) return '0%';
  return `${Math.min(100, Math.max(0, (part / whole) * 100)).toFixed(2)}%`;
}
