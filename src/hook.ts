/**
 * The command hook: one call of an agent's client, from standard input to standard output. Bundled as one file without
 * dependencies, because it is started at every tool call. It always ends with 0: a hook never breaks a session.
 */

// Where the run's control server decides, nothing else is even loaded.
if (!process.env['RALPH_CONTROL_URL']) void main();

async function main(): Promise<void> {
  try {
    const { runHook } = await import('./surfaces/hooks/run-hook.ts');
    const { writeStandardOutput } = await import('./platform/files/sync.ts');
    const answer = await runHook({}, process.env, process.cwd());
    if (answer !== '') writeStandardOutput(`${answer}\n`);
  } catch {
    // The client went away, or even reporting the error failed: the agent continues.
  }
}
