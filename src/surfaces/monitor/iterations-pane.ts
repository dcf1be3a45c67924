import { isLive } from '../../rules/view/is-live.ts';
import type { IterationView, RunView } from '../../rules/view/model.ts';
import { type Column, renderColumns } from '../terminal/columns.ts';
import { dollars, elapsed } from '../terminal/format.ts';
import { oneLine } from '../terminal/sanitise.ts';
import { VERDICT_TONE } from '../terminal/words.ts';
import type { Canvas, Scene } from './scene.ts';
import { cutStyled } from './styled.ts';

type Row = IterationView & { readonly mark: string; readonly took: number; readonly goesOn: boolean };

const COLUMNS: readonly Column<Row>[] = [
  { title: '', text: ({ mark }) => mark, tone: () => 'accent' },
  { title: '#', text: ({ iteration }) => String(iteration), align: 'right' },
  { title: 'mode', text: ({ mode }) => mode },
  { title: 'story', text: ({ story }) => oneLine(story) },
  {
    title: 'verdict',
    text: ({ verdict, goesOn }) => verdict ?? (goesOn ? 'under way' : 'cut off'),
    tone: ({ verdict }) => (verdict ? VERDICT_TONE[verdict] : 'warn'),
  },
  { title: 'time', text: ({ took }) => elapsed(took), align: 'right' },
  { title: 'cost', text: ({ costUsd }) => dollars(costUsd), align: 'right' },
  { title: 'commit', text: ({ commit }) => commit?.id.slice(0, 7) ?? '-', tone: () => 'accent' },
  { title: 'why', text: ({ reason, title }) => oneLine(reason || title), flexible: true },
];

/** Without what a narrow screen has no room for. */
const NARROW = new Set(['', '#', 'story', 'verdict', 'why']);

/** The iterations, newest first; `from`: how many of them are left out on top. The first one shown is marked. Pure. */
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
