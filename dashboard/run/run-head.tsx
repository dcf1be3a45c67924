import type { ComponentChildren } from 'preact';
import { durationOf } from '../../src/rules/view/index.ts';
import { controlToken, shutOut } from '../api.ts';
import { type Ask, ask, limitsAsk, noteAsk, pauseAsk, resetCircuitAsk, resumeAsk, stopAsk } from '../controls/asks.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { RunStatePill } from '../parts/pills.tsx';
import { Facts } from '../parts/problem.tsx';
import { isLive } from '../state/overview.ts';
import { now } from '../state/page.ts';
import type { ShownRun } from '../state/run.ts';
import { moment, said, stopwatch } from '../text.ts';

export function RunHead({ shown }: { readonly shown: ShownRun }) {
  const { view, state } = shown;
  return (
    <header class="run-head">
      <div class="run-title">
        <h1>{said(shown.project.name)}</h1>
        <RunStatePill state={state} reason={view.ended?.reason} />
        <span class="mono dim run-id">{said(view.run)}</span>
        <span class="stopwatch number" title="Since the start">
          <Icon name="clock" />
          <Elapsed shown={shown} />
        </span>
      </div>
      {controlToken() === null ? <ReadOnly /> : <Controls shown={shown} />}
      <Facts
        facts={[
          ['branch', view.branch],
          ['agent', [view.agent, view.model].filter((part) => part !== null).join(' · ')],
          ['isolation', view.isolation],
          ['backlog', view.backlog],
          [isLive(shown) ? 'started' : 'ran', whenOf(shown)],
          ['starts', view.starts > 1 ? String(view.starts) : null],
        ]}
      />
    </header>
  );
}

function whenOf(shown: ShownRun): string | null {
  const { startedAt, lastEventAt, ended } = shown.view;
  if (startedAt === null || isLive(shown)) return startedAt === null ? null : moment(startedAt);
  const until = ended?.at ?? lastEventAt;
  const sameDay = new Date(until).toDateString() === new Date(startedAt).toDateString();
  return `${moment(startedAt)} – ${sameDay ? moment(until).slice(-5) : moment(until)}`;
}

function Elapsed({ shown }: { readonly shown: ShownRun }) {
  return <>{stopwatch(durationOf(shown.view, isLive(shown) ? now.value : null))}</>;
}

function ReadOnly() {
  return (
    <p class="dim note">
      <Icon name="lock" /> Read only. To control the run, open the address that <code>ralph dashboard</code> prints.
    </p>
  );
}

interface Control {
  readonly text: string;
  readonly icon: IconName;
  readonly shown: boolean;
  readonly ask: () => Ask;
  readonly look?: 'main' | 'grave';
}

function Controls({ shown }: { readonly shown: ShownRun }) {
  const { view, state } = shown;
  const project = shown.project.id;
  const between = state === 'between';
  // The process that takes its next turn reads requests made between two of them.
  const hears = between || isLive(shown);
  const paused = state === 'paused' || (between && view.now.waiting?.why === 'pause');
  const controls: readonly Control[] = [
    { text: 'Pause', icon: 'pause', shown: hears && !paused, ask: () => pauseAsk(project) },
    { text: 'Resume', icon: 'play', shown: paused, look: 'main', ask: () => resumeAsk(project) },
    { text: 'Note', icon: 'note', shown: hears, ask: () => noteAsk(project) },
    { text: 'Limits', icon: 'sliders', shown: hears, ask: () => limitsAsk(project, view.limits) },
    {
      text: 'Reset breaker',
      icon: 'repeat',
      shown: view.breaker.state !== 'closed',
      ask: () => resetCircuitAsk(project),
    },
    { text: between ? 'Stop' : 'Stop after iteration', icon: 'stop', shown: hears, ask: () => stopAsk(project, false) },
    {
      text: 'Stop now',
      icon: 'cross-circle',
      shown: hears && !between,
      look: 'grave',
      ask: () => stopAsk(project, true),
    },
  ];
  return (
    <fieldset class="controls" aria-label="Controls" disabled={shutOut.value}>
      {controls
        .filter((one) => one.shown)
        .map(({ text, icon, look, ask: toAsk }) => (
          <ControlButton key={text} look={look} onClick={() => ask(toAsk())}>
            <Icon name={icon} />
            {text}
          </ControlButton>
        ))}
    </fieldset>
  );
}

function ControlButton(props: {
  readonly look: 'main' | 'grave' | undefined;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}) {
  const look = props.look === undefined ? '' : props.look === 'main' ? ' main' : ' grave-quiet';
  return (
    <button type="button" class={`button${look}`} onClick={props.onClick}>
      {props.children}
    </button>
  );
}
