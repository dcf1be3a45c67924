import { counted, oneLine } from '../../rules/text/index.ts';
import type { EngineClient } from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printResult } from '../shared/print.ts';
import { withFleet } from './engine.ts';

interface StreamAct {
  /** False when there was nothing to do. */
  readonly act: (client: EngineClient, stream: string) => Promise<boolean>;
  readonly done: string;
  readonly nothing: string;
}

/** Applies it to each named stream. @returns 0 when it worked for all of them, else 1 */
async function toEachStream(
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
  printResult(
    io,
    flags,
    results,
    results.map(({ stream, ok }) => `${oneLine(stream)} ${ok ? done : nothing}`),
  );
  return results.every(({ ok }) => ok) ? 0 : 1;
}

/** A stream as people call it (`2`, `PRD-2`, `shop`) → its name. */
function streamNamed(text: string): string {
  return /^[1-9]\d{0,8}$/.test(text) ? `PRD-${text}` : text;
}

export function cancel(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const act: StreamAct = {
    act: (client, stream) => client.cancel(stream),
    done: 'is cancelled; its branch stays as it is, `ralph fleet retry` lets it go on',
    nothing: 'is no stream that goes on: `ralph fleet status`',
  };
  return toEachStream(act, args, flags, io);
}

export function retry(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const act: StreamAct = {
    act: (client, stream) => client.retry(stream, { resetCircuit: isOn(flags, 'resetCircuit') }),
    done: 'goes on, with fresh attempts',
    nothing: 'is no stream that ended early, failed, was cancelled, or waits: `ralph fleet status`',
  };
  return toEachStream(act, args, flags, io);
}

export async function drain(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const workers = await withFleet(flags, io, async (client) => {
    await client.drain(true);
    return (await client.workers()).filter(({ state }) => state !== 'gone');
  });
  const turns = workers.reduce((sum, { streams }) => sum + streams.length, 0);
  return printResult(io, flags, { workers: workers.map(({ worker }) => worker), turns }, [
    `${counted(workers.length, 'worker')} end after ${counted(turns, 'turn')} under way`,
  ]);
}
