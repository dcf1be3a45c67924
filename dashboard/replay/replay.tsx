import { useEffect, useMemo, useState } from 'preact/hooks';
import { outcomeOf } from '../../src/rules/text/index.ts';
import type { Now, RunView } from '../../src/rules/view/index.ts';
import { IconButton } from '../parts/icon.tsx';
import { BreakerPill, Gauge, ModeLabel, StoryBar, StoryStatePill, VerdictPill } from '../parts/pills.tsx';
import { PHASE } from '../run/now-panel.tsx';
import { type KeyBinding, useKeys } from '../state/keys.ts';
import { dollars, moment, said, stopwatch, tokens } from '../text.ts';
import { linesOf } from '../transcript/pages.ts';
import { Transcript } from '../transcript/transcript.tsx';
import { openPlayer, openReplay, type Player, type ReplaySource, SPEEDS } from './replay-source.ts';

interface ReplayProps {
  readonly project: string;
  readonly run: string;
  /** The whole run, as known now. */
  readonly view: RunView;
  readonly lines: number;
}

/** Replays the run. It shows the log as it was when the replay was opened, without what a live run adds meanwhile. */
export function Replay({ project, run, view, lines }: ReplayProps) {
  const [whole] = useState(view);
  const [length] = useState(lines);
  const start = whole.startedAt ?? whole.iterations[0]?.startedAt ?? whole.lastEventAt;
  const end = Math.max(start + 1, whole.lastEventAt);
  const source = useMemo(() => openReplay(run, linesOf(project, run), whole, length), [project, run, whole, length]);
  const player = useMemo(() => openPlayer(source, start, end), [source, start, end]);
  useEffect(
    () => () => {
      player.close();
      source.close();
    },
    [player, source],
  );
  const shown = source.view.value;
  return (
    <section class="replay stack-3" aria-label="Replay">
      <Controls source={source} player={player} start={start} end={end} whole={whole} />
      {source.failed.value !== null && (
        <p class="bad toned" role="alert">
          {source.failed.value}
        </p>
      )}
      <div class="replay-body">
        <Scene view={shown} />
        <Transcript project={project} run={run} iteration={null} view={shown} until={source.moment.value} />
      </div>
    </section>
  );
}

/** Number of iterations shown: the last ones. */
const SHOWN = 6;
const STORIES = 30;

/** The run at a moment: its activity, its results, the state of the stories. */
function Scene({ view }: { readonly view: RunView }) {
  const { now, limits, breaker } = view;
  const iterations = view.iterations.slice(-SHOWN).reverse();
  return (
    <div class="scene stack-3">
      <section class="panel stack-2" aria-label="At that moment">
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
        <Gauge name="iterations" value={view.used} limit={view.maxIterations || null} format={String} />
        <Gauge name="cost" value={view.costUsd} limit={limits?.maxCost ?? null} format={dollars} />
        {now.context !== null && (
          <Gauge name="context" value={now.context.tokens} limit={now.context.window} format={tokens} />
        )}
        <p class="scene-breaker">
          <span class="dim">breaker</span> <BreakerPill state={breaker.state} />
        </p>
      </section>
      <section class="panel stack-2" aria-label="Iterations so far">
        <h3>Iterations</h3>
        {iterations.length === 0 && <p class="dim">None yet.</p>}
        <ol class="scene-list stack-1">
          {iterations.map((one) => (
            <li key={one.iteration}>
              <span class="number dim">#{one.iteration}</span>
              <bdi class="what cut">
                {said(one.story)} {said(one.title)}
              </bdi>
              {one.verdict === null ? <span class="dim">running</span> : <VerdictPill verdict={one.verdict} />}
            </li>
          ))}
        </ol>
      </section>
      <section class="panel stack-2" aria-label="Stories at this moment">
        <h3>
          Stories <StoryBar {...view.storyCounts} />
        </h3>
        <ul class="scene-list stack-1">
          {view.stories.slice(0, STORIES).map((story) => (
            <li key={story.id}>
              <bdi class="what cut">
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

interface ControlsProps {
  readonly source: ReplaySource;
  readonly player: Player;
  readonly start: number;
  readonly end: number;
  /** The whole run: its iterations are marks. */
  readonly whole: RunView;
}

const MOST_MARKS = 150;
/** Share of the run that an arrow key moves by. */
const NUDGE = 0.01;

function Controls({ source, player, start, end, whole }: ControlsProps) {
  const at = source.at.value;
  const span = Math.max(1, end - start);
  const playing = player.playing.value;
  const keys = keysOf(player, source, start, end, whole);
  useKeys(keys);
  const iteration = whole.iterations.findLast((one) => one.startedAt <= at)?.iteration ?? 0;
  return (
    <div class="replay-controls panel">
      <IconButton
        icon={playing ? 'pause' : 'play'}
        label={playing ? 'Pause' : 'Play'}
        look="main"
        onClick={player.toggle}
      />
      <IconButton
        icon="back"
        label="Previous iteration"
        title="Previous iteration ([)"
        look=""
        onClick={() => press(keys, '[')}
      />
      <IconButton
        icon="chevron"
        label="Next iteration"
        title="Next iteration (])"
        look=""
        onClick={() => press(keys, ']')}
      />
      <div class="time">
        <input
          type="range"
          aria-label="Moment"
          aria-valuetext={`${stopwatch(at - start)} of ${stopwatch(span)}, iteration ${iteration}`}
          min={0}
          max={span}
          step={1}
          value={at - start}
          onInput={(event) => player.seek(start + event.currentTarget.valueAsNumber)}
          onKeyDown={(event) => {
            // A slider's own arrow keys would move by a millisecond.
            const binding = keys.find((one) => one.keys === event.key);
            if (binding === undefined) return;
            event.preventDefault();
            binding.press();
          }}
        />
        <span class="marks" aria-hidden="true">
          {marksOf(whole).map((one) => (
            <span
              key={one.iteration}
              class={one.verdict === 'rejected' || one.verdict === 'agent-error' ? 'mark bad' : 'mark'}
              style={{ left: `${(100 * (one.startedAt - start)) / span}%` }}
            />
          ))}
        </span>
      </div>
      <p class="clock">
        <strong>{stopwatch(at - start)}</strong> <span class="dim">of {stopwatch(span)}</span>
        <span class="dim note date">{moment(at)}</span>
      </p>
      <label class="speed note">
        <span class="dim">Speed</span>
        <select
          value={String(player.speed.value)}
          onChange={(event) => {
            player.speed.value = Number(event.currentTarget.value);
          }}
        >
          {SPEEDS.map((speed) => (
            <option key={speed} value={String(speed)}>
              {speed}×
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function keysOf(player: Player, source: ReplaySource, start: number, end: number, whole: RunView): KeyBinding[] {
  const nudge = (share: number) => () => player.seek(source.at.peek() + share * (end - start));
  const starts = whole.iterations.map((one) => one.startedAt);
  return [
    { keys: ' ', text: 'play or pause', press: player.toggle },
    { keys: 'ArrowLeft', text: 'one step back', press: nudge(-NUDGE) },
    { keys: 'ArrowRight', text: 'one step forward', press: nudge(NUDGE) },
    {
      keys: '[',
      text: 'to the previous iteration',
      press: () => player.seek(starts.findLast((at) => at < source.at.peek()) ?? start),
    },
    {
      keys: ']',
      text: 'to the next iteration',
      press: () => player.seek(starts.find((at) => at > source.at.peek()) ?? end),
    },
  ];
}

function press(bindings: readonly KeyBinding[], key: string): void {
  bindings.find(({ keys }) => keys === key)?.press();
}

function marksOf({ iterations }: RunView): RunView['iterations'] {
  const every = Math.ceil(iterations.length / MOST_MARKS);
  return iterations.filter((_, i) => i % every === 0);
}
