import { appendLedger } from '../../adapters/workspace/ledger.ts';
import { LEDGER_VERSION } from '../../contracts/state.ts';
import { UNTOUCHED } from '../../loop/decide-story.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../flags.ts';
import { printJson, printLines } from '../print.ts';
import { storyById } from './backlog.ts';
import { changeBacklog } from './change.ts';
import { storyData } from './list.ts';

/** `ralph stories reset ID…` */
export async function resetStories(ids: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const written = await changeBacklog('ralph stories reset', flags, io, async ({ document, stateDir }) => {
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
