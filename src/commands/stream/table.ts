import { shellWord } from '../../rules/shell-word.ts';
import { goOnCommand } from '../../rules/view/stream-place.ts';
import type { StreamFacts, StreamNow } from '../../streams/facts.ts';
import { type Column, renderColumns } from '../../surfaces/terminal/columns.ts';
import { clockTime, counted, dollars } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { paintFor, type Tone } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';

const STATE: Readonly<Record<Exclude<StreamNow, 'ended'>, readonly [text: string, tone: Tone]>> = {
  new: ['not started', 'dim'],
  running: ['running', 'good'],
  between: ['between turns', 'accent'],
  'cut-off': ['cut off', 'warn'],
  gone: ['folder is gone', 'warn'],
};

const COLUMNS: readonly Column<StreamFacts>[] = [
  { title: 'stream', text: ({ stream }) => oneLine(stream) },
  { title: 'state', text: stateText, tone: stateTone },
  {
    title: 'stories',
    text: ({ stories }) => (stories ? `${stories.done}/${stories.total} done` : '-'),
    align: 'right',
  },
  { title: 'iterations', text: ({ iterations }) => String(iterations), align: 'right' },
  { title: 'cost', text: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), align: 'right' },
  { title: 'branch', text: ({ branch }) => oneLine(branch ?? '-') },
  { title: 'unmerged', text: ({ unmerged }) => (unmerged === 0 ? '-' : counted(unmerged, 'commit')), align: 'right' },
  { title: '', text: nextText, flexible: true },
];

/** Columns of a terminal on which everything has room. */
const WIDE = 110;
const SECONDARY: readonly string[] = ['iterations', 'cost', 'branch'];

/** Streams with what they do and what comes next, one line each. Pure, apart from the clock. */
export function streamTable(streams: readonly StreamFacts[], io: Io): readonly string[] {
  const width = io.isTTY ? io.columns : Number.POSITIVE_INFINITY;
  // The command that comes next is worth more than what `ralph stream list` and its log say, too.
  const columns = COLUMNS.filter(({ title }) => width >= WIDE || !SECONDARY.includes(title));
  return renderColumns(columns, streams, width, paintFor(io));
}

/** What they do now. */
export function stateText({ state, ended, waiting, problem }: StreamFacts): string {
  if (problem !== null) return 'damaged';
  if (state === 'ended') return oneLine(ended ?? 'ended');
  if (waiting !== null && state !== 'cut-off') return waiting.why === 'pause' ? 'paused' : 'waiting';
  return STATE[state][0];
}

/** How that looks. */
export function stateTone({ state, ended, waiting, problem }: StreamFacts): Tone {
  if (problem !== null) return 'bad';
  if (state === 'ended') return ended === 'complete' ? 'good' : 'warn';
  return waiting === null ? STATE[state][1] : 'warn';
}

/** What it waits for, or what a person can do. */
function nextText(facts: StreamFacts): string {
  const { state, ended, waiting, unmerged, root, problem, supervised } = facts;
  if (problem !== null) return oneLine(problem);
  if (waiting !== null && state !== 'cut-off') return waitText(facts, waiting);
  const goOn = goOnCommand(root);
  if (state === 'running') return '';
  if (supervised && state !== 'ended') return 'waits for its turn';
  if (state === 'cut-off') return `${goOn} picks it up`;
  if (state !== 'ended') return state === 'between' ? `${goOn} goes on` : goOn;
  if (ended === 'complete') return goOn.replace(' start ', unmerged > 0 ? ' merge ' : ' remove ');
  return ended === 'blocked' ? `cd ${shellWord(oneLine(root))} && ralph status` : `${goOn} goes on`;
}

function waitText({ root, state }: StreamFacts, { until, why }: NonNullable<StreamFacts['waiting']>): string {
  if (why === 'pause') return `cd ${shellWord(oneLine(root))} && ralph resume`;
  const end = until === null ? 'waits' : `waits until ${clockTime(until, Date.now())}`;
  return state === 'running' ? end : `${end}; ${goOnCommand(root)} goes on then`;
}
