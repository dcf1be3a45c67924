import type { ControlAction } from '../../contracts/index.ts';
import { dollars, oneLine, stopwatch, WAIT_TEXT } from '../../rules/text/index.ts';
import { byPath, familyOf, isLive, streamPlace } from '../../rules/view/index.ts';
import { displayWidth, padEnd, truncate } from '../terminal/index.ts';
import { edited, type Key } from './key.ts';
import {
  type Asking,
  type Canvas,
  type Outcome,
  type Scene,
  STATE_TEXT,
  type StreamTab,
  type Typing,
  type Ui,
} from './scene.ts';
import { cutStyled } from './styled.ts';

/** What a key does in a dialog. Pure. */
export function pressInDialog(before: Ui, dialog: Typing | Asking, key: Key): Outcome {
  const closed = { ...before, dialog: null, message: null };
  if (key.name === 'escape' || key.name === 'ctrl-c') return { ui: closed, wish: null };
  if (dialog.kind === 'confirm') {
    const ui = { ...closed, dialog: dialog.next ?? null };
    if (key.text === 'y' || key.text === 'Y') return { ui, wish: { do: 'control', action: dialog.action } };
    return { ui, wish: null };
  }
  if (key.name === 'enter') return submit(closed, dialog);
  return { ui: { ...before, message: null, dialog: { ...dialog, ...edited(dialog, key) } }, wish: null };
}

function submit(ui: Ui, { kind, text, question, rejectable }: Typing): Outcome {
  const said = oneLine(text);
  if (kind === 'search') return { ui: { ...ui, search: said, scroll: 0 }, wish: null };
  if (said === '')
    return {
      ui: { ...ui, message: { text: `an empty ${kind === 'reject' ? 'rejection' : kind} is not sent`, bad: true } },
      wish: null,
    };
  if (rejectable !== undefined) return { ui, wish: { do: 'control', action: rejection(said, rejectable) } };
  if (kind === 'note') return { ui, wish: { do: 'control', action: { do: 'note', text: said } } };
  if (question === undefined) return { ui, wish: null };
  return {
    ui,
    wish: { do: 'control', action: { do: 'answer', question: question.id, text: said, run: question.run } },
  };
}

function rejection(said: string, { stories, run }: NonNullable<Typing['rejectable']>): ControlAction {
  const [first = '', ...rest] = said.split(/[\s:]+/);
  const named = rest.length > 0 ? stories.find(({ id }) => id.toLowerCase() === first.toLowerCase()) : undefined;
  const { id: story = '', title = '' } = named ?? stories[0] ?? {};
  const text = named === undefined ? said : said.slice(first.length).replace(/^[\s:]+/, '');
  return { do: 'reject', story, title, run, changes: [{ text }] };
}

const PROMPTS: Readonly<Record<Typing['kind'], string>> = {
  note: 'note for the next prompt:',
  answer: 'answer:',
  reject: 'reject:',
  search: 'search:',
};

/** The dialog at the foot of the screen. Pure. */
export function dialogLine(dialog: Typing | Asking, { paint, width }: Canvas): string {
  // The question may be cut, the possible answers never.
  if (dialog.kind === 'confirm') return `${paint('warn', truncate(dialog.text, width - 4))} ${paint('strong', 'y/n')}`;
  const [story] = dialog.rejectable?.stories ?? [];
  const prompt = story
    ? truncate(`what to change in ${oneLine(story.id)} (for another, its id first):`, Math.floor(width * 0.6))
    : dialog.question
      ? truncate(`answer ${oneLine(`${dialog.question.id}, ${dialog.question.text}`)}:`, Math.floor(width * 0.6))
      : PROMPTS[dialog.kind];
  const room = Math.max(2, width - displayWidth(prompt) - 2);
  const before = endOf(shownPart(dialog.text.slice(0, dialog.cursor)), room);
  const behind = truncate(shownPart(dialog.text.slice(dialog.cursor)), room - displayWidth(before));
  return `${paint('strong', prompt)} ${before}${paint('accent', '▏')}${behind}`;
}

/** Sanitized, but with the blanks at both ends, which belong to the typed text. */
function shownPart(text: string): string {
  return oneLine(`.${text}.`).slice(1, -1);
}

/** The end of a text that is longer than its place: it grows there. */
function endOf(text: string, columns: number): string {
  let rest = text;
  while (displayWidth(rest) > columns)
    rest = Array.from(rest)
      .slice(Math.max(1, rest.length - columns * 2))
      .join('');
  return rest;
}

const LONGEST_NAME = 28;
const LEAST_NAME = 16;
const STATE_WIDTH = 11;

interface Choice {
  /** Index into the streams: the digit that chooses it is one more. */
  readonly index: number;
  readonly tab: StreamTab;
}

/** All work trees by repository, those with an active run first; lanes after their run. */
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

/** Opens the list, with the shown work tree selected. Pure. */
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

/** The list, scrolled so that the selected one is seen. Pure. */
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

/** Lanes are named by their numbers, below their run. */
function nameOf({ project }: StreamTab): string {
  const lane = streamPlace(project.root)?.lane ?? null;
  return truncate(lane === null ? oneLine(project.name) : `└ lane ${lane}`, LONGEST_NAME);
}

/** Facts about its last run besides the state. */
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
