import { named } from '../../streams/choose.ts';
import { factsOf, type StreamFacts, streamTrees } from '../../streams/facts.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { streamTable } from './table.ts';

/** `ralph stream status [N…]` */
export async function streamStatus(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const streams = await factsOfStreams(names, flags, io);
  if (isOn(flags, 'json')) printJson(io, streams);
  else printLines(io, streams.length === 0 ? [NO_STREAMS] : streamTable(streams, io));
  return 0;
}

export const NO_STREAMS = 'no streams yet; start them with: ralph stream start';

/** The streams that were named, else all, in the order of their numbers. @throws UsageError for an unknown name */
export async function factsOfStreams(
  names: readonly string[],
  flags: RawFlags,
  io: Io,
): Promise<readonly StreamFacts[]> {
  const git = await openProject(flags, io);
  const all = await Promise.all((await streamTrees(git)).map((tree) => factsOf(git, tree)));
  const sorted = all.sort((one, other) => one.stream.localeCompare(other.stream, 'en', { numeric: true }));
  return names.length === 0 ? sorted : named(sorted, names);
}
