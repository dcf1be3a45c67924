import type { Io, Output } from './io.ts';
import { type Paint, paintFor, type Tone } from './paint.ts';
import { type ClosableSink, createRunLog } from './run-log.ts';
import { oneLine } from './sanitise.ts';
import { padEnd, truncate } from './width.ts';

export interface PrefixedLogOptions {
  readonly io: Io;
  readonly verbose: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** Those whose lines stand below each other, in the order of their colours. */
  readonly names: readonly string[];
}

/** Who follows whom is seen by their colours; what they say keeps its own. */
const TONES: readonly Tone[] = ['accent', 'good', 'warn', 'bad', 'strong'];
const LONGEST_NAME = 16;
/** On a narrow terminal the names give way to what is said. */
const NAME_SHARE = 0.25;

/**
 * The log of several runs on one terminal: each line says whose it is. There is no live line, for only one of them could
 * have it; waits and silence are told now and then, as where output is no terminal.
 * @returns the sink of the run with this name; each holds timers until its `close()`
 */
export function prefixedLog({ io, verbose, now, names }: PrefixedLogOptions): (name: string) => ClosableSink {
  const paint = paintFor(io);
  return (name) => createRunLog({ io: prefixed(io, prefixOf(names, name, io, paint)), verbose, now, oneOfMany: true });
}

/** A line about one of several runs that no event tells: it was stopped, it waits. */
export function prefixedLine(names: readonly string[], name: string, text: string, io: Io): string {
  return `${prefixOf(names, name, io, paintFor(io)).text}${text}`;
}

interface Prefix {
  readonly text: string;
  /** Columns that it takes. */
  readonly width: number;
}

function prefixOf(names: readonly string[], name: string, io: Io, paint: Paint): Prefix {
  const shown = names.map(oneLine);
  const longest = Math.max(0, ...shown.map((one) => Math.min(one.length, LONGEST_NAME)));
  const room = io.isTTY ? Math.max(4, Math.floor(io.columns * NAME_SHARE)) : LONGEST_NAME;
  const width = Math.min(longest, room);
  const tone = TONES[Math.max(0, names.indexOf(name)) % TONES.length] ?? 'accent';
  const label = padEnd(truncate(oneLine(name), width), width);
  return { text: `${paint(tone, label)} ${paint('dim', '│')} `, width: width + 3 };
}

/** An output on which each line begins with the prefix. */
function prefixed(io: Io, prefix: Prefix): Io {
  const stdout: Output = {
    write: (text) => {
      // What parts iterations from each other would part those of different runs.
      const lines = text.split('\n').filter((line) => line !== '');
      if (lines.length > 0) io.stdout.write(lines.map((line) => `${prefix.text}${line}\n`).join(''));
    },
  };
  return {
    cwd: io.cwd,
    // A dumb terminal has no live line, but may have colours.
    env: { ...io.env, TERM: 'dumb', FORCE_COLOR: paintFor(io)('strong', 'x') === 'x' ? '0' : '1' },
    stdout,
    stderr: io.stderr,
    isTTY: io.isTTY,
    get columns() {
      return Math.max(20, io.columns - prefix.width);
    },
  };
}
