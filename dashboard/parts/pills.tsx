import type { ComponentChildren } from 'preact';
import type { BreakerState, Mode, StoryState, Verdict } from '../../src/contracts/model.ts';
import type { RunState } from '../../src/surfaces/dashboard/api.ts';
import { BREAKER_TONE, MODE_TEXT, questionIn, STATE_TONE, VERDICT_TONE } from '../../src/surfaces/terminal/words.ts';
import { Icon, type IconName } from './icon.tsx';

export type PillTone = 'good' | 'warn' | 'bad' | 'info' | 'accent' | 'plain';

/** A word with a shape and a colour that mean the same. */
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
  return (
    <Pill tone={toneOf(VERDICT_TONE[verdict])} icon={VERDICT_ICON[verdict] ?? 'circle'}>
      {verdict}
    </Pill>
  );
}

/** The verdict of an iteration; that it only asked, or its story was set aside, is no plain success. */
export function ResultPill({ verdict, blocked }: { readonly verdict: Verdict; readonly blocked: string | null }) {
  if (blocked === null || VERDICT_TONE[verdict] !== 'good') return <VerdictPill verdict={verdict} />;
  const question = questionIn(blocked);
  return (
    <Pill tone="warn" icon={question === null ? 'blocked' : 'question'}>
      {question === null ? 'set aside' : `asks ${question.id}`}
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

/** `reason`: why it ended, which tells more than that it did. */
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

/** Tones of the terminal that a pill knows. */
function toneOf(tone: string | null | undefined): PillTone {
  return tone === 'good' || tone === 'warn' || tone === 'bad' || tone === 'accent' ? tone : 'plain';
}
