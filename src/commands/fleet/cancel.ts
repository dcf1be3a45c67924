import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import { type StreamAct, toEachStream } from './each-stream.ts';

/** `ralph fleet cancel` */
export function cancel(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const act: StreamAct = {
    act: (client, stream) => client.cancel(stream),
    done: 'is cancelled; its branch stays as it is, `ralph fleet retry` lets it go on',
    nothing: 'is no stream that goes on: `ralph fleet status`',
  };
  return toEachStream(act, args, flags, io);
}
