import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../../scripts/run-program.ts';
import type { Facts } from '../run.ts';

/** Runs git in the project. @returns its output, null when it failed */
export async function git(facts: Facts, ...args: readonly string[]): Promise<string | null> {
  const env = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const shell = ['-c', '"$@" 2>/dev/null', 'sh', 'git', ...args];
  const { exitCode, output } = await runProgram('sh', shell, { cwd: facts.project, env, capture: true });
  return exitCode === 0 ? output.trim() : null;
}

/** Text of a file of the work tree; null: it is not there. */
export async function file(facts: Facts, path: string): Promise<string | null> {
  return readFile(join(facts.project, path), 'utf8').catch(() => null);
}

/** Whether a text is in any commit, stash or other ref of the repository, or in its work tree. */
export async function isAnywhere(facts: Facts, text: string): Promise<boolean> {
  const tree = await runProgram('grep', ['-rqs', '--exclude-dir=.git', text, facts.project], {
    cwd: facts.lab,
    capture: true,
  });
  if (tree.exitCode === 0) return true;
  const commits = (await git(facts, 'log', '--all', '--format=%H', '-S', text)) ?? '';
  return commits !== '';
}
