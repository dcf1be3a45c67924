import { UsageError } from '../../contracts/errors.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../flags.ts';
import { printJson, printLines } from '../print.ts';
import { storyById } from './backlog.ts';
import { changeBacklog } from './change.ts';
import { storyData } from './list.ts';

/** `ralph stories block ID REASON` */
export async function blockStory([id = '', ...words]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const reason = words.join(' ').trim();
  if (reason === '')
    throw new UsageError({ what: 'blocking a story needs a reason: it is what you will read when nothing moves' });
  const written = await changeBacklog('ralph stories block', flags, io, ({ document }) => [
    { kind: 'set', id: storyById(document, id).id, fields: { blocked: reason } },
  ]);
  const story = storyById(written, id);
  if (isOn(flags, 'json')) printJson(io, storyData(story));
  else
    printLines(io, [
      `${oneLine(story.id)} is blocked: ${oneLine(reason)}`,
      `free it with: ralph stories reset ${oneLine(story.id)}`,
    ]);
  return 0;
}
