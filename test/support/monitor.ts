import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ended, easySteps, makeProject, type Project, type ProjectOptions, RALPH } from './project.ts';
import { openTerminal, type Terminal } from './terminal.ts';
import { until } from './until.ts';

export const STORIES = [
  { id: 'US-001', title: 'Log in with 漢字 names' },
  { id: 'US-002', title: 'Log out' },
];

/** Works on US-001 until a file appears, then goes on without waiting. */
export const HELD = [
  {
    when: { story: 'US-001', mode: 'implement' },
    do: [
      { say: 'I look around first.' },
      { usage: { input: 900, output: 100, cost: 0.25, context: 60_000 } },
      { write: { path: 'src/login.txt', content: 'made\n' } },
      { run: 'until [ -e ../go ]; do sleep 0.1; done' },
      { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
    ],
  },
  ...easySteps('US-001'),
  ...easySteps('US-002'),
];

export interface Screen {
  readonly columns?: number;
  readonly rows?: number;
}

type Env = Readonly<Record<string, string>>;

/** A project, the runs that a test starts in it, and a terminal in which somebody watches them. */
export interface MonitorStage {
  readonly project: Project;
  /** Where everybody on the stage keeps the state home, for commands that a test runs itself. */
  readonly state: Env;
  /** Starts `ralph run` with the project's scenario. */
  startRun(args?: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
  /** A run that is held in its first iteration by {@link HELD}. */
  heldRun(): Promise<{ readonly child: ChildProcess; readonly ended: Promise<Ended> }>;
  /** Lets all held agents of this project go on. */
  letGo(): Promise<void>;
  /** Types a command of ralph's in a new terminal; `left with <exit code>` is said at its end. */
  open(command: string, screen?: Screen, env?: Env): Promise<Terminal>;
  /** The name of the newest run. */
  latestRun(): Promise<string>;
  close(): Promise<void>;
}

/** Sets a stage; the caller closes it. `XDG_STATE_HOME` of everybody on it is a folder of its own, or `stateHome`. */
export async function monitorStage(
  options: ProjectOptions = { stories: STORIES, steps: HELD },
  stateHome?: string,
): Promise<MonitorStage> {
  const project = await makeProject(options);
  const state = { XDG_STATE_HOME: stateHome ?? join(project.outside, 'state') };
  const runs: ReturnType<Project['start']>[] = [];
  const terminals: Terminal[] = [];

  const startRun: MonitorStage['startRun'] = (args = []) => {
    const started = project.start(['run', '--scenario', project.scenario, ...args], state);
    runs.push(started);
    return started;
  };
  return {
    project,
    state,
    startRun,
    async heldRun() {
      const started = startRun(['--max-cost', '5']);
      await until(async () => (await project.read('src/login.txt')) !== '');
      return started;
    },
    letGo: () => writeFile(join(project.root, '..', 'go'), ''),
    async open(command, screen = {}, env = {}) {
      const terminal = await openTerminal(project.root, { ...shellOf(project), ...state, ...env }, screen);
      terminals.push(terminal);
      await terminal.type(`clear; '${process.execPath}' '${RALPH}' ${command}; echo "left with $?"`);
      await terminal.press('Enter');
      return terminal;
    },
    async latestRun() {
      const { stdout } = await project.ralph(['log', '--json'], state);
      return JSON.parse(stdout).run;
    },
    async close() {
      await Promise.all(terminals.map((terminal) => terminal.close()));
      for (const { child } of runs) child.kill('SIGKILL');
      await Promise.all(runs.map(({ ended }) => ended));
      await project.remove();
    },
  };
}

/** What the terminal's shell starts with. */
function shellOf(project: Project): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: project.outside,
    TMPDIR: project.outside,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    PS1: 'shell> ',
    RALPH_ISOLATION_BACKEND: 'none',
    RALPH_TRUST: '1',
  };
}
