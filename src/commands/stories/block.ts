import { UsageError } from '../../contracts/errors.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { noteProblem } from '../../rules/steering/note-text.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { storyById } from './backlog.ts';
import { changeBacklog } from './change.ts';
import { decidedText } from './decide.ts';
import { laterOf, leaveWord } from './later.ts';
import { storyData } from './list.ts';

const COMMAND = 'ralph stories block';

/** `ralph stories block ID REASON` */
export async function blockStory([id = '', ...words]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const reason = words.join(' ').trim();
  if (reason === '')
    throw new UsageError({ what: 'blocking a story needs a reason: it is what you will read when nothing moves' });
  const problem = noteProblem(reason);
  if (problem !== null) throw new UsageError({ what: `the reason ${problem}`, mend: ['say it in one plain sentence'] });
  const later = await laterOf(COMMAND, flags, io);
  if (later !== null) {
    const decided = await leaveWord(later, io, [storyById(later.document, id)], { decision: 'block', reason });
    if (isOn(flags, 'json')) printJson(io, decided);
    else printLines(io, decided.map(decidedText));
    return 0;
  }
  const written = await changeBacklog(COMMAND, flags, io, ({ document }) => [
    { kind: 'set', id: storyById(document, id).id, fields: { blocked: reason } },
  ]);
  const story = storyById(written, id);
  if (isOn(flags, 'json')) printJson(io, storyData(story));
  else
    printLines(io, [
      `${oneLine(story.id)} is blocked: ${oneLine(reason)}`,
      `free it with: ralph stories reset ${shellWord(oneLine(story.id))}`,
    ]);
  return 0;
}
