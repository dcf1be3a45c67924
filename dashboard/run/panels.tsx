import { allTokens, outcomeOf, questionIn } from '../../src/rules/text/index.ts';
import { durationOf, type RunView } from '../../src/rules/view/index.ts';
import { controlToken, shutOut } from '../api.ts';
import { answerAsk, ask } from '../controls/asks.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { BreakerPill, Gauge, StoryBar } from '../parts/pills.tsx';
import { Facts } from '../parts/problem.tsx';
import { isLatest, isLive } from '../state/overview.ts';
import { now } from '../state/page.ts';
import type { ShownRun } from '../state/run.ts';
import { clockTime, counted, dollars, elapsed, said, stopwatch, tokens } from '../text.ts';
import { LongText } from '../transcript/long-text.tsx';
import { hasResult } from './timeline.tsx';

/** What waits for a person: open questions, and an open breaker. */
export function Attention({ project, view }: { readonly project: string; readonly view: RunView }) {
  const questions = openQuestions(view);
  const { breaker } = view;
  const tone = breaker.state === 'open' ? 'bad' : 'warn';
  if (questions.length === 0 && breaker.state === 'closed') return null;
  return (
    <section class="attention stack-3" aria-label="Needs you">
      {breaker.state !== 'closed' && (
        <div class={`panel notice-card edged stack-2 ${tone}`}>
          <h2>
            <Icon name="alert" /> The circuit breaker is {breaker.state}
          </h2>
          <LongText text={breaker.reason} lines={8} />
          <Lines lines={breaker.evidence} />
          <Lines lines={breaker.fix} />
        </div>
      )}
      {questions.map((question) => (
        <div key={question.id} class="panel notice-card edged stack-2 warn">
          <h2 class="clamped">
            <Icon name="question" /> {said(question.id)} · {said(question.story)}
          </h2>
          <LongText text={question.text} lines={12} />
          {!isLatest(project, view.run) ? null : controlToken() === null ? (
            <p class="dim note">
              <code>ralph answer {said(question.id)} "…"</code>
            </p>
          ) : (
            <button
              type="button"
              class="button main"
              disabled={shutOut.value}
              onClick={() => ask(answerAsk(project, view.run, question))}
            >
              Answer
            </button>
          )}
        </div>
      ))}
    </section>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="note">
      {lines.map((line) => (
        <li key={line} class="clamped" title={said(line)}>
          {said(line)}
        </li>
      ))}
    </ul>
  );
}

/** A question is open while its story is blocked by it. */
function openQuestions(view: RunView) {
  return view.stories.flatMap((story) => {
    const open = questionIn(story.blocked ?? undefined);
    return open === null ? [] : [{ id: open.id, story: story.id, text: open.text }];
  });
}

/** Shown at first; the transcript has all of them. */
const SHOWN = 12;

interface Line {
  readonly at: number;
  readonly text: string;
  readonly icon: IconName;
  readonly tone: string;
}

/** News besides the iterations: notices, and what people said from outside; the latest first. */
export function Notices({ view }: { readonly view: RunView }) {
  const lines = linesOf(view);
  if (lines.length === 0) return null;
  return (
    <section class="panel notices stack-3" aria-labelledby="notices">
      <h2 id="notices">Notices</h2>
      <ul class="stack-2">
        {lines.slice(0, SHOWN).map((line) => (
          <li key={`${line.at} ${line.text}`} class={line.tone}>
            <Icon name={line.icon} />
            <span class="clamped" title={said(line.text)}>
              {said(line.text)}
            </span>
            <time class="dim number" dateTime={new Date(line.at).toISOString()}>
              {clockTime(line.at, view.lastEventAt)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  );
}

const LEVEL = {
  info: { icon: 'note', tone: '' },
  warning: { icon: 'alert', tone: 'warn' },
  error: { icon: 'cross-circle', tone: 'bad' },
} as const;

function linesOf(view: RunView): readonly Line[] {
  const signs: readonly Line[] = [
    ...view.notices.last.map(({ at, text, level }) => ({ at, text, ...LEVEL[level] })),
    ...view.steered.last.map(({ at, text }) => ({ at, text, icon: 'sliders' as const, tone: 'accent' })),
  ];
  return [...signs].sort((a, b) => b.at - a.at);
}

export function OutcomePanel({ shown }: { readonly shown: ShownRun }) {
  const { view } = shown;
  const outcome = view.ended === null ? null : outcomeOf(view.ended.reason, view.lonePrompt, view.storyCounts);
  const kept = view.iterations.filter((one) => hasResult(one, 'good')).length;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['iterations', String(view.iterations.length)],
    ['accepted', String(kept)],
    ['not accepted', String(view.iterations.length - kept)],
    ['duration', stopwatch(durationOf(view, null))],
    ['cost', dollars(view.costUsd)],
    ['commits', String(view.iterations.filter((one) => one.commit !== null).length)],
    ['denials', String(view.denials.count)],
    ['claimed to be done too early', String(view.exit.falseCompletions)],
  ];
  return (
    <section class={`panel now outcome edged stack-2 ${outcome?.tone ?? 'bad'}`} aria-labelledby="now">
      <div class="now-head">
        <h2 id="now">{outcome?.text ?? 'CUT OFF: the process is gone'}</h2>
        <span class="now-stories">
          <StoryBar {...view.storyCounts} />
        </span>
      </div>
      {view.ended === null ? (
        <p class="dim">
          Nothing is lost: the next <code>ralph run</code> recovers the interrupted work (
          {counted(view.iterations.length, 'iteration')} so far).
        </p>
      ) : (
        <LongText text={view.ended.summary} lines={8} />
      )}
      <Facts facts={facts} />
    </section>
  );
}

export function Gauges({ shown }: { readonly shown: ShownRun }) {
  const { view } = shown;
  const { limits, usage, breaker } = view;
  const moment = isLive(shown) ? now.value : view.lastEventAt;
  const calls = view.calls.filter((call) => call > moment - 3_600_000 && call <= moment).length;
  const spentTokens = allTokens(usage);
  const worked = durationOf(view, isLive(shown) ? now.value : null) - view.waitedMs;
  return (
    <section class="panel gauges stack-3" aria-labelledby="gauges">
      <h2 id="gauges">Limits</h2>
      <Gauge name="iterations" value={view.used} limit={limits?.maxIterations ?? view.maxIterations} format={String} />
      <Gauge
        name={isLive(shown) ? 'calls this hour' : 'calls in its last hour'}
        value={calls}
        limit={limits?.calls ?? null}
        format={String}
      />
      <Gauge name="cost" value={view.costUsd} limit={limits?.maxCost ?? null} format={dollars} />
      <Gauge name="tokens" value={spentTokens} limit={limits?.maxTokens ?? null} format={tokens} />
      <Gauge name="working time" value={Math.max(0, worked)} limit={limits?.maxDurationMs ?? null} format={elapsed} />
      <div class="gauge-head">
        <span class="dim">circuit breaker</span>
        <BreakerPill state={breaker.state} />
      </div>
    </section>
  );
}
