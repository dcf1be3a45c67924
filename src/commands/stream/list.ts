import type { StreamFacts } from '../../streams/facts.ts';
import { type Column, renderColumns } from '../../surfaces/terminal/columns.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { paintFor } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { factsOfStreams, NO_STREAMS } from './status.ts';
import { stateText, stateTone } from './table.ts';

const COLUMNS: readonly Column<StreamFacts>[] = [
  { title: 'stream', text: ({ stream }) => oneLine(stream) },
  { title: 'state', text: stateText, tone: stateTone },
  {
    title: 'stories',
    text: ({ stories }) => (stories ? `${stories.done}/${stories.total} done` : '-'),
    align: 'right',
  },
  { title: 'branch', text: ({ branch }) => oneLine(branch ?? '-') },
  { title: 'worktree', text: ({ root }) => oneLine(root), flexible: true },
];

/** `ralph stream list` */
export async function listStreams(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const streams = await factsOfStreams([], flags, io);
  const columns = io.isTTY ? io.columns : Number.POSITIVE_INFINITY;
  if (isOn(flags, 'json'))
    printJson(
      io,
      streams.map(({ stream, state, ended, stories, branch, root }) => ({
        stream,
        state,
        ended,
        stories,
        branch,
        root,
      })),
    );
  else printLines(io, streams.length === 0 ? [NO_STREAMS] : renderColumns(COLUMNS, streams, columns, paintFor(io)));
  return 0;
}
