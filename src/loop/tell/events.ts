import { openEventLog } from '../../adapters/workspace/events/events.ts';
import { redactedValue } from '../../adapters/workspace/events/redact/redact.ts';
import type { EventBody, EventSink, RalphEvent } from '../../contracts/events.ts';
import type { Clock } from '../../platform/clock.ts';

export interface EventStream {
  emit(iteration: number, body: EventBody): void;
  agentOutput(iteration: number, chunk: Uint8Array): void;
  /** From here on events are on disk, those emitted before included. */
  open(): Promise<void>;
  close(): void;
}

/**
 * Events of a run, redacted, to disk and to whoever watches. Nothing is written before {@link EventStream.open}: a start that
 * is refused leaves no trace in the work tree.
 */
export function eventStream(root: string, run: string, clock: Clock, watch: EventSink): EventStream {
  let log: Awaited<ReturnType<typeof openEventLog>> | null = null;
  const early: (readonly [number, EventBody])[] = [];
  return {
    emit(iteration, body) {
      if (!log) early.push([iteration, body]);
      const ts = new Date(clock.now()).toISOString();
      watch(log?.emit(iteration, body) ?? redactedValue<RalphEvent>({ ts, run, iteration, ...body }));
    },
    agentOutput: (iteration, chunk) => log?.agentOutput(iteration, chunk),
    async open() {
      if (log) return;
      log = await openEventLog(root, run, clock);
      for (const [iteration, body] of early.splice(0)) log.emit(iteration, body);
    },
    close: () => log?.close(),
  };
}
