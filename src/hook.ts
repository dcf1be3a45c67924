/**
 * The command hook: one call of an agent's client, from standard input to standard output. It is started at every tool
 * call, so that this file is small, and what an event needs is loaded in its compiled form. A call always ends with 0: a
 * hook never breaks a session. Only an incomplete installation fails, so that no command goes past a missing guard.
 */
import { join } from 'node:path';
import { openParts, writeStandardOutput } from './platform/index.ts';

/** The part that answers, named by the build. */
declare const ANSWER: string;

// Where the run's control server decides, nothing else is even loaded.
if (!process.env['RALPH_CONTROL_URL']) void main();

async function main(): Promise<void> {
  try {
    const parts = openParts(join(__dirname, 'hook'), require);
    const { runHook } = parts.load(ANSWER) as typeof import('./surfaces/hooks/run-hook.ts');
    const answer = await runHook({}, process.env, process.cwd());
    if (answer !== '') writeStandardOutput(`${answer}\n`);
    parts.keepCompiled();
  } catch {
    // The client went away, or even reporting the error failed: the agent continues.
  }
  // All is written, and taking the process apart properly takes a millisecond.
  process.exit();
}
