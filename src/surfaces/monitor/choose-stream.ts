import type { RunState } from '../../contracts/catalogue.ts';
import { oneLine } from '../terminal/sanitise.ts';
import { padEnd, truncate } from '../terminal/width.ts';
import type { Key } from './key.ts';
import { type Canvas, type Scene, STATE_TEXT, type StreamTab } from './scene.ts';
import { cutStyled } from './styled.ts';
import type { Outcome, Ui } from './ui.ts';

const LIVE: ReadonlySet<RunState | null> = new Set<RunState | null>(['running', 'waiting', 'paused']);
const LONGEST_NAME = 28;
const STATE_WIDTH = 11;

interface Choice {
  /** Index into the streams: the digit that chooses it is one more. */
  readonly index: number;
  readonly tab: StreamTab;
}

/** All work trees, those first in which a run is under way. */
function choicesOf({ streams }: Pick<Scene, 'streams'>): readonly Choice[] {
  const all = streams.map((tab, index) => ({ tab, index }));
  return [...all.filter(({ tab }) => LIVE.has(tab.state)), ...all.filter(({ tab }) => !LIVE.has(tab.state))];
}

/** Shows the list, the work tree on show pointed at. Pure. */
export function openChoice(ui: Ui, { streams, selected }: Scene): Ui {
  return { ...ui, choosing: streams[selected]?.project.id ?? null };
}

/** What a key does while the list is shown. `page`: how many are seen at once. Pure. */
export function pressInChoice(ui: Ui, key: Key, scene: Scene, page: number): Outcome {
  const choices = choicesOf(scene);
  const at = pointedAt(choices, ui);
  const closed = { ...ui, choosing: null };
  const step = STEPS(page, choices.length)[key.name ?? ''];
  if (step !== undefined) {
    const to = choices[Math.min(choices.length - 1, Math.max(0, at + step))];
    return { ui: { ...ui, choosing: to?.tab.project.id ?? null }, wish: null };
  }
  const chosen = choices[at];
  if (key.name !== 'enter' || chosen === undefined) return { ui: closed, wish: null };
  return { ui: { ...closed, scroll: 0 }, wish: { do: 'stream', index: chosen.index } };
}

const STEPS = (page: number, count: number): Readonly<Record<string, number>> => ({
  up: -1,
  down: 1,
  'page-up': -page,
  'page-down': page,
  home: -count,
  end: count,
});

function pointedAt(choices: readonly Choice[], { choosing }: Ui): number {
  return Math.max(
    0,
    choices.findIndex(({ tab }) => tab.project.id === choosing),
  );
}

/** The list, moved so that the one pointed at is seen. Pure. */
export function choiceLines(scene: Scene, ui: Ui, { paint, width, height }: Canvas): readonly string[] {
  const choices = choicesOf(scene);
  const at = pointedAt(choices, ui);
  const room = Math.max(1, height - 1);
  const from = Math.min(Math.max(0, choices.length - room), Math.max(0, at - Math.floor(room / 2)));
  const rows = choices.slice(from, from + room).map(({ tab: { project, state }, index }, i) => {
    const isAt = from + i === at;
    const name = padEnd(truncate(oneLine(project.name), LONGEST_NAME), Math.min(LONGEST_NAME, 16));
    const line = `${String(index + 1).padStart(3)} ${padEnd(state === null ? '·' : STATE_TEXT[state], STATE_WIDTH)}`;
    const text = `${line} ${name}  ${paint('dim', oneLine(project.root))}`;
    return cutStyled(isAt ? `${paint('accent', '▸')}${paint('strong', text)}` : ` ${text}`, width);
  });
  const hidden = choices.length - rows.length;
  const head = `${choices.length} work trees${hidden > 0 ? ` (${at + 1})` : ''} · ↑ ↓ and enter choose · esc goes back`;
  return [paint('dim', cutStyled(head, width)), ...rows];
}
