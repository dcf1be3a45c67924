import { GitRefusal, UsageError } from '../contracts/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import { printLines } from './shared/print.ts';
import { status } from './status/status.ts';

/** Bare `ralph`: the current state, or how to begin where no project exists yet. */
export async function home(io: Io): Promise<number> {
  try {
    return await status([], {}, io);
  } catch (error) {
    // A newcomer who types the bare name made no mistake.
    if (!(error instanceof UsageError || error instanceof GitRefusal)) throw error;
    const fixes = (error.facts.fix ?? []).map((fix) => `  ${fix}`);
    printLines(io, [
      'ralph runs coding agents in a loop you can trust.',
      '',
      `Here: ${error.facts.what}.`,
      ...fixes,
      '',
      'See it work first:       ralph demo',
      "Another tool's backlog:  ralph import FILE",
      'What a run would need:   ralph doctor',
      'All commands:            ralph --help',
    ]);
    return 0;
  }
}
