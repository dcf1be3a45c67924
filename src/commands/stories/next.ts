import { ExitCode } from '../../contracts/model.ts';
import type { Selection } from '../../rules/backlog/api.ts';
import { select } from '../../rules/backlog/select.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { MODE_TEXT } from '../../surfaces/terminal/words.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { configIn } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { openBacklog } from './backlog.ts';
import { storyData } from './list.ts';

/** `ralph stories next`: exit 0 when there is work or all is done, 6 when only blocked stories are left. */
export async function nextStory(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, document } = await openBacklog(flags, io);
  const { config } = await configIn(git, io);
  const selection = select(document.backlog.stories, { skipReview: isOn(flags, 'skipReview') || config.skipReview });
  if (isOn(flags, 'json'))
    printJson(io, 'story' in selection ? { ...selection, story: storyData(selection.story) } : selection);
  else printLines(io, renderSelection(selection));
  return selection.kind === 'blocked' ? ExitCode.blocked : ExitCode.complete;
}

/** What comes next, in words. Pure. */
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
