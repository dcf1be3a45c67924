import { redactedJson } from '../../adapters/workspace/events/redact/redact.ts';
import type { Io } from './io.ts';
import type { ClosableSink } from './run-log.ts';

/** `--json`: every event as one line of JSON, exactly as the event log has it: without secrets. */
export function jsonSink(io: Io): ClosableSink {
  return Object.assign((event: object) => void io.stdout.write(`${redactedJson(event)}\n`), { close: () => {} });
}
