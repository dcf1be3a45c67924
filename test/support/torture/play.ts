import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { ENDLESS } from './agent-faults.ts';
import type { Fault, TortureCase } from './case.ts';
import { damage } from './damage.ts';
import {
  changedOfUser,
  leftProcesses,
  lostMarks,
  lostStories,
  strays,
  userStateOf,
  wrongCall,
  wrongCommits,
} from './invariants.ts';
import { commitsOfPerson, finishAsPerson, lostOfPerson } from './person.ts';
import { makePlace, type Place } from './place.ts';
import type { Call } from './program.ts';
import { randomFrom } from './random.ts';
import { hasPerson } from './scenario.ts';
import { shapeOf } from './shapes.ts';
import { STATE_FILES } from './state-files.ts';
import { strike } from './surroundings.ts';

/** What came of a case. */
export interface Played {
  /** What is wrong; nothing when every invariant holds. */
  readonly violations: readonly string[];
  /** Exit codes of the calls, in order, or the signal. */
  readonly codes: readonly (number | string)[];
  readonly peakMemory: number;
}

type FileFault = Extract<Fault, { kind: 'file' }>;

/** Starts after the faults are over, at most; each may need a fix by the user before the next. */
const STARTS = 6;
/** KiB. Far above what a run needs, far below what it would need if it kept what an agent prints. */
const MEMORY_LIMIT = 450_000;

/** Plays a case with the built program and looks whether every invariant holds. */
export async function play(torture: TortureCase): Promise<Played> {
  const place = await makePlace(torture);
  const calls: Call[] = [];
  const violations: string[] = [];
  try {
    await playIn(place, torture, calls, violations);
  } catch (error) {
    violations.push(`the case broke: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
  await place.remove().catch((error: unknown) => violations.push(`the place of the case stays: ${error}`));
  const peakMemory = Math.max(0, ...calls.map((call) => call.peakMemory));
  if (peakMemory > MEMORY_LIMIT) violations.push(`the loop took ${peakMemory} KiB of memory`);
  return { violations, codes: calls.map(({ code, signal }) => code ?? signal ?? 'none'), peakMemory };
}

async function playIn(place: Place, torture: TortureCase, calls: Call[], violations: string[]): Promise<void> {
  const { faults, shapes, stories } = torture;
  const files = faults.filter((fault) => fault.kind === 'file');
  const damaged = new Set<FileFault>();
  const spoil = async (fault: FileFault): Promise<void> => {
    const index = faults.indexOf(fault);
    const fraction = randomFrom(torture.seed + index).next();
    const aside = { original: `${place.outside}/aside/${index}`, precious: `${place.outside}/precious.txt` };
    await damage(pathOf(fault, place), fault.damage, fraction, aside);
    damaged.add(fault);
  };
  const endless = faults.some((fault) => fault.kind === 'agent' && ENDLESS.includes(fault.does));
  const args = [
    ...['run', '40', '--scenario', place.scenario, '--calls', '1000', '--story-max-attempts', '6'],
    ...shapes.flatMap((shape) => shapeOf(shape).args ?? []),
    ...(endless ? ['--timeout', '3s'] : []),
  ];
  const call = async (more: readonly string[] = []): Promise<Call> => {
    const ended = await place.start([...args, ...more]).ended;
    calls.push(ended);
    violations.push(...wrongCall(ended));
    return ended;
  };
  const mendShapes = async (): Promise<void> => {
    for (const shape of shapes) {
      const { fix } = shapeOf(shape);
      if (!fix) continue;
      const { code, stderr } = await call();
      if (code !== 2) violations.push(`a start in a repository that is ${shape} ended with ${code}, not 2: ${stderr}`);
      await fix(place);
    }
  };

  await mendShapes();
  const userHead = await place.git('rev-parse', 'HEAD');
  const spoiled = files.flatMap(({ file }) => (STATE_FILES[file].place === 'root' ? [STATE_FILES[file].path] : []));
  const without = [...spoiled, ...agentTouches(faults)];
  const before = await userStateOf(place, without);

  if (files.some(({ when }) => when === 'before')) {
    // So that every file is there.
    await call(['--once']);
    for (const fault of files) if (fault.when === 'before') await spoil(fault);
  }
  await disturbed(place, torture, args, spoil, calls, violations);
  for (const fault of files) if (fault.when === 'between') await spoil(fault);

  const relaxed = new Set<string>();
  let last: Call | undefined;
  for (let start = 0; start < STARTS; start += 1) {
    last = await call(last?.code === 3 ? ['--reset-circuit'] : []);
    if (last.code === 0 || last.late) break;
    if (last.code === 2 && hasPerson(faults)) await finishAsPerson(place);
    else if (last.code === 2) await mendAsUser(place, damaged, last, relaxed);
  }
  if (last?.code !== 0) {
    violations.push(
      `no end within ${STARTS} starts, the last with ${last?.code}:\n${last?.stdout.slice(-1500)}${last?.stderr}`,
    );
    return;
  }
  if (hasPerson(faults)) await finishAsPerson(place);
  await place.git('checkout', '-q', 'ralph/test').catch(() => {});
  const head = await place.git('rev-parse', 'ralph/test');
  violations.push(...(await leftProcesses(place)));
  // Whatever was cut off is swept by the next start at the latest; and a finished backlog stays as it is.
  const again = await call();
  if (again.code !== 0) violations.push(`a start after the end ends with ${again.code}: ${again.stderr.slice(-600)}`);
  if (head !== (await place.git('rev-parse', 'ralph/test'))) violations.push('a start after the end commits something');
  const valid = await place.start(['validate']).ended;
  if (valid.code !== 0) violations.push(`the backlog is not valid: ${valid.stdout}${valid.stderr}`);
  if (!relaxed.has('commits')) {
    const log = await place.git('log', '--reverse', '--format=%H %s', `${userHead}..ralph/test`);
    const persons = await commitsOfPerson(place);
    const commits = log.split('\n').filter((line) => line !== '' && !persons.includes(line.slice(0, 40)));
    const subjects = commits.map((line) => line.slice(41));
    violations.push(...wrongCommits(subjects, stories));
  }
  violations.push(...(await lostStories(place)));
  violations.push(...(await lostMarks(place)), ...(await lostOfPerson(place)), ...(await strays(place)));
  violations.push(
    ...changedOfUser(before, await userStateOf(place, without)).filter((line) => !expected(line, faults, relaxed)),
  );
  const precious = await readFile(`${place.outside}/precious.txt`, 'utf8');
  if (precious !== 'outside of the project\n')
    violations.push('a file outside of the project was written through a link');
}

/** The first run: everything that strikes while it goes on. */
async function disturbed(
  place: Place,
  { faults }: TortureCase,
  args: readonly string[],
  spoil: (fault: FileFault) => Promise<void>,
  calls: Call[],
  violations: string[],
): Promise<void> {
  const point = faults.find((fault) => fault.kind === 'crash')?.point;
  const count = faults.find((fault) => fault.kind === 'starts')?.count ?? 1;
  const env = point === undefined ? {} : { RALPH_CRASHPOINT: point };
  const starts = Array.from({ length: count }, () => place.start(args, { env }));
  const first = starts[0];
  if (!first) return;
  const over = Promise.all(starts.map(({ ended }) => ended));
  const strikes = Promise.allSettled(
    faults.map(async (fault) => {
      if (fault.kind !== 'file') return strike(fault, place, first.child);
      if (typeof fault.when !== 'number') return;
      await wait(fault.when);
      await spoil(fault);
    }),
  );
  for (const ended of await over) {
    calls.push(ended);
    violations.push(...wrongCall(ended));
  }
  for (const struck of await strikes) if (struck.status === 'rejected') throw struck.reason;
  const holders = (await over).filter(({ code }) => code !== 4).length;
  if (count > 1 && holders === 0) violations.push(`of ${count} starts at once none ran`);
}

/** What a sensible user does after an error: gets back what they had, or takes away what stands in the way. */
async function mendAsUser(
  place: Place,
  damaged: Set<FileFault>,
  { stderr }: Call,
  relaxed: Set<string>,
): Promise<void> {
  if (/index\.lock|HEAD\.lock/.test(stderr))
    await rm(`${place.gitDir}/${/HEAD\.lock/.test(stderr) ? 'HEAD' : 'index'}.lock`, { force: true });
  if (/HEAD of the repository is damaged/.test(stderr))
    await writeFile(`${place.gitDir}/HEAD`, 'ref: refs/heads/ralph/test\n');
  for (const fault of damaged) {
    const path = pathOf(fault, place);
    const { owner, path: name } = STATE_FILES[fault.file];
    await rename(path, `${place.outside}/aside/bad-${Math.random()}`).catch(() => {});
    if (owner === 'user') await place.git('checkout', 'HEAD', '--', name).catch(() => {});
    relaxed.add('commits');
  }
  if (damaged.size === 0 || /uncommitted|git status/.test(stderr)) {
    await place.git('stash', 'push', '-q', '-u', '--', 'src', 'work').catch(() => {});
    relaxed.add('stash');
  }
  damaged.clear();
}

function pathOf({ file }: FileFault, { root, gitDir, outside }: Place): string {
  const { place, path } = STATE_FILES[file];
  return `${place === 'root' ? root : place === 'git' ? gitDir : outside}/${path}`;
}

/** New things of the agent's that are accepted with its work: they are not changes of the user's. Pure. */
function agentTouches(faults: readonly Fault[]): readonly string[] {
  return faults.some(({ kind }) => kind === 'agent')
    ? ['many', 'deep', 'locked', 'circle', 'special', 'huge.bin', 'odd', 'inner']
    : [];
}

/** What an agent may do to the user's things when it counts as its work. Pure. */
function expected(line: string, faults: readonly Fault[], relaxed: ReadonlySet<string>): boolean {
  // What they changed themselves is not a loss; what they committed is looked at by itself.
  if (hasPerson(faults)) return !/user's file "(?!person|docs\/changed)|"(config|hooks)"/.test(line);
  const does = (name: string): boolean => faults.some((fault) => fault.kind === 'agent' && fault.does === name);
  if (relaxed.has('stash') && line.includes('git state "stash"')) return true;
  // What an agent does to other branches stays, since it may have been the user; what they pointed to is kept.
  if (does('deletes other branches') && line.includes('ref "refs/heads/other"')) return true;
  if (does('commits on an orphan branch') && line.includes('ref "refs/heads/lost": absent')) return true;
  // Accepted work: an agent may delete and change what git tracks, and damages what git ignores.
  const tracked =
    does('deletes everything but its own work') || does('replaces folders by files') || does('makes FIFOs');
  return tracked && /user's file|git state "status"/.test(line);
}
