import { isLive } from '../../rules/view/is-live.ts';
import type { Paint } from '../terminal/paint.ts';
import { padEnd } from '../terminal/width.ts';
import type { Canvas, Scene } from './scene.ts';
import { asManyAsFit, cutStyled, flow } from './styled.ts';

interface Hint {
  readonly keys: string;
  /** In two or three words. */
  readonly brief: string;
  readonly meaning: string;
  /** When it stands at the foot of the screen; absent: it is in the help only. */
  readonly foot?: 'always' | 'with a run' | 'with a live run';
}

const HINTS: readonly Hint[] = [
  { keys: 'q', brief: 'detach', meaning: 'detach: the run goes on without the monitor', foot: 'always' },
  { keys: '?', brief: 'help', meaning: 'this help', foot: 'always' },
  { keys: 'tab', brief: 'pane', meaning: 'next pane; shift-tab: the one before', foot: 'with a run' },
  {
    keys: 'p',
    brief: 'pause',
    meaning: 'pause after this iteration; again: go on, or take a stop back',
    foot: 'with a live run',
  },
  { keys: 's', brief: 'stop', meaning: 'stop after this iteration', foot: 'with a live run' },
  { keys: 'S', brief: 'stop now', meaning: 'stop now; asks first' },
  { keys: 'n', brief: 'note', meaning: 'a note that the next prompt carries once', foot: 'with a live run' },
  { keys: 'a', brief: 'answer', meaning: 'answer the question that a story waits with', foot: 'with a run' },
  { keys: '/', brief: 'search', meaning: 'search the log; esc shows all of it again', foot: 'with a run' },
  {
    keys: 'l',
    brief: 'agent log',
    meaning: 'what the agent did, in $PAGER; in `iterations`, of the marked one',
    foot: 'with a run',
  },
  { keys: 'L', brief: 'raw output', meaning: 'the same as the agent printed it' },
  { keys: 'r', brief: 'reset breaker', meaning: 'close the circuit breaker', foot: 'with a live run' },
  { keys: 'v', brief: 'more log', meaning: 'log with or without what the agent does' },
  { keys: '↑ ↓', brief: 'move', meaning: 'move the pane; also page up, page down, home, end' },
  { keys: '[ ]', brief: 'other run', meaning: 'an older, a newer run of this work tree' },
  { keys: '1-9', brief: 'work tree', meaning: 'another work tree' },
  { keys: 'o', brief: 'work trees', meaning: 'a list of all work trees to choose from' },
];

const KEYS_WIDTH = 5;

/** All keys and what they do, from line `from` on where not all of it fits. Pure. */
export function helpLines({ paint, width, height }: Canvas, from: number): readonly string[] {
  const lines = allLines(paint, width);
  const isMore = lines.length > height - 1;
  const head = isMore ? `keys · ${from + 1} of ${lines.length} · ↑ ↓ move, others go back` : 'keys · any key goes back';
  return [paint('dim', cutStyled(head, width)), ...lines.slice(from, from + Math.max(0, height - 1))];
}

/** How far the help can be moved. Pure. */
export function helpReach({ paint, width, height }: Canvas): number {
  return Math.max(0, allLines(paint, width).length - Math.max(1, height - 1));
}

function allLines(paint: Paint, width: number): readonly string[] {
  return HINTS.flatMap(({ keys, meaning }) =>
    flow(meaning.split(' '), Math.max(1, width - KEYS_WIDTH), ' ').map(
      (line, i) => (i === 0 ? paint('strong', padEnd(keys, KEYS_WIDTH)) : ' '.repeat(KEYS_WIDTH)) + line,
    ),
  );
}

/** The keys that matter now, as many as fit. Pure. */
export function keyHints({ state, view, asked }: Scene, { paint, width }: Canvas): string {
  const goesOn = state === 'paused' || asked !== null;
  const holds = { always: true, 'with a run': view !== null, 'with a live run': isLive(state) };
  const texts = HINTS.filter(({ foot }) => foot !== undefined && holds[foot]).map(
    ({ keys, brief }) => `${paint('strong', keys)} ${paint('dim', keys === 'p' && goesOn ? 'go on' : brief)}`,
  );
  return asManyAsFit(texts, width, '  ');
}
