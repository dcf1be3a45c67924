import { UsageError } from '../contracts/errors.ts';
import { nearest } from '../rules/nearest.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { SCRIPTS } from './completion/scripts.ts';
import type { RawFlags } from './shared/flags.ts';

/** `ralph completion SHELL`: the script to source. @throws UsageError for a shell that is not known */
export async function completion([shell = '']: readonly string[], _flags: RawFlags, io: Io): Promise<number> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    const names = Object.keys(SCRIPTS);
    const near = nearest(shell, names);
    throw new UsageError({
      what: `there are no completions for '${shell}'${near ? `; did you mean ${near}?` : ''}`,
      mend: [`one of: ${names.join(', ')}`],
    });
  }
  io.stdout.write(script);
  return 0;
}
