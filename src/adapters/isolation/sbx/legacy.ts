import type { RunSbx } from './runner.ts';

const PATIENCE_MS = 10_000;

/** Is the plugin of Docker Desktop there that sbx has replaced? Only to tell whoever has it what to install. */
export async function legacyIsThere(docker: RunSbx): Promise<boolean> {
  const answer = await docker(['sandbox', 'ls'], { timeoutMs: PATIENCE_MS });
  return answer?.exitCode === 0;
}
