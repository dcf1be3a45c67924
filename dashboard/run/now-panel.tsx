import { WAIT_TEXT } from '../../src/rules/text/index.ts';
import { goOnCommand, type Now, type RunView } from '../../src/rules/view/index.ts';
import { Icon } from '../parts/icon.tsx';
import { ModeLabel, StoryBar, share } from '../parts/pills.tsx';
import { runHref } from '../route.ts';
import { now } from '../state/page.ts';
import type { ShownRun } from '../state/run.ts';
import { dollars, said, stopwatch, tokens } from '../text.ts';

export const PHASE: Readonly<Record<Now['phase'], string>> = {
  starting: 'Starting',
  baseline: 'Checks before the first iteration',
  checkpoint: 'Making a checkpoint',
  agent: 'Agent running',
  settling: 'Checking the work',
  check: 'Running a check',
  concluding: 'Finishing',
  retrying: 'Retrying after an error',
  waiting: 'Waiting',
  between: 'Between iterations',
  ended: 'Ended',
};

/** The current activity of a run that is live or waits for its next turn. */
export function NowPanel({ shown }: { readonly shown: ShownRun }) {
  const { view } = shown;
  const at = view.now;
  const between = shown.state === 'between';
  return (
    <section class={`panel now stack-2${between ? '' : ' live'}`} aria-labelledby="now">
      <div class="now-head">
        <h2 id="now">{between ? 'Between two turns' : PHASE[at.phase]}</h2>
        <Since at={at} />
        <span class="now-stories">
          <StoryBar {...view.storyCounts} />
        </span>
      </div>
      {at.iteration > 0 && (
        <p class="now-story">
          <a class="number" href={runHref(shown.project.id, view.run, at.iteration)}>
            #{at.iteration}
          </a>
          {at.mode !== null && <ModeLabel mode={at.mode} />}
          <span class="mono dim">{said(at.story ?? '')}</span>
          <strong class="clamped" title={said(at.title ?? '')}>
            {said(at.title ?? '')}
          </strong>
        </p>
      )}
      {!between && <Doing at={at} />}
      {between && at.waiting?.why !== 'pause' && (
        <p class="dim">
          <code>{said(goOnCommand(shown.project.root))}</code> continues it.
        </p>
      )}
      <Waiting at={at} />
      <Context at={at} view={view} />
    </section>
  );
}

function Since({ at }: { readonly at: Now }) {
  return <span class="dim number">{stopwatch(now.value - at.since)}</span>;
}

/** The tool in use and its file, or the check. Its place stays when it is empty, so that nothing jumps. */
function Doing({ at }: { readonly at: Now }) {
  const busy =
    at.tool !== null ? `${at.tool.name}` : at.check !== null ? 'check' : at.phase === 'agent' ? 'thinking' : '';
  const what = at.tool?.what ?? at.check ?? at.file ?? '';
  return (
    <p class="doing mono">
      <span class="tool cut">{said(busy)}</span>
      <span class="what cut" title={said(what)}>
        {said(what)}
      </span>
      {at.agentSince !== null && <span class="dim number">{stopwatch(now.value - at.agentSince)}</span>}
    </p>
  );
}

function Waiting({ at }: { readonly at: Now }) {
  if (at.waiting === null) return null;
  const { why, until, text } = at.waiting;
  return (
    <p class="waiting warn toned">
      <Icon name={why === 'pause' ? 'pause' : 'clock'} />
      <span>
        {WAIT_TEXT[why]}
        {until === null ? '' : `, ${stopwatch(until - now.value)} left`}
      </span>
      <span class="dim said">{said(text)}</span>
    </p>
  );
}

function Context({ at, view }: { readonly at: Now; readonly view: RunView }) {
  const last = view.iterations.at(-1);
  const percent = at.context?.percent ?? null;
  if (at.context === null && last === undefined) return null;
  return (
    <div class="now-numbers">
      {at.context !== null && (
        <div class="gauge stack-1">
          <div class="gauge-head">
            <span class="dim">context</span>
            <span class="number">
              {tokens(at.context.tokens)}
              {at.context.window !== null && <span class="dim"> of {tokens(at.context.window)}</span>}
              {percent !== null && ` · ${Math.round(percent)} %`}
            </span>
          </div>
          {percent !== null && (
            <span class="track" aria-hidden="true">
              <span
                class={`fill ${percent < 70 ? 'accent' : percent < 90 ? 'warn' : 'bad'}`}
                style={{ width: share(percent, 100) }}
              />
            </span>
          )}
        </div>
      )}
      <p class="number">
        <span class="dim">this process</span> {dollars(at.costUsd)}
      </p>
    </div>
  );
}
