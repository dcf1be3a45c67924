import type { Config, Env } from '../../contracts/index.ts';
import type { Entered, SetUpFailure } from '../../loop/index.ts';
import { findProgram } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { type Finding, findingOf } from './finding.ts';
import type { CheckFault } from './project.ts';

interface Outside {
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
interface Compared {
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

export interface Outcome {
  /** null: a signal or the time limit ended it. */
  readonly exitCode: number | null;
  /** The end of what it printed. */
  readonly output: string;
}

/** What a check may lack in the clean room. */
const INTO_THE_ROOM = [
  `ralph config set checks.setup '["…"]': the commands that install what the checks need`,
  `ralph config set checks.copy '["…"]': ignored files that they read, e.g. ".env.test"`,
];

export function setUpFinding(entered: Entered | SetUpFailure): Finding {
  if (entered.kind === 'entered') {
    const commands = entered.commands.map((command) => `\`${command}\``).join(', then ');
    return findingOf(
      'clean room',
      'ok',
      commands === '' ? 'ready; nothing has to be installed' : `set up by ${commands}`,
    );
  }
  const { command, exitCode, timedOut, output } = entered;
  const detail = `\`${command}\` failed there (${timedOut ? 'did not finish within checks.timeout' : `exit ${exitCode ?? '-'}`})`;
  return findingOf('clean room', 'warning', detail, INTO_THE_ROOM, moreOf({ exitCode: 1, output }));
}

/** What the difference means for the person. Pure but for looking a program up on the PATH. */
export function comparedFinding(compared: Compared, place: Outside): Finding {
  const { command, outside, inside, room, where } = compared;
  const inIt = where === 'none' ? 'with the environment of a run' : `inside ${where}`;
  const check = `\`${command}\``;
  if (outside.exitCode !== 0) {
    const both = inside.exitCode !== 0;
    const detail = `${check} fails ${both ? 'outside and' : 'outside, not'} ${inIt}: ${ended(outside)}`;
    const fix = both ? (place.fault?.fix ?? ['make it pass first, or plan a story that does']) : [];
    return findingOf('check', 'warning', detail, fix, moreOf(inside, outside));
  }
  if (inside.exitCode !== 0) {
    const detail = `${check} passes outside and fails ${inIt}: ${ended(inside)}`;
    return findingOf('check', 'warning', detail, waysIn(compared, place), moreOf(inside));
  }
  if (room === null) return findingOf('check', 'ok', `${check} passes outside and ${inIt}`);
  if (room.exitCode === 0) return findingOf('check', 'ok', `${check} passes outside, ${inIt} and in the clean room`);
  const detail = `${check} passes outside and ${inIt}, and fails in the clean room: ${ended(room)}`;
  return findingOf('check', 'warning', detail, INTO_THE_ROOM, moreOf(room));
}

/** The first line that says what is wrong. */
function moreOf(...outcomes: readonly Outcome[]): Partial<Finding> {
  const said = outcomes.map(tellingLine).find((line) => line !== '');
  return said === undefined ? {} : { more: [said] };
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
  return exitCode === null ? 'did not finish within checks.timeout' : `exit ${exitCode}`;
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
