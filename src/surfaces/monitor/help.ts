import { padEnd } from '../terminal/width.ts';
import type { Canvas, Scene } from './scene.ts';
import { asManyAsFit, cutStyled, flow } from './styled.ts';
import type { Ui } from './ui.ts';

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
    meaning: "the agent's output in $PAGER; in `iterations`, of the marked one",
    foot: 'with a run',
  },
  { keys: 'r', brief: 'reset breaker', meaning: 'close the circuit breaker', foot: 'with a live run' },
  { keys: 'v', brief: 'more log', meaning: 'log with or without what the agent does' },
  { keys: '↑ ↓', brief: 'move', meaning: 'move the pane; also page up, page down, home, end' },
  { keys: '[ ]', brief: 'other run', meaning: 'an older, a newer run of this work tree' },
  { keys: '1-9', brief: 'work tree', meaning: 'another work tree' },
];

const KEYS_WIDTH = 5;

/** All keys and what they do; in a few words each where they would not fit otherwise. Pure. */
export function helpLines({ paint, width, height }: Canvas): readonly string[] {
  const head = paint('dim', 'keys · any key goes back');
  if (height <= HINTS.length) {
    const words = HINTS.map(({ keys, brief }) => `${paint('strong', keys)} ${brief}`);
    return [head, ...flow(words, width, '  ')].slice(0, height);
  }
  const lines = HINTS.map(({ keys, meaning }) => `${paint('strong', padEnd(keys, KEYS_WIDTH))}${meaning}`);
  return [head, ...lines.map((line) => cutStyled(line, width))];
}

/** The keys that matter now, as many as fit. Pure. */
export function keyHints({ state, view }: Scene, ui: Ui, { paint, width }: Canvas): string {
  const isLive = state !== 'ended' && state !== 'cut-off' && state !== null;
  const goesOn = state === 'paused' || ui.told !== null;
  const holds = { always: true, 'with a run': view !== null, 'with a live run': isLive };
  const texts = HINTS.filter(({ foot }) => foot !== undefined && holds[foot]).map(
    ({ keys, brief }) => `${paint('strong', keys)} ${paint('dim', keys === 'p' && goesOn ? 'go on' : brief)}`,
  );
  return asManyAsFit(texts, width, '  ');
}
