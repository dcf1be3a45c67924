import { dirname } from 'node:path';
import { type AgentAdapter, droppedNames, passedEnvironment } from '../../adapters/agents/index.ts';
import type { Git } from '../../adapters/git/index.ts';
import type { Isolation, Refusal } from '../../adapters/isolation/index.ts';
import type { Workspace } from '../../adapters/workspace/index.ts';
import type { Config } from '../../contracts/index.ts';
import {
  type CleanRoom,
  type Entered,
  enterRoom,
  loopFiles,
  openRoom,
  runInside,
  type SetUpFailure,
  type SetUpPorts,
} from '../../loop/index.ts';
import { type CommandResult, findProgram, isThere, remove, runCommand, systemClock } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { isolate } from '../isolate.ts';
import type { Finding } from './finding.ts';
import type { CheckFault } from './project.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Ground {
  readonly git: Git;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly agents: readonly AgentAdapter[];
  readonly env: Env;
}

export interface Outside {
  readonly env: Env;
  /** Names of variables that are set there but not inside. */
  readonly withheld: readonly string[];
  readonly settings: {
    readonly env: Pick<Config['env'], 'pass'>;
    readonly isolation: Pick<Config['isolation'], 'read' | 'allowHosts'>;
  };
  /** Does a file or folder with that path exist outside the project? */
  isThere(path: string): boolean;
  /** Why it cannot start at all. */
  readonly fault: CheckFault | null;
}

/** One command run as a person, as agents, and as a run would run it. */
export interface Compared {
  readonly command: string;
  readonly outside: Outcome;
  /** In the work tree, in the isolation. */
  readonly inside: Outcome;
  /** In the clean room; null: there is none, and a run checks in the work tree. */
  readonly room: Outcome | null;
  readonly where: string;
  /** Hosts that it tried to reach inside and could not. */
  readonly refused: readonly string[];
}

interface Outcome {
  /** null: a signal or the time limit ended it. */
  readonly exitCode: number | null;
  /** The end of what it printed. */
  readonly output: string;
}

const OUTPUT_BYTES = 16 * 1024;
/** Name of the guest git dir, which a run does not use. */
const GUEST = 'doctor';

/**
 * `ralph doctor --checks`: runs each check as a person would, as an agent would in the isolation, and as a run does in
 * a clean room. One after the other, because they share the work tree.
 */
export async function compareChecks(
  commands: readonly string[],
  ground: Ground,
  faultOf: (command: string) => Promise<CheckFault | null>,
): Promise<readonly Finding[]> {
  if (commands.length === 0) return [];
  const { git, workspace, config, agents, env } = ground;
  const refused = new Set<string>();
  const run = `doctor-${process.pid}`;
  const isolated = await isolate({ git, workspace, config, env, agents, asked: false, room: 'doctor' });
  const { isolation, checksIsolation } = isolated;
  const findings: Finding[] = [];
  const onRefusal = ({ host }: Refusal) => void refused.add(host);
  const ports = { git, config, env, agents, isolation, checksIsolation, run, clock: systemClock, emit: () => {} };
  const inRoom = { ...ports, signal: new AbortController().signal };
  const room = isolated.room && (await openRoom(isolated.room, { ...ports, onRefusal }));
  const known = {
    env,
    withheld: droppedNames(env, config, agents),
    settings: config,
    isThere: (path: string) => !`${path}/`.startsWith(`${git.repo.root}/`) && isThere(path),
  };
  try {
    await checksIsolation.prepare({ run, localPorts: [], onRefusal });
    const entered = room && (await enterHere(inRoom, room, workspace));
    if (entered !== null) findings.push(setUpFinding(entered));
    const mounts = checksIsolation.coversGitDir ? (await git.openGuest(GUEST)).mounts : [];
    for (const command of commands) {
      refused.clear();
      const limits = { timeoutMs: config.checks.timeoutMs, maxBytes: OUTPUT_BYTES, marker: run };
      const outside = outcomeOf(await runCommand('sh', ['-c', command], { ...limits, cwd: git.repo.root, env }));
      const wrapped = await checksIsolation.wrap({
        file: 'sh',
        args: ['-c', command],
        cwd: git.repo.root,
        env: passedEnvironment(env, config, agents),
        mounts,
      });
      const inside = outcomeOf(
        await runCommand(wrapped.file, wrapped.args, { ...limits, cwd: wrapped.cwd, env: wrapped.env }).finally(() =>
          wrapped.end(),
        ),
      );
      const inThere = room && entered?.kind === 'entered' ? await outcomeInRoom(inRoom, room, command, entered) : null;
      const compared = { command, outside, inside, room: inThere, where: checksIsolation.name, refused: [...refused] };
      findings.push(findingOf(compared, { ...known, fault: await faultOf(command) }));
    }
  } finally {
    await disposeBoth(isolation, checksIsolation);
    if (room) await room.close().then(() => remove(dirname(room.place.folder)));
    if (checksIsolation.coversGitDir) await git.removeGuest(GUEST);
  }
  return findings;
}

/** The work tree is checked in its current state. */
async function enterHere(ports: SetUpPorts, room: CleanRoom, workspace: Workspace): Promise<Entered | SetUpFailure> {
  const { git } = ports;
  const tree = await room.treeOf(await git.tree(), loopFiles(workspace));
  return enterRoom(ports, room, { tree, parent: await git.resolve('HEAD') });
}

async function outcomeInRoom(ports: SetUpPorts, room: CleanRoom, command: string, { env }: Entered): Promise<Outcome> {
  const where = { cwd: room.place.folder, env, mounts: [], isolation: await room.opened() };
  return outcomeOf(await runInside(ports, { file: 'sh', args: ['-c', command], ...where, maxBytes: OUTPUT_BYTES }));
}

function setUpFinding(entered: Entered | SetUpFailure): Finding {
  const common = { name: 'clean room', concerns: 'place' } as const;
  if (entered.kind === 'entered') {
    const commands = entered.commands.map((command) => `\`${command}\``).join(', then ');
    const detail = commands === '' ? 'has the tree; nothing has to be installed' : `set up by ${commands}`;
    return { ...common, state: 'ok', detail, mend: [] };
  }
  const { command, exitCode, timedOut, output } = entered;
  const detail = `\`${command}\` failed there (${timedOut ? 'no end within checks.timeout' : `exit ${exitCode ?? '-'}`})`;
  const said = tellingLine({ exitCode: 1, output });
  return { ...common, state: 'warning', detail, ...(said === '' ? {} : { more: [said] }), mend: [...INTO_THE_ROOM] };
}

/** What a check may lack in the clean room. */
const INTO_THE_ROOM = [
  `ralph config set checks.setup '["…"]': the commands that install what the checks need`,
  `ralph config set checks.copy '["…"]': ignored files that they read, e.g. ".env.test"`,
];

async function disposeBoth(one: Isolation, other: Isolation): Promise<void> {
  await Promise.all([...new Set([one, other])].map((isolation) => isolation.dispose()));
}

function outcomeOf({ exitCode, timedOut, stdout, stderr }: CommandResult): Outcome {
  return {
    exitCode: timedOut ? null : exitCode,
    output: `${stdout.toString('utf8')}\n${stderr.toString('utf8')}`.trim(),
  };
}

/** What the difference means for the person. Pure but for looking a program up on the PATH. */
export function findingOf(compared: Compared, place: Outside): Finding {
  const { command, outside, inside, room, where } = compared;
  const common = { name: 'check', concerns: 'place' } as const;
  const inIt = where === 'none' ? 'with the environment of a run' : `inside ${where}`;
  const isInRoom = room?.exitCode === 0;
  if (outside.exitCode === 0 && inside.exitCode === 0 && (room === null || isInRoom)) {
    const places = room === null ? `outside and ${inIt}` : `outside, ${inIt} and in the clean room`;
    return { ...common, state: 'ok', detail: `\`${command}\` passes ${places}`, mend: [] };
  }
  if (outside.exitCode === 0 && inside.exitCode === 0 && room !== null) {
    const detail = `\`${command}\` passes outside and ${inIt}, and fails in the clean room: ${ended(room)}`;
    const said = tellingLine(room);
    const mend = INTO_THE_ROOM;
    return { ...common, state: 'warning', detail, ...(said === '' ? {} : { more: [said] }), mend };
  }
  const more = [tellingLine(inside), tellingLine(outside)].find((line) => line !== '');
  const said = more === undefined ? {} : { more: [more] };
  if (outside.exitCode !== 0) {
    const both = inside.exitCode !== 0;
    const detail = `\`${command}\` fails ${both ? 'outside and' : 'outside, not'} ${inIt}: ${ended(outside)}`;
    const mend = both ? (place.fault?.mend ?? ['make it pass first, or plan a story that does']) : [];
    return { ...common, state: 'warning', detail, ...said, mend };
  }
  return {
    ...common,
    state: 'warning',
    detail: `\`${command}\` passes outside and fails ${inIt}: ${ended(inside)}`,
    ...said,
    mend: waysIn(compared, place),
  };
}

/** Based on the output inside: a missing program, file, variable or host; else where to look further. */
function waysIn({ command, inside: { output }, where, refused }: Compared, place: Outside): readonly string[] {
  const { env, withheld, settings, isThere } = place;
  const [, missing] = /(?:^|[\s:])([\w.+-]+): (?:command )?not found/m.exec(output) ?? [];
  const program = missing === undefined ? null : findProgram(missing, env['PATH']);
  const variables = withheld.filter((name) => new RegExp(`(?<![\\w])${name}(?![\\w])`).test(output));
  const folders = program === null ? missingPaths(output).filter(isThere) : [folderOf(program)];
  const ways = [
    settingLine('env.pass', settings.env.pass, variables),
    settingLine('isolation.read', settings.isolation.read, folders),
    settingLine('isolation.allowHosts', settings.isolation.allowHosts, refused),
  ].flatMap((way) => way ?? []);
  return [
    ...ways,
    // Names the variables that it does not get; `env.pass` lets them through.
    ...(ways.length === 0 ? ['ralph doctor --verbose'] : []),
    ...(where === 'none' ? [] : [`ralph sandbox shell -- sh -c ${shellWord(command)}`]),
  ];
}

/** Includes the current entries: setting the list replaces all of it. */
function settingLine(key: string, now: readonly string[], more: readonly string[]): string | null {
  if (more.length === 0) return null;
  return `ralph config set ${key} ${shellWord(JSON.stringify([...new Set([...now, ...more])]))}`;
}

function missingPaths(output: string): readonly string[] {
  const lines = output
    .split('\n')
    .filter((line) => /no such file|ENOENT|not found|cannot (?:open|access|find)|EACCES|permission denied/i.test(line));
  return [...new Set(lines.flatMap((line) => line.match(/(?<![\w.])\/[\w@%+=.,/-]*[\w@%+=-]/g) ?? []))];
}

/** A toolchain is the folder around its `bin`. */
function folderOf(program: string): string {
  const folder = program.slice(0, program.lastIndexOf('/'));
  return folder.endsWith('/bin') && folder.split('/').length > 3 ? folder.slice(0, -'/bin'.length) : folder;
}

function ended({ exitCode }: Outcome): string {
  return exitCode === null ? 'no end within checks.timeout' : `exit ${exitCode}`;
}

/** The last line that says what is wrong, else the last one. */
function tellingLine({ exitCode, output }: Outcome): string {
  if (exitCode === 0) return '';
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/complete log of this run/.test(line));
  return (
    lines.findLast((line) => /error|not found|no such|missing|denied|can'?t|cannot|unable/i.test(line)) ??
    lines.at(-1) ??
    ''
  );
}
