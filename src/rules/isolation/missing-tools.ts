import type { CheckResult } from '../../contracts/model.ts';

/** A program as it may be named in an error; those with a folder in front only when that is absolute. */
const NAME = '(?<name>[\\w.+@-]+|/[^\\s:\'"`]+)';
const QUOTED = `['"\`‘’]?${NAME}['"\`‘’]?`;
const NO_SUCH_FILE = '(?:No such file or directory|Permission denied)';

/** How programs say that another one is not there; `name` is the other one. */
const COMPLAINTS: readonly RegExp[] = [
  // sh, dash, ash, bash, ksh: `sh: 1: foo: not found`, `x.sh: line 3: foo: command not found`
  `: ${NAME}: (?:inaccessible or )?(?:command )?not found$`,
  // Scripts whose interpreter is missing: `bash: ./x: /usr/bin/python3: bad interpreter: …`
  `: ${NAME}: bad interpreter`,
  // zsh, bun: `zsh:1: command not found: foo`
  `command not found: ${QUOTED}`,
  `Unknown command:? ${QUOTED}`,
  // env, make, xargs, nice: `/usr/bin/env: ‘python3’: No such file or directory`
  `^(?:\\S*/)?(?:env|g?make(?:\\[\\d+\\])?|xargs|nice|setsid|time): ${QUOTED}: ${NO_SUCH_FILE}`,
  `failed to run command ${QUOTED}`,
  `cannot run ${QUOTED}: ${NO_SUCH_FILE}`,
  // A shell that may not start it: `sh: 1: foo: Permission denied`
  `^\\S*sh: (?:line )?(?:\\d+: )?${NAME}: Permission denied$`,
  // Node, Python, Go, Rust, Ruby
  `\\bspawn ${QUOTED} (?:ENOENT|EACCES)\\b`,
  `FileNotFoundError: .*No such file or directory: ${QUOTED}`,
  `exec: ${QUOTED}: executable file not found`,
  `linker ${QUOTED} not found`,
  `Errno::ENOENT: No such file or directory - ${QUOTED}`,
  `no ${QUOTED} command could be found in your PATH`,
].map((source) => new RegExp(source, 'gm'));

/** Shells in other languages: where the exit code says "not found", the name stands in the same place. */
const IN_ANY_LANGUAGE = new RegExp(`^\\S+: (?:\\p{L}+ )?\\d+: ${NAME}: `, 'gmu');

const GIT_SUBCOMMAND = /git: '(?<name>[\w-]+)' is not a git command/g;

/** More than this is no missing toolchain but a broken project. */
const MAX_NAMES = 10;

/**
 * Programs that red checks complain about as not being there: names as on a PATH, or absolute paths. That a program is
 * named here proves nothing yet: a test may have printed it.
 */
export function missingTools(checks: readonly CheckResult[]): readonly string[] {
  const names = checks.filter(({ ok }) => !ok).flatMap(namesIn);
  return [...new Set(names)].slice(0, MAX_NAMES);
}

function namesIn({ tail, exitCode }: CheckResult): readonly string[] {
  const complaints = exitCode === 127 ? [...COMPLAINTS, IN_ANY_LANGUAGE] : COMPLAINTS;
  return [
    ...complaints.flatMap((complaint) => named(tail, complaint)),
    ...named(tail, GIT_SUBCOMMAND).map((name) => `git-${name}`),
  ];
}

function named(text: string, complaint: RegExp): readonly string[] {
  return [...text.matchAll(complaint)]
    .map(({ groups }) => groups?.['name'] ?? '')
    .filter((name) => name !== '' && !name.startsWith('-') && !name.startsWith('.'));
}

/** A program that is missing inside, as it was found on the host. */
export interface HostTool {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  /** The same with every link followed. */
  readonly target: string;
}

export interface ToolchainNotice {
  readonly text: string;
  readonly mend: string;
}

/**
 * What to tell a person whose checks miss programs inside that this machine has; null without any.
 * @param where.isolation name of the backend
 * @param where.home the person's home folder
 */
export function toolchainNotice(
  tools: readonly HostTool[],
  { isolation, home }: { readonly isolation: string; readonly home: string },
): ToolchainNotice | null {
  if (tools.length === 0) return null;
  const short = (path: string) => (path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
  const names = tools.map(({ name, path }) => `${nameOf(name)} (${short(path)})`).join(', ');
  const folders = [...new Set(tools.flatMap(({ path, target }) => [path, target].map((one) => prefixOf(one, home))))];
  const is = tools.length === 1 ? 'is' : 'are';
  return {
    text: `${names} ${is} on this machine but not inside ${isolation}: checks that need ${tools.length === 1 ? 'it' : 'them'} fail`,
    mend: `"isolation": { "read": [${folders.map((folder) => JSON.stringify(short(folder))).join(', ')}] } in ralph.config.json`,
  };
}

function nameOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** The least that brings a program along: what its `bin` stands in, with its libraries; never a whole home or system. */
function prefixOf(path: string, home: string): string {
  const folder = path.slice(0, path.lastIndexOf('/')) || '/';
  const above = folder.slice(0, folder.lastIndexOf('/'));
  const isPrefix = /\/s?bin$/.test(folder) && above !== home && !SHARED.has(above) && above !== `${home}/.local`;
  if (isPrefix) return above;
  return folder === home || SHARED.has(folder) ? path : folder;
}

/** Too much to hand over for one program. */
const SHARED: ReadonlySet<string> = new Set([
  '',
  '/',
  '/usr',
  '/usr/local',
  '/opt',
  '/home',
  '/root',
  '/srv',
  '/var',
  '/tmp',
]);
