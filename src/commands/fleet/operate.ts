import { systemClock } from '../../platform/index.ts';
import { counted, oneLine } from '../../rules/text/index.ts';
import type { EngineClient } from '../../streams/index.ts';
import { type Io, paintFor } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printResult, widthOf } from '../shared/print.ts';
import { withFleet } from './engine.ts';
import { renderFleet } from './status.ts';

export async function fleetStatus(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const standing = await withFleet(flags, io, async (client) => ({
    streams: await client.status(),
    workers: await client.workers(),
    figures: await client.figures(),
  }));
  return printResult(io, flags, standing, renderFleet(standing, systemClock.now(), widthOf(io), paintFor(io)));
}

/** Applies an act to each named stream. @returns 0 when there was something to do for all of them, else 1 */
async function toEachStream(
  args: readonly string[],
  flags: RawFlags,
  io: Io,
  act: (client: EngineClient, stream: string) => Promise<boolean>,
  said: { readonly done: string; readonly nothing: string },
): Promise<number> {
  const results = await withFleet(flags, io, async (client) => {
    const told: { readonly stream: string; readonly ok: boolean }[] = [];
    for (const stream of new Set(args.map(streamNamed))) told.push({ stream, ok: await act(client, stream) });
    return told;
  });
  const lines = results.map(({ stream, ok }) => `${oneLine(stream)} ${ok ? said.done : said.nothing}`);
  printResult(io, flags, results, lines);
  return results.every(({ ok }) => ok) ? 0 : 1;
}

/** A stream as people call it (`2`, `PRD-2`, `shop`) → its name. */
function streamNamed(text: string): string {
  return /^[1-9]\d{0,8}$/.test(text) ? `PRD-${text}` : text;
}

export function cancel(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return toEachStream(args, flags, io, (client, stream) => client.cancel(stream), {
    done: 'is cancelled; its branch stays unchanged, `ralph fleet retry` continues it',
    nothing: 'is not a running stream: see `ralph fleet status`',
  });
}

export function retry(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const resetCircuit = isOn(flags, 'resetCircuit');
  return toEachStream(args, flags, io, (client, stream) => client.retry(stream, { resetCircuit }), {
    done: 'continues, with fresh attempts',
    nothing: 'has nothing to retry: it did not end early, fail, wait or get cancelled; see `ralph fleet status`',
  });
}

export async function drain(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const workers = await withFleet(flags, io, async (client) => {
    await client.drain(true);
    return (await client.workers()).filter(({ state }) => state !== 'gone');
  });
  const turns = workers.reduce((sum, { streams }) => sum + streams.length, 0);
  return printResult(io, flags, { workers: workers.map(({ worker }) => worker), turns }, [
    `${counted(workers.length, 'worker')} will stop after ${counted(turns, 'turn')} in progress`,
  ]);
}
