/**
 * What isolation costs: starting one command inside each backend that can be used here, and whole iterations (scripted
 * agent, one check) in it, against none.
 * Usage: npm run bench -- isolation; BENCH_STORIES, BENCH_STARTS for longer measurements
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noIsolation } from '../src/adapters/isolation/choose.ts';
import { BACKENDS, type Backend, type Isolation, isolationInput } from '../src/adapters/isolation/index.ts';
import { configSchema, toConfig } from '../src/contracts/config.ts';
import { build, RALPH } from './support/built.ts';
import { backlogText, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { median, ms, quantile, report } from './support/statistics.ts';

const STORIES = Number(process.env['BENCH_STORIES'] ?? 12);
const STARTS = Number(process.env['BENCH_STARTS'] ?? 20);
const FILES = 100;
/** The first iterations also set things up. */
const WARM_UP = 2;

interface Subject {
  readonly name: string;
  readonly backend: Backend | 'none';
  readonly engine?: 'podman' | 'docker';
}

const SUBJECTS: readonly Subject[] = [
  { name: 'none', backend: 'none' },
  { name: 'bwrap', backend: 'bwrap' },
  { name: 'container, podman', backend: 'container', engine: 'podman' },
  { name: 'container, docker', backend: 'container', engine: 'docker' },
  { name: 'srt', backend: 'srt' },
];

await build();
const folder = temporaryFolder();
const project = join(folder, 'project');
const scenario = join(folder, 'scenario.yaml');
const env = { ...cleanEnvironment(join(folder, 'home')), RALPH_ISOLATION_BACKEND: '' };
mkdirSync(project);
mkdirSync(join(folder, 'home'));
makeRepository(project, FILES, {
  'ralph/tasks.json': backlogText(STORIES),
  'ralph/prd.md': '# Wanted\n',
});
writeFileSync(scenario, JSON.stringify({ version: 1, steps: Array.from({ length: STORIES }, (_, at) => oneFile(at)) }));

const usable: { readonly subject: Subject; readonly isolation: Isolation }[] = [];
for (const subject of SUBJECTS) {
  const isolation = await open(subject);
  const { available, detail } = await isolation.probe();
  if (available) usable.push({ subject, isolation });
  else report(subject.name, 'not here', detail);
}
const starts = await startTimes();
const iterations = new Map(usable.map(({ subject }) => [subject.name, iterationTimes(subject)]));
report('a Node that does nothing, outside', ms(median(bareNode())), 'inside, one stands between loop and command');
compare(`a command inside: \`true\`, ${STARTS} times`, starts);
compare(`${STORIES} iterations: scripted agent, one check, ${FILES} files`, iterations);

function compare(title: string, times: ReadonlyMap<string, readonly number[]>): void {
  const bare = median(times.get('none') ?? []);
  console.log(`\n${title}`);
  for (const [name, all] of times) {
    const more = median(all) - bare;
    const against = name === 'none' ? '' : `; ${ms(more)} more, ${(median(all) / bare).toFixed(2)} ×`;
    report(name, ms(median(all)), `fastest tenth ${ms(quantile(all, 0.1))}${against}`);
  }
}

/** Milliseconds of starting and ending Node. */
function bareNode(): readonly number[] {
  return Array.from({ length: STARTS }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - began;
  });
}

/** What the agent does in one iteration. */
function oneFile(at: number): object {
  return {
    when: { iteration: at + 1 },
    do: [
      { write: { path: `src/story-${at}.txt`, content: `${at}\n` } },
      { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
    ],
  };
}

function settingsOf({ backend, engine }: Subject): Readonly<Record<string, unknown>> {
  return { backend, ...(engine ? { container: { engine } } : {}) };
}

async function open(subject: Subject): Promise<Isolation> {
  if (subject.backend === 'none') return noIsolation();
  const home = join(folder, `home-${subject.backend}`);
  mkdirSync(home, { recursive: true });
  const { input } = isolationInput({
    settings: toConfig(configSchema.parse({ isolation: settingsOf(subject) })).isolation,
    env,
    workspace: { root: project, readOnly: [], writable: [] },
    agents: [],
    registries: [],
    openHome: async () => ({ path: home, close: async () => {} }),
  });
  return BACKENDS[subject.backend](input);
}

/** By backend, in turns: a busy moment of the machine hits them alike. */
async function startTimes(): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>();
  for (const { isolation } of usable) {
    await isolation.prepare({ run: `bench-${process.pid}`, localPorts: [], onRefusal: () => {} });
  }
  for (let start = 0; start < STARTS; start += 1) {
    for (const { subject, isolation } of usable) {
      times.set(subject.name, [...(times.get(subject.name) ?? []), await startTime(isolation)]);
    }
  }
  for (const { isolation } of usable) await isolation.dispose();
  return times;
}

/** Milliseconds from asking for a command to its end, with everything gone that belonged to it. */
async function startTime(isolation: Isolation): Promise<number> {
  const began = performance.now();
  const inside = await isolation.wrap({ file: 'true', args: [], cwd: project, env, mounts: [] });
  const child = spawn(inside.file, inside.args, { cwd: inside.cwd, env: inside.env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  await inside.end();
  if (code !== 0) throw new Error(`true ended with ${code} in ${isolation.name}`);
  return performance.now() - began;
}

/** Milliseconds of each iteration of a whole run in a copy of the project, as its events tell. */
function iterationTimes(subject: Subject): readonly number[] {
  const root = join(folder, subject.name.replace(/\W+/g, '-'));
  cpSync(project, root, { recursive: true });
  const config = { isolation: settingsOf(subject), verifyCommands: ['true'] };
  writeFileSync(join(root, 'ralph.config.json'), JSON.stringify(config));
  const args = [RALPH, 'run', String(STORIES), '--json', '--skip-review', '--scenario', scenario];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(`the run in ${subject.name} ended with ${status}: ${stderr}${stdout.slice(-2000)}`);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; durationMs: number });
  return events
    .filter(({ type }) => type === 'iteration-end')
    .map(({ durationMs }) => durationMs)
    .slice(WARM_UP);
}
