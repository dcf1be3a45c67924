import { type ChildProcess, spawn } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { type Tasks, tasksText } from './tasks.ts';

/** The built program, as a user starts it. */
export const RALPH = fileURLToPath(new URL('../../bin/ralph.js', import.meta.url));

/** How a program ended and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProjectOptions {
  /** Files beside the backlog, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Stories of `ralph/tasks.json`; fields that are absent get their defaults. */
  readonly stories?: readonly Readonly<Record<string, unknown>>[];
  readonly verifyCommands?: readonly string[];
  /** Steps of the scripted agent's scenario. */
  readonly steps?: readonly Readonly<Record<string, unknown>>[];
  /** Text of another backlog instead of tasks.json: path and content. */
  readonly backlog?: { readonly path: string; readonly text: string };
  readonly branchName?: string;
}

/** A throw-away repository with a spec folder and a scripted agent. */
export interface Project {
  readonly root: string;
  /** Folder outside the repository for what a test needs beside it. */
  readonly outside: string;
  readonly scenario: string;
  /** Starts the built program and waits for its end. */
  ralph(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  /** Starts it and returns at once. */
  start(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
  /** `ralph run` with the scripted agent. */
  run(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  git(...args: readonly string[]): Promise<string>;
  read(path: string): Promise<string>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  stories(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  remove(): Promise<void>;
}

/** What a program starts with whose home is a folder of the test's. */
export const environmentIn = (home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  // What a killed loop leaves in the temp folder goes with the project.
  TMPDIR: home,
  LANG: 'C.UTF-8',
  NO_COLOR: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  // Tests write configurations by hand; those about trust take this away.
  RALPH_TRUST: '1',
  // What isolates depends on the machine: tests about isolation name the backend that they mean.
  RALPH_ISOLATION_BACKEND: 'none',
  ...more,
});

/** Who commits by hand, as a part of git's configuration. */
export const A_USER = '[user]\n\tname = A User\n\temail = user@example.org\n';

/** Makes a project; the caller removes it. */
export async function makeProject(options: ProjectOptions = {}): Promise<Project> {
  const base = await mkdtemp(join(tmpdir(), 'ralph-e2e-'));
  const root = join(base, 'repo');
  const outside = join(base, 'outside');
  const scenario = join(outside, 'scenario.yaml');
  await mkdir(root);
  await mkdir(outside);
  const start: Project['start'] = (args, env) => {
    const child = spawn(process.execPath, [RALPH, ...args], {
      cwd: root,
      env: environmentIn(outside, env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { child, ended: collect(child) };
  };
  const git = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await collect(
      spawn('git', args, { cwd: root, env: environmentIn(outside), stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout.trimEnd();
  };
  const write: Project['write'] = async (path, content) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

  await git('init', '-q', '-b', 'main');
  await appendFile(join(root, '.git/config'), A_USER);
  for (const [path, content] of Object.entries({ 'README.md': '# project\n', ...options.files }))
    await write(path, content);
  if (options.backlog) await write(options.backlog.path, options.backlog.text);
  else await write('ralph/tasks.json', tasksText(ofProject(options)));
  await write('ralph/prd.md', '# What is wanted\n\nWhatever the stories say.\n');
  await writeFile(scenario, stringify({ version: 1, steps: options.steps ?? [] }));
  await git('add', '-A');
  await git('commit', '-q', '-m', 'start');

  return {
    root,
    outside,
    scenario,
    start,
    ralph: (args, env) => start(args, env).ended,
    run: (args = [], env) => start(['run', '--scenario', scenario, ...args], env).ended,
    git,
    read,
    write,
    stories: async () => JSON.parse(await read('ralph/tasks.json')).userStories,
    remove: () =>
      rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(async (error) => {
        if (error.code !== 'EACCES') throw error;
        // An ordinary user's podman keeps files of other users in the home folder, which only it can remove.
        await collect(spawn('podman', ['unshare', 'rm', '-rf', base], { stdio: ['ignore', 'pipe', 'pipe'] }));
        await rm(base, { recursive: true, force: true });
      }),
  };
}

function ofProject({ stories = [], verifyCommands = [], branchName = 'ralph/test' }: ProjectOptions): Tasks {
  return { branchName, description: 'a project for tests', verifyCommands, stories };
}

/** Waits for the end of a program and collects what it printed. */
export function collect(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** Steps for a story that is implemented and approved at once: one file, one line. */
export function easySteps(id: string): readonly Readonly<Record<string, unknown>>[] {
  return [
    {
      when: { story: id, mode: ['implement', 'review-fix'] },
      do: [
        { write: { path: `src/${id}.txt`, content: `made for ${id}\n` } },
        { say: `wrote src/${id}.txt` },
        { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
      ],
    },
    {
      when: { story: id, mode: 'review' },
      do: [{ say: 'looks right' }, { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } }],
    },
  ];
}
