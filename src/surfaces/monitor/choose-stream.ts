import { isLive } from '../../rules/view/is-live.ts';
import { byPath, familyOf, streamPlace } from '../../rules/view/stream-place.ts';
import { dollars, stopwatch } from '../terminal/format.ts';
import { oneLine } from '../terminal/sanitise.ts';
import { padEnd, truncate } from '../terminal/width.ts';
import { WAIT_TEXT } from '../terminal/words.ts';
import type { Key } from './key.ts';
import { type Canvas, type Scene, STATE_TEXT, type StreamTab } from './scene.ts';
import { cutStyled } from './styled.ts';
import type { Outcome, Ui } from './ui.ts';

const LONGEST_NAME = 28;
const LEAST_NAME = 16;
const STATE_WIDTH = 11;

interface Choice {
  /** Index into the streams: the digit that chooses it is one more. */
  readonly index: number;
  readonly tab: StreamTab;
}

/** All work trees by repository, those first in which a run is under way; lanes behind the run that they are of. */
function choicesOf({ streams }: Pick<Scene, 'streams'>): readonly Choice[] {
  const roots = new Set(streams.map(({ project }) => project.root));
  const placed = streams.map((tab, index) => ({ tab, index, family: familyOf(tab.project.root, roots) }));
  const live = placed.filter(({ tab }) => isLive(tab.state));
  const busy = new Set(live.flatMap(({ tab, family }) => [tab.project.repository, family]));
  const firstBusy = (one: string, other: string) =>
    Number(busy.has(other)) - Number(busy.has(one)) || byPath(one, other);
  return placed.sort(
    (a, b) =>
      firstBusy(a.tab.project.repository, b.tab.project.repository) ||
      firstBusy(a.family, b.family) ||
      byPath(a.tab.project.root, b.tab.project.root),
  );
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
export function choiceLines(scene: Scene, ui: Ui, { paint, width, height, now }: Canvas): readonly string[] {
  const choices = choicesOf(scene);
  const at = pointedAt(choices, ui);
  const room = Math.max(1, height - 1);
  const from = Math.min(Math.max(0, choices.length - room), Math.max(0, at - Math.floor(room / 2)));
  const rows = choices.slice(from, from + room).map(({ tab, index }, i) => {
    const isAt = from + i === at;
    const state = padEnd(tab.state === null ? '·' : STATE_TEXT[tab.state], STATE_WIDTH);
    const line = `${String(index + 1).padStart(3)} ${state} ${padEnd(nameOf(tab), LEAST_NAME)}`;
    const text = [line, ...factsOf(tab, now), paint('dim', oneLine(tab.project.root))].join('  ');
    return cutStyled(isAt ? `${paint('accent', '▸')}${paint('strong', text)}` : ` ${text}`, width);
  });
  const hidden = choices.length - rows.length;
  const head = `${choices.length} work trees${hidden > 0 ? ` (${at + 1})` : ''} · ↑ ↓ and enter choose · esc goes back`;
  return [paint('dim', cutStyled(head, width)), ...rows];
}

/** Lanes are told by their numbers, below the run that they are of. */
function nameOf({ project }: StreamTab): string {
  const lane = streamPlace(project.root)?.lane ?? null;
  return truncate(lane === null ? oneLine(project.name) : `└ lane ${lane}`, LONGEST_NAME);
}

/** What is worth knowing of its last run beside the state. */
function factsOf({ summary }: StreamTab, now: number): readonly string[] {
  if (summary === null) return [];
  const { stories, costUsd, waiting, branch } = summary;
  const left = waiting === null || waiting.until === null ? '' : ` ${stopwatch(waiting.until - now)}`;
  return [
    `${stories.done}/${stories.total}`.padStart(5),
    dollars(costUsd).padStart(7),
    ...(waiting === null ? [] : [`${WAIT_TEXT[waiting.why]}${left}`]),
    ...(branch === null ? [] : [oneLine(branch)]),
  ];
}
