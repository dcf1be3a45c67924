import type { CheckResult } from '../../contracts/index.ts';
import { words } from '../text/index.ts';

/** A program name as errors show it; a name with a folder counts only if it is absolute. */
const NAME = '(?<name>[\\w.+@-]+|/[^\\s:\'"`]+)';
const QUOTED = `['"\`‘’]?${NAME}['"\`‘’]?`;
const NO_SUCH_FILE = '(?:No such file or directory|Permission denied)';

/** Messages of programs that cannot find another one; `name` is the missing one. */
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
  // A shell without permission to start it: `sh: 1: foo: Permission denied`
  `^\\S*sh: (?:line )?(?:\\d+: )?${NAME}: Permission denied$`,
  // Node, Python, Go, Rust, Ruby
  `\\bspawn ${QUOTED} (?:ENOENT|EACCES)\\b`,
  `FileNotFoundError: .*No such file or directory: ${QUOTED}`,
  `exec: ${QUOTED}: executable file not found`,
  `linker ${QUOTED} not found`,
  `Errno::ENOENT: No such file or directory - ${QUOTED}`,
  `no ${QUOTED} command could be found in your PATH`,
].map((source) => new RegExp(source, 'gm'));

/** Shells in other languages: if the exit code says "not found", the name is in the same position. */
const IN_ANY_LANGUAGE = new RegExp(`^\\S+: (?:\\p{L}+ )?\\d+: ${NAME}: `, 'gmu');

const GIT_SUBCOMMAND = /git: '(?<name>[\w-]+)' is not a git command/g;

/** More names than this mean a broken project, not a missing toolchain. */
const MAX_NAMES = 10;

/**
 * Programs that red checks report as missing: names as on a PATH, or absolute paths. A name here proves nothing yet: a
 * test may have printed it.
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

/** A program that is missing inside the isolation, as found on the host. */
export interface HostTool {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  /** The path with every link resolved. */
  readonly target: string;
}

/**
 * The notice for a user whose checks miss programs inside the isolation that this machine has; null without any.
 * @param where.isolation name of the backend
 * @param where.home the user's home folder
 */
export function toolchainNotice(
  tools: readonly HostTool[],
  { isolation, home }: { readonly isolation: string; readonly home: string },
): { readonly text: string; readonly fix: string } | null {
  if (tools.length === 0) return null;
  const short = (path: string) => (path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
  const names = tools.map(({ name, path }) => `${name.slice(name.lastIndexOf('/') + 1)} (${short(path)})`).join(', ');
  const folders = [...new Set(tools.flatMap(({ path, target }) => [path, target].map((one) => prefixOf(one, home))))];
  const is = tools.length === 1 ? 'is' : 'are';
  return {
    text: `${names} ${is} on this machine but not inside ${isolation}: checks that need ${tools.length === 1 ? 'it' : 'them'} fail`,
    fix: `"isolation": { "read": [${folders.map((folder) => JSON.stringify(short(folder))).join(', ')}] } in ralph.config.json`,
  };
}

/**
 * The smallest folder that provides a program: the one that contains its `bin`, with its libraries; never a whole home
 * or system folder.
 */
function prefixOf(path: string, home: string): string {
  const folder = path.slice(0, path.lastIndexOf('/')) || '/';
  const above = folder.slice(0, folder.lastIndexOf('/'));
  const isPrefix = /\/s?bin$/.test(folder) && above !== home && !SHARED.has(above) && above !== `${home}/.local`;
  if (isPrefix) return above;
  return folder === home || SHARED.has(folder) ? path : folder;
}

/** Folders too large to expose for one program. */
const SHARED: ReadonlySet<string> = new Set(words('/ /usr /usr/local /opt /home /root /srv /var /tmp'));

export type PackageManager = 'apt' | 'dnf' | 'pacman' | 'zypper' | 'apk' | 'xbps' | 'portage';

/** The package installer of a Linux distribution. */
interface Installer {
  readonly manager: PackageManager;
  /** Without `sudo` and the packages. */
  readonly command: string;
}

/** Keyed by the values of `ID` and `ID_LIKE` in os-release(5). */
const INSTALLERS: readonly (readonly [distributions: readonly string[], installer: Installer])[] = [
  [['debian', 'ubuntu'], { manager: 'apt', command: 'apt-get install' }],
  [['fedora', 'rhel', 'centos', 'amzn'], { manager: 'dnf', command: 'dnf install' }],
  [['arch'], { manager: 'pacman', command: 'pacman -S' }],
  [['suse', 'opensuse'], { manager: 'zypper', command: 'zypper install' }],
  [['alpine'], { manager: 'apk', command: 'apk add' }],
  [['void'], { manager: 'xbps', command: 'xbps-install' }],
  [['gentoo'], { manager: 'portage', command: 'emerge' }],
];

/** @param distributions the system's own name first, then the names in `ID_LIKE`; null when none is known */
export function installerFor(distributions: readonly string[]): Installer | null {
  for (const one of distributions) {
    const found = INSTALLERS.find(([names]) => names.some((name) => one === name || one.startsWith(`${name}-`)));
    if (found) return found[1];
  }
  return null;
}
