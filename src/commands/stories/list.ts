import type { Story } from '../../contracts/model.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { storyState } from '../../rules/backlog/story-state.ts';
import { type Column, renderColumns } from '../../surfaces/terminal/columns.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { STATE_TONE } from '../../surfaces/terminal/words.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { openBacklog } from './backlog.ts';

/** `ralph stories list` */
export async function listStories(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { document } = await openBacklog(flags, io);
  if (isOn(flags, 'json')) printJson(io, { file: document.file, stories: document.backlog.stories.map(storyData) });
  else printLines(io, renderStories(document, io.isTTY ? io.columns : Number.POSITIVE_INFINITY, paintFor(io)));
  return 0;
}

/** A story with its state in one word, for `--json`. */
export function storyData(story: Story): Story & { readonly state: string } {
  return { ...story, state: storyState(story) };
}

const COLUMNS: readonly Column<Story>[] = [
  { title: 'story', text: (story) => oneLine(story.id) },
  { title: 'state', text: storyState, tone: (story) => STATE_TONE[storyState(story)] },
  { title: 'prio', text: (story) => String(story.priority), align: 'right' },
  { title: 'reviews', text: (story) => (story.reviewCount > 0 ? String(story.reviewCount) : '-'), align: 'right' },
  { title: 'after', text: (story) => (story.dependsOn.length > 0 ? story.dependsOn.map(oneLine).join(' ') : '-') },
  { title: 'title', text: (story) => oneLine(story.title), flexible: true },
];

/** The backlog as a table and one line of counts. Pure. */
export function renderStories({ file, backlog }: BacklogDocument, width: number, paint: Paint): readonly string[] {
  const { stories } = backlog;
  if (stories.length === 0) return [`${file}: no stories yet; add one with: ralph stories add "Title" -c "criterion"`];
  const done = stories.filter((story) => storyState(story).startsWith('done')).length;
  return [
    ...renderColumns(COLUMNS, stories, width, paint),
    '',
    `${counted(stories.length, 'story', 'stories')}, ${done} done (${file})`,
  ];
}
