import type { Io } from './io.ts';
import type { ClosableSink } from './run-log.ts';

/** `--json`: every event as one line of JSON, exactly as the event log has it. */
export function jsonSink(io: Io): ClosableSink {
  return Object.assign((event: object) => void io.stdout.write(`${JSON.stringify(event)}\n`), { close: () => {} });
}
