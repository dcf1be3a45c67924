import { loadOrThrow } from '../../adapters/workspace/index.ts';
import { ExitCode, type Story, UsageError } from '../../contracts/index.ts';
import { type BacklogDocument, type Selection, select, storyState } from '../../rules/backlog/index.ts';
import { counted, MODE_TEXT, nearest, oneLine, STATE_TONE } from '../../rules/text/index.ts';
import { type Column, type Io, type Paint, paintFor, renderColumns } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { configOf, openWorkspace } from '../shared/open.ts';
import { printResult, widthOf } from '../shared/print.ts';

export async function listStories(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { document } = await openBacklog(flags, io);
  return printResult(
    io,
    flags,
    { file: document.file, stories: document.backlog.stories.map(storyData) },
    renderStories(document, widthOf(io), paintFor(io)),
  );
}

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
function renderStories({ file, backlog }: BacklogDocument, width: number, paint: Paint): readonly string[] {
  const { stories } = backlog;
  if (stories.length === 0) return [`${file}: no stories yet; add one with: ralph stories add "Title" -c "criterion"`];
  const done = stories.filter((story) => storyState(story).startsWith('done')).length;
  return [
    ...renderColumns(COLUMNS, stories, width, paint),
    '',
    `${counted(stories.length, 'story', 'stories')}, ${done} done (${file})`,
  ];
}

/** `ralph stories next`: exit 0 when there is work or all is done, 6 when only blocked stories are left. */
export async function nextStory(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, document } = await openBacklog(flags, io);
  const { config } = await configOf(git, io);
  const selection = select(document.backlog.stories, { skipReview: isOn(flags, 'skipReview') || config.skipReview });
  printResult(
    io,
    flags,
    'story' in selection ? { ...selection, story: storyData(selection.story) } : selection,
    renderSelection(selection),
  );
  return selection.kind === 'blocked' ? ExitCode.blocked : ExitCode.complete;
}

export function renderSelection(selection: Selection): readonly string[] {
  switch (selection.kind) {
    case 'work':
      return [`${MODE_TEXT[selection.mode]} · ${oneLine(`${selection.story.id} ${selection.story.title}`)}`];
    case 'verify':
      return [`run the checks · ${oneLine(`${selection.story.id} ${selection.story.title}`)}`];
    case 'complete':
      return ['complete: every story is done'];
    case 'wait':
      return [`waits for ${selection.stories.map(oneLine).join(', ')}`];
    case 'blocked':
      return [
        'blocked: nothing can be worked on',
        ...selection.stories.map(({ id, reason }) => `  ${oneLine(id)}: ${oneLine(reason)}`),
      ];
  }
}

/** The backlog that the flags name. @throws FileProblemsError with every problem when it is unusable */
export async function openBacklog(flags: RawFlags, io: Io) {
  const { git, workspace } = await openWorkspace(flags, io);
  return { git, document: (await loadOrThrow(workspace)).document };
}

/** The story with that id. @throws UsageError with the nearest id */
export function storyById(document: BacklogDocument, id: string): Story {
  const { stories } = document.backlog;
  const found = stories.find((story) => story.id === id) ?? stories.find((story) => story.safeId === id);
  if (found) return found;
  const near = nearest(
    id,
    stories.map((story) => story.id),
  );
  throw new UsageError({
    what: `there is no story '${id}'${near ? `; did you mean ${near}?` : ''}`,
    where: document.file,
    fix: ['`ralph stories` lists them'],
  });
}
