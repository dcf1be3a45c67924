import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { median } from './statistics.ts';

/** Environment of everything that is measured: a user's settings must not change a figure. */
export function cleanEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    // Claude Code refuses to bypass permissions for root unless told that it is in a sandbox; so would ralph.
    IS_SANDBOX: '1',
    // What isolation costs is measured by itself: bench/isolation.ts.
    RALPH_ISOLATION_BACKEND: 'none',
    RALPH_TRUST: '1',
  };
}

/** A temp folder that is gone when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Makes a repository with one commit of `count` small source files, in folders of fifty, and what is in `files`. */
export function makeRepository(root: string, count: number, files: Readonly<Record<string, string>>): void {
  for (let index = 0; index < count; index++) {
    const lines = Array.from({ length: 40 }, (_, line) => `export const value${line} = ${index * line};`);
    put(root, `src/part-${Math.floor(index / 50)}/file-${index}.js`, `${lines.join('\n')}\n`);
  }
  for (const [path, text] of Object.entries(files)) put(root, path, text);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, env: cleanEnvironment(root) });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@example.org');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
}

/** A native backlog of stories that do not depend on each other. */
export function backlogText(count: number): string {
  const userStories = Array.from({ length: count }, (_, index) => ({
    id: `US-${String(index + 1).padStart(3, '0')}`,
    title: `Story number ${index + 1}`,
    description: 'As a user I want one more thing.',
    acceptanceCriteria: ['It does what it says'],
    priority: index + 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
  }));
  const top = { project: 'bench', branchName: 'ralph/bench', description: '', verifyCommands: [] };
  return `${JSON.stringify({ ...top, userStories }, null, 2)}\n`;
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Resident memory of a Node that does nothing, MB. */
export function bareMemory(): number {
  const script = "console.log(/VmRSS:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/status', 'utf8'))[1])";
  const samples = Array.from({ length: 5 }, () =>
    Number(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout),
  );
  return median(samples) / 1024;
}
