import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { withFleet } from './engine.ts';

/** `ralph fleet drain` */
export async function drain(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const workers = await withFleet(flags, io, async (client) => {
    await client.drain(true);
    return (await client.workers()).filter(({ state }) => state !== 'gone');
  });
  const turns = workers.reduce((sum, { streams }) => sum + streams.length, 0);
  if (isOn(flags, 'json')) printJson(io, { workers: workers.map(({ worker }) => worker), turns });
  else printLines(io, [`${counted(workers.length, 'worker')} end after ${counted(turns, 'turn')} under way`]);
  return 0;
}
