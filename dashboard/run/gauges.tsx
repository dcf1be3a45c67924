import { durationOf } from '../../src/rules/view/duration.ts';
import { Gauge } from '../parts/bars.tsx';
import { BreakerPill } from '../parts/pills.tsx';
import { now } from '../state/clock.ts';
import { isLive } from '../state/overview.ts';
import type { ShownRun } from '../state/run.ts';
import { dollars, elapsed, tokens } from '../text.ts';
import { callsWithin } from './duration.ts';

/** What the run has used of what it may. */
export function Gauges({ shown }: { readonly shown: ShownRun }) {
  const { view } = shown;
  const { limits, usage, breaker } = view;
  const moment = isLive(shown) ? now.value : view.lastEventAt;
  const calls = callsWithin(view, moment);
  const spentTokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const worked = durationOf(view, isLive(shown) ? now.value : null) - view.waitedMs;
  return (
    <section class="panel gauges" aria-labelledby="gauges">
      <h2 id="gauges">Limits</h2>
      <Gauge name="iterations" value={view.used} limit={limits?.maxIterations ?? view.maxIterations}>
        {view.used}
        <Of limit={String(limits?.maxIterations ?? view.maxIterations)} />
      </Gauge>
      <Gauge
        name={isLive(shown) ? 'calls this hour' : 'calls in its last hour'}
        value={calls}
        limit={limits?.calls ?? null}
      >
        {calls}
        <Of limit={limits === null ? null : String(limits.calls)} />
      </Gauge>
      <Gauge name="cost" value={view.costUsd} limit={limits?.maxCost ?? null}>
        {dollars(view.costUsd)}
        <Of limit={limits?.maxCost == null ? null : dollars(limits.maxCost)} />
      </Gauge>
      <Gauge name="tokens" value={spentTokens} limit={limits?.maxTokens ?? null}>
        {tokens(spentTokens)}
        <Of limit={limits?.maxTokens == null ? null : tokens(limits.maxTokens)} />
      </Gauge>
      <Gauge name="working time" value={worked} limit={limits?.maxDurationMs ?? null}>
        {elapsed(Math.max(0, worked))}
        <Of limit={limits?.maxDurationMs == null ? null : elapsed(limits.maxDurationMs)} />
      </Gauge>
      <div class="breaker">
        <div class="gauge-head">
          <span class="dim">circuit breaker</span>
          <BreakerPill state={breaker.state} />
        </div>
      </div>
    </section>
  );
}

function Of({ limit }: { readonly limit: string | null }) {
  return <span class="dim">{limit === null ? '' : ` of ${limit}`}</span>;
}
