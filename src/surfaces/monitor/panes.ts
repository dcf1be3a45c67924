import type { StoryState } from '../../contracts/index.ts';
import { clockTime, dollars, elapsed, oneLine, resultIn, STATE_TONE, type Tone } from '../../rules/text/index.ts';
import { type IterationView, isLive, type RunView, type StoryView } from '../../rules/view/index.ts';
import {
  type Column,
  displayWidth,
  hang,
  type Paint,
  padEnd,
  renderColumns,
  truncate,
  unpainted,
  widthOf,
} from '../terminal/index.ts';
import type { Canvas, LogLine, LogView, Scene, Ui } from './scene.ts';
import { apart, cutStyled, fitStyled } from './styled.ts';

/** A sign for each state, so that a list reads at a glance without colours; and a word where there is little room. */
const STATE: Readonly<Record<StoryState, { readonly sign: string; readonly brief: string }>> = {
  done: { sign: '✓', brief: 'done' },
  'done, unreviewed': { sign: '✓', brief: 'done' },
  blocked: { sign: '✗', brief: 'blocked' },
  'needs review': { sign: '◐', brief: 'review' },
  'changes requested': { sign: '↺', brief: 'changes' },
  'to do': { sign: '○', brief: 'to do' },
};

/** Below this width the title needs the columns of the longer words. */
const ROOMY = 56;
/** From this width on the pane shows what each story took. */
const WIDE = 90;
const LONGEST_ID = 12;

/**
 * The stories that fit, the one at work marked. `from`: the first one; 0 scrolls automatically, so that the one at work
 * is seen. Pure.
 */
export function storyLines(view: RunView, canvas: Canvas, from: number): readonly string[] {
  const rows = rowsOf(view, canvas, from);
  if (rows.length > 0) return rows.map(({ line }) => line);
  return [canvas.paint('dim', view.lonePrompt ? 'no backlog: one prompt' : 'no stories known yet')];
}

function rowsOf(view: RunView, { paint, width, height }: Canvas, from: number) {
  const { stories } = view;
  if (stories.length === 0) return [];
  const current = view.ended ? -1 : view.stories.findIndex(({ id }) => id === view.now.story);
  const first = from > 0 ? from : firstToShow(stories, current, height);
  const shown = stories.slice(first, first + height);
  const idWidth = Math.min(LONGEST_ID, Math.max(...shown.map(({ id }) => displayWidth(oneLine(id)))));
  const more = stories.length - first - shown.length;
  const rows = shown.map((story, i) => ({
    story,
    isCurrent: first + i === current,
    name: `${padEnd(truncate(oneLine(story.id), idWidth), idWidth)} ${oneLine(story.title)}`,
    ...wordsOf(story.state, width < ROOMY),
    isCut: more > 0 && i === shown.length - 1,
  }));
  // A state is near its title, however wide the screen is.
  const natural = Math.max(...rows.map(({ name }) => displayWidth(name))) + BESIDES;
  const columns = Math.min(width, natural);
  return rows.map(({ story, isCurrent, name, sign, state, isCut }) => {
    const tone = STATE_TONE[story.state];
    const subject = isCurrent ? paint('strong', name) : name;
    const right = isCut ? paint('dim', `… ${more} more`) : paint(tone ?? 'dim', state);
    const mark = isCurrent ? paint('accent', '▸') : ' ';
    return { story, line: apart(`${mark}${tone ? paint(tone, sign) : sign} ${subject}`, right, columns) };
  });
}

/** Columns of mark, sign, gap and the longest state. */
const BESIDES = 3 + 3 + 'changes requested'.length;

/** A log may have states that this version does not know: they are shown unchanged. */
function wordsOf(state: StoryState, isBrief: boolean): { readonly sign: string; readonly state: string } {
  const { sign, brief } = STATE[state] ?? { sign: '·', brief: oneLine(state) };
  return { sign, state: isBrief ? brief : oneLine(state) };
}

/** With the one at work a third down; without one the first that is not done. */
function firstToShow(stories: readonly StoryView[], current: number, height: number): number {
  const open = stories.findIndex(({ state }) => !state.startsWith('done'));
  const wanted = current >= 0 ? current : Math.max(0, open);
  const most = Math.max(0, stories.length - height);
  return Math.min(most, wanted < height ? 0 : wanted - Math.floor(height / 3));
}

export function storiesPane(view: RunView, canvas: Canvas, from: number): readonly string[] {
  const { paint, width, height } = canvas;
  const { total, done, blocked } = view.storyCounts;
  const head = paint(
    'dim',
    `${done} of ${total} done${blocked > 0 ? `, ${blocked} blocked` : ''}${from > 0 ? ` · from ${from + 1}` : ''}`,
  );
  if (width < WIDE || view.stories.length === 0) {
    return [head, ...storyLines(view, { ...canvas, height: height - 1 }, from)];
  }
  const rows = rowsOf(view, { ...canvas, width: width - FACTS_WIDTH, height: height - 1 }, from);
  const listWidth = Math.max(...rows.map(({ line }) => widthOf(line)));
  return [
    fitStyled(head, listWidth) + paint('dim', FACTS.map(({ title, columns }) => title.padStart(columns)).join('')),
    ...rows.map(({ story, line }) => fitStyled(line, listWidth) + factsOf(story)),
  ];
}

/** What a story took: columns beside the list. */
const FACTS: readonly {
  readonly title: string;
  readonly columns: number;
  readonly text: (story: StoryView) => string;
}[] = [
  { title: 'iterations', columns: 13, text: ({ iterations }) => String(iterations) },
  { title: 'time', columns: 10, text: ({ durationMs }) => (durationMs > 0 ? elapsed(durationMs) : '-') },
  { title: 'cost', columns: 9, text: ({ costUsd }) => (costUsd > 0 ? dollars(costUsd) : '-') },
];
/** With the last verdict after them. */
const FACTS_WIDTH = FACTS.reduce((sum, { columns }) => sum + columns, 2 + 'no-progress'.length);

function factsOf(story: StoryView): string {
  if (story.iterations === 0) return '';
  return `${FACTS.map(({ columns, text }) => text(story).padStart(columns)).join('')}  ${story.lastVerdict ?? ''}`;
}

type IterationRow = IterationView & { readonly mark: string; readonly took: number; readonly goesOn: boolean };

const COLUMNS: readonly Column<IterationRow>[] = [
  { title: '', text: ({ mark }) => mark, tone: () => 'accent' },
  { title: '#', text: ({ iteration }) => String(iteration), align: 'right' },
  { title: 'mode', text: ({ mode }) => mode },
  { title: 'story', text: ({ story }) => oneLine(story) },
  {
    title: 'verdict',
    text: (row) => resultIn(row)?.text ?? (row.goesOn ? 'under way' : 'cut off'),
    tone: (row) => resultIn(row)?.tone ?? 'warn',
  },
  { title: 'time', text: ({ took }) => elapsed(took), align: 'right' },
  { title: 'cost', text: ({ costUsd }) => dollars(costUsd), align: 'right' },
  { title: 'commit', text: ({ commit }) => commit?.id.slice(0, 7) ?? '-', tone: () => 'accent' },
  { title: 'why', text: ({ reason, title }) => oneLine(reason || title), flexible: true },
];

/** The columns that fit a narrow screen. */
const NARROW = new Set(['', '#', 'story', 'verdict', 'why']);

/** The iterations, newest first; `from`: how many of them are skipped on top. The first one shown is marked. Pure. */
export function iterationsPane(
  { state }: Pick<Scene, 'state'>,
  view: RunView,
  { paint, width, height, now }: Canvas,
  from: number,
): readonly string[] {
  if (view.iterations.length === 0) return [paint('dim', 'no iteration yet')];
  const isOver = !isLive(state);
  const lastMoment = isOver ? view.lastEventAt : now;
  const rows = view.iterations
    .toReversed()
    .slice(from, from + height - 1)
    .map((one, i) => ({
      ...one,
      mark: i === 0 ? '▸' : ' ',
      took: one.durationMs ?? (one.endedAt ?? lastMoment) - one.startedAt,
      goesOn: one.endedAt === null && !isOver,
    }));
  const columns = width < 72 ? COLUMNS.filter(({ title }) => NARROW.has(title)) : COLUMNS;
  return renderColumns(columns, rows, width, paint).map((line) => cutStyled(line, width));
}

interface Entry {
  readonly at: number;
  readonly iteration: number;
  readonly label: string;
  readonly tone: Tone;
  readonly text: string;
}

/** Refusals, tests, checks and warnings, newest first. */
function entriesOf(view: RunView): readonly Entry[] {
  const entries: readonly Entry[] = [
    ...view.denials.last.map((one) => ({
      ...one,
      label: 'denied',
      tone: 'bad' as const,
      text: `${one.tool} ${one.subject} · ${one.rule}: ${one.reason}`,
    })),
    ...view.tests.last.map((one) => ({
      ...one,
      label: 'tests',
      tone: one.outcome === 'pass' ? ('dim' as const) : ('warn' as const),
      text: `the agent reports ${one.outcome}${countsOf(one.passed, one.failed)} · ${one.command}`,
    })),
    ...view.checks.last.map((one) => ({
      ...one,
      label: 'check',
      tone: one.ok ? ('good' as const) : ('bad' as const),
      text: `${one.ok ? 'ok' : `failed (${one.exitCode ?? 'no exit code'})`} after ${elapsed(one.durationMs)} · ${one.command}${one.baselineRed ? ' · red before the run already' : ''}`,
    })),
    ...view.notices.last.map((one) => ({
      ...one,
      label: one.level,
      tone: one.level === 'info' ? ('dim' as const) : ('warn' as const),
      text: one.text,
    })),
  ];
  return entries.toSorted((a, b) => b.at - a.at);
}

function countsOf(passed: number | null, failed: number | null): string {
  const parts = [...(passed === null ? [] : [`${passed} passed`]), ...(failed === null ? [] : [`${failed} failed`])];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

export function judgedCount(view: RunView): number {
  return view.denials.last.length + view.tests.last.length + view.checks.last.length + view.notices.last.length;
}

export function judgedPane(view: RunView, { paint, width, height, now }: Canvas, from: number): readonly string[] {
  const counts = `${view.denials.count} denied · ${view.tests.count} test runs reported · ${view.checks.count} checks · ${view.notices.count} notices`;
  const shown = entriesOf(view).slice(from, from + height - 1);
  return [
    paint('dim', cutStyled(counts, width)),
    ...(shown.length === 0
      ? [paint('dim', 'nothing yet')]
      : shown.map((entry) => cutStyled(entryLine(entry, now, paint), width))),
  ];
}

function entryLine({ at, iteration, label, tone, text }: Entry, now: number, paint: Paint): string {
  const where = iteration === 0 ? '   ' : `#${iteration}`.padStart(3);
  return `${paint('dim', `${clockTime(at, now)} ${where}`)} ${paint(tone, label.padEnd(7))} ${oneLine(text)}`;
}

/** Lines of the log in view, before they are wrapped. */
function linesOf({ brief, full }: LogView, { verbose, search }: Ui): readonly LogLine[] {
  const lines = verbose ? full : brief;
  if (search === '') return lines;
  const wanted = search.toLowerCase();
  return lines.filter(({ text }) => unpainted(text).toLowerCase().includes(wanted));
}

export function logReach(log: LogView, ui: Ui, { height }: Pick<Canvas, 'height'>): number {
  return Math.max(0, linesOf(log, ui).length - height);
}

/** The end of the log, one screen line per log line; processes only what is visible. Pure. */
export function logTail(log: LogView, ui: Ui, { height, width }: Canvas): readonly string[] {
  const lines = linesOf(log, { ...ui, search: '' });
  const end = ui.pane === 'overview' ? lines.length - ui.scroll : lines.length;
  const from = Math.max(0, end - height);
  return lines.slice(from, Math.max(end, from)).map(({ text }) => cutStyled(text, width));
}

/** The log in full: long lines wrap, the newest line is the last. Pure. */
export function logPane(log: LogView, ui: Ui, canvas: Canvas): readonly string[] {
  const { paint, width, height } = canvas;
  const lines = linesOf(log, ui);
  const end = Math.max(0, lines.length - ui.scroll);
  const room = height - 1;
  const shown: string[] = [];
  for (let at = end - 1; at >= 0 && shown.length < room; at -= 1) {
    shown.unshift(...hang(wholeLine(lines[at], ui, paint), width).map((line) => cutStyled(line, width)));
  }
  return [cutStyled(paint('dim', headOf(lines.length, end, log, ui)), width), ...shown.slice(-room)];
}

/** Search results stand alone: each says where it belongs. */
function wholeLine(line: LogLine | undefined, { search }: Ui, paint: Paint): string {
  if (line === undefined) return '';
  if (search === '') return line.text;
  const where = line.iteration === 0 ? '' : `#${line.iteration}`;
  return `${paint('dim', padEnd(where, WHERE))}${line.text}`;
}

/** Columns of `#12 `. */
const WHERE = 5;

function headOf(count: number, end: number, { hasOlder }: LogView, { search, verbose, scroll }: Ui): string {
  const place = scroll === 0 ? 'the newest' : `up to line ${end} of ${count}${hasOlder ? ' loaded' : ''}`;
  const found = search === '' ? place : `${count}${hasOlder ? ' of those loaded' : ''} with "${search}", esc shows all`;
  return `${found} · v ${verbose ? 'hides' : 'shows'} what the agent does · / search`;
}
