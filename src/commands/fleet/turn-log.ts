import { redactedJson } from '../../adapters/workspace/events/redact/redact.ts';
import type { EventSink } from '../../contracts/events.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { prefixedLine, prefixedLog } from '../../surfaces/terminal/prefixed-log.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';

/** The one log of a worker, in which every line says whose it is. */
export interface TurnLog {
  /** The events of one turn; closed after it. */
  open(stream: string): EventSink & { close(): void };
  /** A line that no event tells. */
  say(stream: string, text: string): void;
}

/** For people, or with `json` one line of JSON for each event, which names its stream. */
export function turnLog(io: Io, json: boolean): TurnLog {
  // Streams become known as their turns come; those that are known share the width and keep their colours.
  const names: string[] = [];
  const log = prefixedLog({ io, verbose: false, now: systemClock.now, names });
  const know = (stream: string) => {
    if (!names.includes(stream)) names.push(stream);
  };
  return {
    open(stream) {
      know(stream);
      if (!json) return log(stream);
      const write = (event: object) => void io.stdout.write(`${redactedJson({ stream, ...event })}\n`);
      return Object.assign(write, { close: () => {} });
    },
    say(stream, text) {
      know(stream);
      const line = oneLine(text);
      if (json) io.stderr.write(`${oneLine(stream)}: ${line}\n`);
      else io.stdout.write(`${prefixedLine(names, stream, line, io)}\n`);
    },
  };
}
