import { runHook } from '../../surfaces/hooks/run-hook.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';

/**
 * `ralph hooks run EVENT`: what the command hook does, for hook systems that name the event on the command line. Ends
 * with 0 whatever comes in, as a hook must not break the session it belongs to.
 */
export async function runHookCommand([name = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const answer = await runHook({ name, legacy: isOn(flags, 'legacy') }, io.env, io.cwd);
  if (answer !== '') io.stdout.write(`${answer}\n`);
  return 0;
}
