import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { StreamStanding, WorkerStanding } from '../../src/contracts/index.ts';
import { openEngineClient } from '../../src/streams/engine/dbos/client.ts';
import { A_USER, environmentIn, RALPH } from './project.ts';
import { freshStories, tasksText } from './tasks.ts';

const run = promisify(execFile);

export interface FleetOptions {
  readonly streams: number;
  /** Of each stream: one iteration each. */
  readonly stories: number;
  /** How long every agent works. */
  readonly workMs: number;
  /** Actions of every agent, before it says that its story is done. */
  readonly actions?: readonly object[];
  /** The person keeps the spec folders out of the repository. */
  readonly ignored?: boolean;
}

/** A project, the bare repository that its fleet shares, and the workers of this test. */
export interface Fleet {
  /** Outside of every repository. */
  readonly base: string;
  readonly project: string;
  readonly remote: string;
  /** Runs a command of the built program in the project; with its exit code. */
  cli(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** The same, of `ralph fleet`. */
  ralph: Fleet['cli'];
  submit(...more: readonly string[]): Promise<void>;
  /** Asked in this process: it is asked often. */
  standing(): Promise<{ readonly streams: readonly StreamStanding[]; readonly workers: readonly WorkerStanding[] }>;
  startWorker(name: string, more?: Readonly<Record<string, string>>, ...args: readonly string[]): FleetWorker;
  /** The same, elsewhere: `enter` is a command before the program's, `remote` how the shared repository is reached there. */
  startWorkerIn(
    place: WorkerPlace,
    name: string,
    more?: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): FleetWorker;
  /** `Ralph-Iteration` of every commit of a stream's branch that is not bookkeeping, oldest first. */
  iterations(stream: number): Promise<readonly number[]>;
  git(...args: readonly string[]): Promise<string>;
  /** Makes an empty file beside the repositories: agents see it as `$HOME/name`. */
  touch(name: string): Promise<void>;
  /** What agents stamped: when each began and ended. */
  stamps(): Promise<readonly Stamp[]>;
  remove(): Promise<void>;
}

export interface WorkerPlace {
  readonly enter: readonly string[];
  readonly remote: string;
}

export interface FleetWorker {
  readonly name: string;
  readonly child: ChildProcess;
  /** All that it printed so far. */
  output(): string;
  readonly ended: Promise<number | null>;
}

export interface Stamp {
  readonly stream: string;
  readonly story: string;
  readonly pid: number;
  readonly kind: 'begin' | 'end';
  /** Epoch ms. */
  readonly at: number;
}

/** Makes a fleet without workers; the caller removes it. */
export async function makeFleet(url: string, options: FleetOptions): Promise<Fleet> {
  const base = await mkdtemp(join(tmpdir(), 'ralph-fleet-'));
  const project = join(base, 'shop');
  const remote = join(base, 'remote.git');
  const stampFile = join(base, 'stamps');
  const scenario = join(base, 'scenario.yaml');
  const env = environmentIn(base, {
    RALPH_ENGINE: url,
    RALPH_FLEET_KEY: 'a key for tests, long enough to be taken',
  });
  const git = async (...args: readonly string[]) =>
    (await run('git', [...args], { cwd: project, env, maxBuffer: 16e6 })).stdout.trimEnd();
  await mkdir(project);
  await writeFile(stampFile, '');
  await run('git', ['init', '-q', '--bare', '-b', 'main', remote], { env });
  await git('init', '-q', '-b', 'main');
  await appendFile(join(project, '.git/config'), A_USER);
  for (let n = 1; n <= options.streams; n++) await writeBacklog(join(project, `.ralph/PRD-${n}`), n, options.stories);
  await writeFile(join(project, 'README.md'), '# shop\n');
  if (options.ignored) await writeFile(join(project, '.gitignore'), '/.ralph/\n');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'start');
  await git('remote', 'add', 'origin', remote);
  await git('push', '-q', 'origin', 'main');
  await writeFile(scenario, stringify({ version: 1, steps: [{ do: work(stampFile, options) }] }));

  const client = await openEngineClient(url);
  const workers: FleetWorker[] = [];
  const cli: Fleet['cli'] = async (...args) => {
    const child = start(args, project, env);
    return { code: await child.ended, ...child.printed() };
  };
  const ralph: Fleet['cli'] = (...args) => cli('fleet', ...args);
  const startWorkerIn: Fleet['startWorkerIn'] = (place, name, more = {}, ...args) => {
    const settings = ['--agent', 'scripted', '--scenario', scenario, '--skip-review', '--work-dir', join(base, 'work')];
    const all = ['worker', '--remote', place.remote, '--name', name, ...settings, ...args];
    const { child, ended, printed } = start(all, base, { ...env, ...more }, place.enter);
    const worker = { name, child, ended, output: () => `${printed().stdout}${printed().stderr}` };
    workers.push(worker);
    return worker;
  };
  return {
    base,
    project,
    remote,
    cli,
    ralph,
    git,
    touch: (name) => writeFile(join(base, name), ''),
    async submit(...more) {
      const names = Array.from({ length: options.streams }, (_, i) => String(i + 1));
      const { code, stdout, stderr } = await ralph('submit', ...names, ...more);
      if (code !== 0) throw new Error(`submitting ended with ${code}: ${stdout}${stderr}`);
    },
    async standing() {
      const [streams, workers] = await Promise.all([client.status(), client.workers()]);
      return { streams, workers };
    },
    startWorker: (...all) => startWorkerIn({ enter: [], remote }, ...all),
    startWorkerIn,
    async iterations(stream) {
      const log = await git(
        '--git-dir',
        remote,
        'log',
        '--reverse',
        '--format=%(trailers:key=Ralph-Iteration,valueonly)',
        `main..ralph/prd-${stream}`,
      );
      return log.split('\n').filter(Boolean).map(Number);
    },
    async stamps() {
      return (await readFile(stampFile, 'utf8')).split('\n').filter(Boolean).map(parseStamp);
    },
    async remove() {
      for (const { child } of workers) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await Promise.all(workers.map(({ ended }) => ended));
      await client.close();
      await rm(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
    },
  };
}

function start(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  enter: readonly string[] = [],
) {
  const [file = '', ...all] = [...enter, process.execPath, RALPH, ...args];
  const child = spawn(file, all, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
  return { child, ended, printed: () => ({ stdout, stderr }) };
}

async function writeBacklog(folder: string, stream: number, stories: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const backlog = { project: 'shop', branchName: `ralph/prd-${stream}`, stories: freshStories(stories) };
  await writeFile(join(folder, 'tasks.json'), tasksText(backlog));
  await writeFile(join(folder, 'prd.md'), '# What is wanted\n\nWhatever the stories say.\n');
}

/** Streams are told apart by their branch: where a worker keeps its work trees is its own affair. */
function work(stampFile: string, { workMs, actions = [] }: FleetOptions): readonly object[] {
  const stamp = (kind: Stamp['kind']) => ({
    run: {
      command: `echo "$(git branch --show-current) {{STORY_ID}} $PPID ${kind} $(date +%s%3N)" >> '${stampFile}'`,
      expect: 'ok',
    },
  });
  return [
    stamp('begin'),
    { sleep: `${workMs}ms` },
    ...actions,
    { write: { path: 'src/{{STORY_ID}}.txt', content: 'made for {{STORY_ID}}\n' } },
    { say: 'wrote it' },
    stamp('end'),
    { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
  ];
}

function parseStamp(line: string): Stamp {
  const [stream = '', story = '', pid, kind, at] = line.split(' ');
  return { stream, story, pid: Number(pid), kind: kind === 'end' ? 'end' : 'begin', at: Number(at) };
}
