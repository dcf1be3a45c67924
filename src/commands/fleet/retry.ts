import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { type StreamAct, toEachStream } from './each-stream.ts';

/** `ralph fleet retry` */
export function retry(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const act: StreamAct = {
    act: (client, stream) => client.retry(stream, { resetCircuit: isOn(flags, 'resetCircuit') }),
    done: 'goes on, with fresh attempts',
    nothing: 'is no stream that ended early, failed, was cancelled, or waits: `ralph fleet status`',
  };
  return toEachStream(act, args, flags, io);
}
