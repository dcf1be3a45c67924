import type { Now, RunView } from '../../src/rules/view/model.ts';
import { outcomeOf } from '../../src/surfaces/terminal/words.ts';
import { Gauge, StoryBar } from '../parts/bars.tsx';
import { BreakerPill, ModeLabel, StoryStatePill, VerdictPill } from '../parts/pills.tsx';
import { dollars, said, tokens } from '../text.ts';

const PHASE: Readonly<Record<Now['phase'], string>> = {
  starting: 'starting',
  baseline: 'checks before the first iteration',
  checkpoint: 'making a checkpoint',
  agent: 'the agent works',
  settling: 'judging what was done',
  check: 'running a check',
  concluding: 'concluding',
  retrying: 'trying again',
  waiting: 'waiting',
  between: 'between iterations',
  ended: 'ended',
};

/** Iterations that are shown: the last ones. */
const SHOWN = 6;
/** Stories that are shown. */
const STORIES = 30;

/** The run as it was at a moment: what it did, what had come of it, where the stories stood. */
export function Scene({ view }: { readonly view: RunView }) {
  const { now, limits, breaker } = view;
  const iterations = view.iterations.slice(-SHOWN).reverse();
  return (
    <div class="scene">
      <section class="panel" aria-label="At that moment">
        <h3>{view.ended === null ? PHASE[now.phase] : outcomeOf(view.ended.reason, view.lonePrompt).text}</h3>
        {now.iteration > 0 && view.ended === null && (
          <p class="scene-story">
            <span class="number">#{now.iteration}</span> {now.mode !== null && <ModeLabel mode={now.mode} />}{' '}
            <bdi>
              {said(now.story ?? '')} {said(now.title ?? '')}
            </bdi>
          </p>
        )}
        <p class="scene-tool mono dim">{said(toolText(now)).slice(0, 300)}</p>
        <Gauge name="iterations" value={view.used} limit={view.maxIterations || null}>
          {view.used}
        </Gauge>
        <Gauge name="cost" value={view.costUsd} limit={limits?.maxCost ?? null}>
          {dollars(view.costUsd)}
        </Gauge>
        {now.context !== null && (
          <Gauge name="context" value={now.context.tokens} limit={now.context.window}>
            {tokens(now.context.tokens)}
          </Gauge>
        )}
        <p class="scene-breaker">
          <span class="dim">breaker</span> <BreakerPill state={breaker.state} />
        </p>
      </section>
      <section class="panel" aria-label="Iterations until then">
        <h3>Iterations</h3>
        {iterations.length === 0 && <p class="dim">None yet.</p>}
        <ol class="scene-list">
          {iterations.map((one) => (
            <li key={one.iteration}>
              <span class="number dim">#{one.iteration}</span>
              <bdi class="what">
                {said(one.story)} {said(one.title)}
              </bdi>
              {one.verdict === null ? <span class="dim">at work</span> : <VerdictPill verdict={one.verdict} />}
            </li>
          ))}
        </ol>
      </section>
      <section class="panel" aria-label="Stories at that moment">
        <h3>
          Stories <StoryBar {...view.storyCounts} />
        </h3>
        <ul class="scene-list">
          {view.stories.slice(0, STORIES).map((story) => (
            <li key={story.id}>
              <bdi class="what">
                {said(story.id)} {said(story.title)}
              </bdi>
              <StoryStatePill state={story.state} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function toolText({ tool, check, file }: Now): string {
  if (tool !== null) return `${tool.name} ${tool.what}`;
  return check ?? file ?? '';
}
