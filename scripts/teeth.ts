/**
 * `npm run teeth [-- --only SWITCHES] [--jobs N] [-v]`: turns each protection off in a build of its own, and plays the rows of
 * `ralph selftest` and `ralph sandbox status --deep` that stand for it. A row that stays green then has no teeth. Ends
 * with 1 when one has none, or does not hold in the product as it is.
 */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './root.ts';
import { runProgram } from './run-program.ts';
import type { Switch } from './teeth/switch.ts';
import { SWITCHES } from './teeth/switches/all.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    verbose: { type: 'boolean', short: 'v', default: false },
  },
});
const names = values.only?.split(',').map((name) => name.trim());
const chosen = SWITCHES.filter(({ name }) => names?.includes(name) ?? true);
if (chosen.length === 0 || (names && chosen.length < names.length)) {
  console.error(`No such switch. There are:\n${SWITCHES.map(({ name }) => `  ${name}`).join('\n')}`);
  process.exit(2);
}

/** What a build is made of. */
const SOURCES = ['src', 'scripts', 'bin', 'dashboard', 'plugin', 'schemas', 'templates', '.claude-plugin'];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE'];

/** An attempt that took its sandbox down shows nothing. */
const SANDBOX_ENDED = 'was not finished: the sandbox ended first';

/** A row of either battery. */
interface Played {
  readonly name?: string;
  readonly id?: string;
  readonly held: boolean;
  readonly played?: boolean;
  readonly tried?: boolean;
  readonly detail?: string;
  readonly why?: readonly string[];
}

/** A build with these edits, in a folder of its own. */
async function buildWith(folder: string, edits: Switch['edits']): Promise<void> {
  for (const name of [...SOURCES, ...FILES]) await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, from, to } of edits) {
    const text = await readFile(join(folder, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold this exactly once: ${from}`);
    await writeFile(
      join(folder, file),
      text.replace(from, () => to),
    );
  }
  const built = await runProgram(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], { cwd: folder });
  if (built.exitCode !== 0) throw new Error('the build failed, see above');
}

/** What node prints, with a home folder of its own: what gets out must not get at that of the person who tries this. */
async function rowsOf(args: readonly string[]): Promise<readonly Played[]> {
  const place = await mkdtemp(join(tmpdir(), 'ralph-teeth-place-'));
  const doors: Server[] = [];
  try {
    const home = join(place, 'home');
    doors.push(...(await moveIn(home)));
    const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: place, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' };
    // With a folder left open, as by a careless parent; Node itself closes the first few.
    const careless = ['-c', 'exec "$0" "$@" 99</', process.execPath, ...args];
    const { output } = await runProgram('bash', careless, { cwd: place, env, capture: true });
    return JSON.parse(output).rows;
  } finally {
    for (const door of doors) door.close();
    await rm(place, { recursive: true, force: true });
  }
}

/** A home folder with a login in it, and the sockets of a container engine and of a key agent that answer. */
async function moveIn(home: string): Promise<readonly Server[]> {
  for (const folder of ['.docker/run', '.gnupg']) await mkdir(join(home, folder), { recursive: true });
  await writeFile(join(home, '.netrc'), 'machine example.com login una password none\n');
  return ['.docker/run/docker.sock', '.gnupg/S.gpg-agent'].map((path) =>
    createServer((socket) => socket.end('hello\n')).listen(join(home, path)),
  );
}

/** What came of each row that is named; what was not played shows nothing, and counts as green. */
async function playRows(folder: string, { selftest = [], battery = [], oneByOne }: Omit<Switch, 'name' | 'edits'>) {
  const tsx = import.meta.resolve('tsx');
  const attempts = join(folder, 'scripts/teeth/battery.ts');
  const played = [
    ...(selftest.length > 0
      ? await rowsOf([join(folder, 'bin/ralph.js'), 'selftest', '--json', '--only', selftest.join()])
      : []),
  ];
  const sandboxes = oneByOne ? battery.map((id) => [id]) : [battery];
  for (const ids of sandboxes.filter(({ length }) => length > 0))
    played.push(...(await rowsOf(['--import', tsx, attempts, ids.join()])));
  return [...selftest, ...battery].map((row) => {
    const found = played.find(({ name, id }) => row === (name ?? id));
    const why = found?.why?.join('; ') ?? found?.detail ?? (found ? 'held' : 'there is no such row');
    if (values.verbose) console.log(`  ${row}: ${why}`);
    const wasPlayed = found?.played !== false && found?.tried !== false && why !== SANDBOX_ENDED;
    return { row, held: found?.held === true, red: found?.held === false && wasPlayed };
  });
}

/** Rows that a switch did not turn red. */
async function toothless({ name, edits, ...rows }: Switch): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-teeth-'));
  try {
    await buildWith(folder, edits);
    const held = (await playRows(folder, rows)).filter(({ red }) => !red).map(({ row }) => row);
    const count = (rows.selftest?.length ?? 0) + (rows.battery?.length ?? 0);
    console.log(
      held.length === 0
        ? `✓ without ${name}: ${count} red`
        : `✗ without ${name}: still green: ${held.join(', ')} (of ${count})`,
    );
    return held;
  } catch (error) {
    console.log(`✗ without ${name}: ${error instanceof Error ? error.message : error}`);
    return [name];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const startedAt = Date.now();
const unique = (lists: readonly (readonly string[] | undefined)[]) => [...new Set(lists.flatMap((list) => list ?? []))];
const all = { selftest: unique(chosen.map((one) => one.selftest)), battery: unique(chosen.map((one) => one.battery)) };
const asItIs = (await playRows(root, all)).filter(({ held }) => !held).map(({ row }) => row);
console.log(asItIs.length === 0 ? '✓ as it is: all green' : `✗ as it is: red: ${asItIs.join(', ')}`);

const faults = [...asItIs];
const queue = [...chosen];
const work = async () => {
  for (let next = queue.shift(); next; next = queue.shift()) faults.push(...(await toothless(next)));
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
console.log(`${chosen.length} switches in ${Math.round((Date.now() - startedAt) / 1000)} s, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
