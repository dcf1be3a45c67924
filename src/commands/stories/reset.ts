import { appendLedger } from '../../adapters/workspace/records/ledger.ts';
import { LEDGER_VERSION } from '../../contracts/state/ledger.ts';
import { UNTOUCHED } from '../../loop/judge/decide-story.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { storyById } from './backlog.ts';
import { changeBacklog } from './change.ts';
import { decidedText } from './decide.ts';
import { laterOf, leaveWord } from './later.ts';
import { storyData } from './list.ts';

const COMMAND = 'ralph stories reset';

/** `ralph stories reset ID…`; while a run is under way it is the same as `reopen`. */
export async function resetStories(ids: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const later = await laterOf(COMMAND, flags, io);
  if (later !== null) {
    const named = ids.map((id) => storyById(later.document, id));
    const decided = await leaveWord(later, io, named, { decision: 'reopen' });
    if (isOn(flags, 'json')) printJson(io, decided);
    else printLines(io, decided.map(decidedText));
    return 0;
  }
  const written = await changeBacklog(COMMAND, flags, io, async ({ document, stateDir }) => {
    const stories = ids.map((id) => storyById(document, id));
    // Attempts first: should the write of the backlog fail, a story with fresh attempts harms nobody.
    for (const story of stories) {
      await appendLedger(stateDir, { version: LEDGER_VERSION, kind: 'reset', story: story.id, at: Date.now() });
    }
    return stories.map((story) => ({ kind: 'set' as const, id: story.id, fields: UNTOUCHED }));
  });
  const stories = ids.map((id) => storyById(written, id));
  if (isOn(flags, 'json')) printJson(io, stories.map(storyData));
  else
    printLines(
      io,
      stories.map((story) => `${oneLine(story.id)} starts again: to do, no reviews, no attempts used`),
    );
  return 0;
}
