import { durationOf } from '../../src/rules/view/duration.ts';
import { outcomeOf } from '../../src/surfaces/terminal/words.ts';
import { StoryBar } from '../parts/bars.tsx';
import type { ShownRun } from '../state/run.ts';
import { counted, dollars, stopwatch } from '../text.ts';
import { LongText } from '../transcript/long-text.tsx';
import { hasResult } from './filter.ts';

/** What a run came to that does not live any more. */
export function OutcomePanel({ shown }: { readonly shown: ShownRun }) {
  const { view } = shown;
  const outcome = view.ended === null ? null : outcomeOf(view.ended.reason, view.lonePrompt, view.storyCounts);
  const kept = view.iterations.filter((one) => hasResult(one, 'good')).length;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['iterations', String(view.iterations.length)],
    ['kept', String(kept)],
    ['not kept', String(view.iterations.length - kept)],
    ['duration', stopwatch(durationOf(view, null))],
    ['cost', dollars(view.costUsd)],
    ['commits', String(view.iterations.filter((one) => one.commit !== null).length)],
    ['denials', String(view.denials.count)],
    ['false completions', String(view.exit.falseCompletions)],
  ];
  return (
    <section class={`panel now outcome ${outcome?.tone ?? 'bad'}`} aria-labelledby="now">
      <div class="now-head">
        <h2 id="now">{outcome?.text ?? 'CUT OFF: the process is gone'}</h2>
        <span class="now-stories">
          <StoryBar {...view.storyCounts} />
        </span>
      </div>
      {view.ended === null ? (
        <p class="dim">
          Nothing is lost: the next <code>ralph run</code> recovers what was under way (
          {counted(view.iterations.length, 'iteration')} so far).
        </p>
      ) : (
        <LongText text={view.ended.summary} lines={8} />
      )}
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
