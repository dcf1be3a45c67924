import type { StoryState } from '../../contracts/model.ts';
import type { RunView, StoryView } from '../../rules/view/model.ts';
import { dollars, elapsed } from '../terminal/format.ts';
import { oneLine } from '../terminal/sanitise.ts';
import { displayWidth, padEnd, truncate } from '../terminal/width.ts';
import { STATE_TONE } from '../terminal/words.ts';
import type { Canvas } from './scene.ts';
import { apart, fitStyled, styledWidth } from './styled.ts';

/** A sign for each state, so that a list reads at a glance without colours; and a word where there is little room. */
const STATE: Readonly<Record<StoryState, { readonly sign: string; readonly brief: string }>> = {
  done: { sign: '✓', brief: 'done' },
  'done, unreviewed': { sign: '✓', brief: 'done' },
  blocked: { sign: '✗', brief: 'blocked' },
  'needs review': { sign: '◐', brief: 'review' },
  'changes requested': { sign: '↺', brief: 'changes' },
  'to do': { sign: '○', brief: 'to do' },
};

/** Below this the title needs the columns of the longer words. */
const ROOMY = 56;
/** From here on the pane has room for what each story took. */
const WIDE = 90;
const LONGEST_ID = 12;

/**
 * The stories that fit, the one at work marked. `from`: the first one; where it is 0 the list moves by itself, so that
 * the one at work is seen. Pure.
 */
export function storyLines(view: RunView, canvas: Canvas, from: number): readonly string[] {
  const rows = rowsOf(view, canvas, from);
  if (rows.length > 0) return rows.map(({ line }) => line);
  return [canvas.paint('dim', view.lonePrompt ? 'no backlog: one prompt' : 'no stories known yet')];
}

interface Row {
  readonly story: StoryView;
  readonly line: string;
}

function rowsOf(view: RunView, { paint, width, height }: Canvas, from: number): readonly Row[] {
  const { stories } = view;
  if (stories.length === 0) return [];
  const current = currentOf(view);
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
  // A state stands near its title, however wide the screen is.
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

/** A log may name states that this version does not know: they are shown as they are. */
function wordsOf(state: StoryState, isBrief: boolean): { readonly sign: string; readonly state: string } {
  const { sign, brief } = STATE[state] ?? { sign: '·', brief: oneLine(state) };
  return { sign, state: isBrief ? brief : oneLine(state) };
}

function currentOf({ stories, ended, now }: RunView): number {
  return ended ? -1 : stories.findIndex(({ id }) => id === now.story);
}

/** The one at work a third down; without one the first that is not done. */
function firstToShow(stories: readonly StoryView[], current: number, height: number): number {
  const open = stories.findIndex(({ state }) => !state.startsWith('done'));
  const wanted = current >= 0 ? current : Math.max(0, open);
  const most = Math.max(0, stories.length - height);
  return Math.min(most, wanted < height ? 0 : wanted - Math.floor(height / 3));
}

/** The pane: the list, on wide screens each story with what it took. Pure. */
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
  const listWidth = Math.max(...rows.map(({ line }) => styledWidth(line)));
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
/** With the last verdict behind them. */
const FACTS_WIDTH = FACTS.reduce((sum, { columns }) => sum + columns, 2 + 'no-progress'.length);

function factsOf(story: StoryView): string {
  if (story.iterations === 0) return '';
  return `${FACTS.map(({ columns, text }) => text(story).padStart(columns)).join('')}  ${story.lastVerdict ?? ''}`;
}
