import type { RunView } from '../../src/rules/view/model.ts';
import { Icon } from '../parts/icon.tsx';
import { type KeyBinding, useKeys } from '../state/keys.ts';
import { moment, stopwatch } from '../text.ts';
import { type Player, SPEEDS } from './player.ts';
import type { ReplaySource } from './replay-source.ts';

export interface ControlsProps {
  readonly source: ReplaySource;
  readonly player: Player;
  readonly start: number;
  readonly end: number;
  /** All of the run: its iterations are marks. */
  readonly whole: RunView;
}

const MOST_MARKS = 150;
/** Part of the run that an arrow key moves by. */
const NUDGE = 0.01;

/** Play, speed, and where in time. */
export function Controls({ source, player, start, end, whole }: ControlsProps) {
  const at = source.at.value;
  const span = Math.max(1, end - start);
  const playing = player.playing.value;
  const keys = keysOf(player, source, start, end, whole);
  useKeys(keys);
  const iteration = whole.iterations.findLast((one) => one.startedAt <= at)?.iteration ?? 0;
  return (
    <div class="replay-controls">
      <button type="button" class="button main square" aria-label={playing ? 'Pause' : 'Play'} onClick={player.toggle}>
        <Icon name={playing ? 'pause' : 'play'} />
      </button>
      <button
        type="button"
        class="button square"
        aria-label="Iteration before"
        title="Iteration before ([)"
        onClick={() => press(keys, '[')}
      >
        <Icon name="back" />
      </button>
      <button
        type="button"
        class="button square"
        aria-label="Next iteration"
        title="Next iteration (])"
        onClick={() => press(keys, ']')}
      >
        <Icon name="chevron" />
      </button>
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
            // Of a slider's own keys the arrows would move by a millisecond.
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
        <span class="dim date">{moment(at)}</span>
      </p>
      <label class="speed">
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
    { keys: 'ArrowLeft', text: 'a little back', press: nudge(-NUDGE) },
    { keys: 'ArrowRight', text: 'a little on', press: nudge(NUDGE) },
    {
      keys: '[',
      text: 'to the iteration before',
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
