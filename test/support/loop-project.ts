import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { command } from '../../src/adapters/agents/command/adapter.ts';
import { openGit } from '../../src/adapters/git/index.ts';
import { noIsolation } from '../../src/adapters/isolation/choose.ts';
import { findWorkspace, loadConfig } from '../../src/adapters/workspace/index.ts';
import type { RalphEvent } from '../../src/contracts/index.ts';
import { type ControlServer, type RunInput, type RunRequest, runLoop } from '../../src/loop/index.ts';
import type { RunOutcome } from '../../src/loop/report/summary.ts';
import { systemClock } from '../../src/platform/index.ts';
import type { LeftBudgets } from '../../src/rules/safeguards/index.ts';
import { freshStories, tasksText } from './tasks.ts';

/** Calls its story done, having written a file of its own for each iteration. */
export const DILIGENT = `echo "$RALPH_STORY_ID" > "work-$(date +%s%N).txt"; printf -- '---RALPH_STATUS---\\nSTATUS: COMPLETE\\nEXIT_SIGNAL: true\\n---END_RALPH_STATUS---\\n'`;

export interface LoopProject {
  readonly root: string;
  /** What the runs here told, oldest first. */
  readonly events: RalphEvent[];
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
  /** One call of the loop; by default a turn. */
  loop(change?: {
    readonly request?: Partial<RunRequest>;
    readonly left?: LeftBudgets;
    readonly rounds?: NonNullable<RunInput['rounds']>;
    readonly signal?: AbortSignal;
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly at?: string;
    readonly planted?: readonly string[];
  }): Promise<RunOutcome>;
  remove(): void;
}

const REQUEST = { only: null, until: null, once: false, turn: true, resetCircuit: false, limits: {} } as const;

/** Nobody calls: what runs here has neither hooks nor tools. */
const openControl = async (): Promise<ControlServer> => ({
  url: 'http://127.0.0.1:9',
  admit: () => ({ token: 'none', revoke: () => {} }),
  close: async () => {},
});

/** A repository with a backlog of `stories`, worked on in this process by a shell command that plays the agent. */
export function makeLoopProject(stories: number, run = DILIGENT): LoopProject {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-turn-')));
  const root = join(base, 'repo');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: base,
    LANG: 'C.UTF-8',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('README.md', '# project\n');
  write('ralph/tasks.json', tasksText({ branchName: 'ralph/test', stories: freshStories(stories) }));
  write('ralph/prd.md', '# What is wanted\n');
  write('ralph.config.json', JSON.stringify({ agent: ['command'], command: { run }, skipReview: true, calls: 1000 }));
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'A User');
  git('config', 'user.email', 'user@example.org');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  const events: RalphEvent[] = [];
  return {
    root,
    events,
    git,
    write,
    async loop({ request = {}, left, rounds, signal, settings = {}, at = root, planted = [] } = {}) {
      const place = await openGit(at, { env });
      const workspace = await findWorkspace({ root: place.repo.root, cwd: at, flags: { ralphDir: 'ralph' }, env: {} });
      const { config } = await loadConfig({ root: place.repo.root, env, flags: settings, onUntrusted: 'given' });
      const input: RunInput = {
        git: place,
        workspace,
        config,
        request: { ...REQUEST, ...request },
        agents: [command],
        isolation: noIsolation(),
        room: null,
        checksIsolation: noIsolation(),
        openControl,
        clock: systemClock,
        env,
        signal: signal ?? new AbortController().signal,
        version: '0.0.0',
        isolationInstead: [],
        planted,
        notices: [],
        onEvent: (event) => events.push(event),
        ...(left ? { left } : {}),
        ...(rounds ? { rounds } : {}),
      };
      return runLoop(input);
    },
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}
