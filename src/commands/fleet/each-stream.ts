import type { EngineClient } from '../../streams/engine/dbos/client.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { withFleet } from './engine.ts';
import { streamNamed } from './names.ts';

/** What a command does to one stream, and how that is told. */
export interface StreamAct {
  /** False when there was nothing to do. */
  readonly act: (client: EngineClient, stream: string) => Promise<boolean>;
  readonly done: string;
  readonly nothing: string;
}

/** Does it to each stream that is named. @returns 0 when it was done to all of them, else 1 */
export async function toEachStream(
  { act, done, nothing }: StreamAct,
  args: readonly string[],
  flags: RawFlags,
  io: Io,
): Promise<number> {
  const results = await withFleet(flags, io, async (client) => {
    const told: { readonly stream: string; readonly ok: boolean }[] = [];
    for (const stream of new Set(args.map(streamNamed))) told.push({ stream, ok: await act(client, stream) });
    return told;
  });
  if (isOn(flags, 'json')) printJson(io, results);
  else
    printLines(
      io,
      results.map(({ stream, ok }) => `${oneLine(stream)} ${ok ? done : nothing}`),
    );
  return results.every(({ ok }) => ok) ? 0 : 1;
}
