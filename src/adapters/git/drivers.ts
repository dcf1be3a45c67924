import { basename, dirname, resolve } from 'node:path';

/** One setting as `git config --list --show-origin` has it. */
export interface Configured {
  /** `file:.git/config`, `command line:` … */
  readonly origin: string;
  /** Section and variable in lower case. */
  readonly key: string;
  readonly value: string;
}

/** What decides whether a path is in a work tree. */
export interface Ground {
  /** Of the work tree; relative paths of settings are relative to it. */
  readonly root: string;
  readonly home: string;
  /** Git dirs: what lies there is put back after every agent. */
  readonly gitDirs: readonly string[];
  /** Is this absolute path in a work tree of the repository, links resolved? */
  inTree(path: string): boolean;
  /** Is there anything? */
  isThere(path: string): boolean;
}

/** Programs of the person's settings that the host's git must not run, because an agent decides what they do. */
export interface Drivers {
  /** Settings that take their place, in order. */
  readonly instead: readonly (readonly [key: string, value: string])[];
  /** Keys of what is not run. */
  readonly left: readonly string[];
  /** Files of the work tree that settings are included from; they are put back after every agent. */
  readonly included: readonly string[];
}

/**
 * Settings that name a program which git of ours may start, and what is set instead. Hooks, fsmonitor, editors and
 * pagers are off for every git of ours, and none shows a difference or merges by a driver (`hostEnv`, `--no-ext-diff`).
 */
const PROGRAMS: readonly (readonly [key: RegExp, instead: (name: string) => readonly (readonly [string, string])[]])[] =
  [
    [
      /^(filter\..*)\.(clean|smudge|process)$/s,
      (name) => [
        ...['clean', 'smudge', 'process'].map((way) => [`${name}.${way}`, ''] as const),
        [`${name}.required`, 'false'],
      ],
    ],
    [/^(core\.sshcommand)$/, (name) => [[name, 'ssh']]],
    [/^(core\.askpass|gpg\.ssh\.defaultkeycommand)$/, (name) => [[name, '']]],
    [/^(core\.alternaterefscommand)$/, (name) => [[name, 'true']]],
    [/^core\.gitproxy$/, () => [['protocol.git.allow', 'never']]],
    [/^(gpg(\.openpgp)?\.program)$/, (name) => [[name, 'gpg']]],
    [/^(gpg\.x509\.program)$/, (name) => [[name, 'gpgsm']]],
    [/^(gpg\.ssh\.program)$/, (name) => [[name, 'ssh-keygen']]],
    // Of these the first counts, so that no other can be set; on this machine they run for a remote that is a folder.
    [/^remote\..*\.(uploadpack|receivepack)$/s, () => [['protocol.file.allow', 'never']]],
    [/^remote\..*\.(push)?url$/s, () => [['protocol.ext.allow', 'never']]],
  ];

const HELPER = /^credential\.(.*\.)?helper$/s;
const INCLUDE = /^include(if\..*)?\.path$/s;

/** Which programs of the person's settings lead into a work tree, and what git of ours is told instead. Pure but for `ground`. */
export function tameDrivers(settings: readonly Configured[], ground: Ground): Drivers {
  const ofTree = (setting: Configured) => isOfTree(setting.origin, ground) || leadsIntoTree(setting.value, ground);
  const named = settings.flatMap((setting) => {
    const [pattern, instead] = PROGRAMS.find(([key]) => key.test(setting.key)) ?? [];
    const isProgram =
      !setting.key.startsWith('remote.') || !setting.key.endsWith('url') || setting.value.startsWith('ext::');
    if (pattern === undefined || instead === undefined || !isProgram || !ofTree(setting)) return [];
    return [{ key: setting.key, instead: instead(pattern.exec(setting.key)?.[1] ?? '') }];
  });
  const helpers = settings.filter(({ key }) => HELPER.test(key));
  const bad = helpers.filter(ofTree);
  // An empty helper forgets all before it.
  const good =
    bad.length === 0
      ? []
      : [
          ['credential.helper', ''] as const,
          ...helpers.filter((one) => !bad.includes(one)).map(({ key, value }) => [key, value] as const),
        ];
  return {
    instead: [...named.flatMap(({ instead }) => instead), ...good],
    left: [...new Set([...named, ...bad].map(({ key }) => key))],
    included: [...new Set(settings.flatMap((setting) => includedFrom(setting, ground)))],
  };
}

function fileOf(origin: string, root: string): string | null {
  return origin.startsWith('file:') ? resolve(root, origin.slice('file:'.length)) : null;
}

function isOfTree(origin: string, ground: Ground): boolean {
  const file = fileOf(origin, ground.root);
  return file !== null && isAgents(file, ground);
}

/** In a work tree, where it is not put back as the git dir is. */
function isAgents(path: string, { inTree, gitDirs }: Ground): boolean {
  return inTree(path) && !gitDirs.some((dir) => path === dir || path.startsWith(`${dir}/`));
}

function includedFrom({ origin, key, value }: Configured, ground: Ground): readonly string[] {
  const file = fileOf(origin, ground.root);
  const named =
    INCLUDE.test(key) && value !== ''
      ? resolve(file === null ? ground.root : dirname(file), inHome(value, ground))
      : null;
  return [file, named].filter((path) => path !== null && isAgents(path, ground)) as string[];
}

const SHELL = /^((ba|da|k|z|a)?sh|fish|source|\.)$/;
/** Programs beside shells that run the code of the file they are given first. */
const INTERPRETER =
  /^(node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|perl|ruby|php|lua[\d.]*|tclsh|Rscript|osascript)$/;
/** Of these, those for which code on the command line loads modules of the current folder, too. */
const LOADS_FROM_HERE = /^(node|nodejs|deno|bun|tsx|ts-node|python[\d.]*)$/;
/** Programs that look for what to do in the current folder. */
const RUNNER =
  /^(npx|npm|pnpm|pnpx|yarn|bunx|make|gmake|just|task|rake|bundle|composer|cargo|uv|uvx|poetry|pipenv|pdm|hatch|tox|nox|gradle|gradlew|mvn|ant|dotnet|sbt|mix|direnv|mise|asdf)$/;
/** The top of the work tree, asked for in shell. */
const TREE_BY_NAME = /\$\{?(PWD|OLDPWD|GIT_\w+)\b|rev-parse|--show-toplevel/;

/**
 * Does a command of git's settings run what lies in a work tree? Paths there, relative paths, the file that an
 * interpreter is given, programs that look into the current folder. Where it cannot be told, it does: git without the
 * command is the smaller harm. Names without a folder are looked for on PATH, which never leads there.
 */
export function leadsIntoTree(value: string, ground: Ground): boolean {
  const { root, inTree, isThere } = ground;
  if (value.includes(`${root}/`) || TREE_BY_NAME.test(value)) return true;
  const words = value
    .replace(/^!/, '')
    .replace(/["'\\]/g, '')
    .split(/[\s;|&()<>=,`]+/)
    .filter((word) => word !== '')
    .map((word) => inHome(word, ground));
  return words.some((word, at) => {
    const name = basename(word);
    if (RUNNER.test(name)) return true;
    if (name === 'cd' && !words[at + 1]?.startsWith('/')) return true;
    if ((SHELL.test(name) || INTERPRETER.test(name)) && runsFileOfTree(name, words.slice(at + 1), ground)) return true;
    if (/^\.{0,2}\//.test(word)) return inTree(resolve(root, word));
    if (word.includes('/') && at === 0) return inTree(resolve(root, word));
    return /[./]/.test(word) && resolve(root, word) !== root && isThere(resolve(root, word));
  });
}

function runsFileOfTree(interpreter: string, args: readonly string[], { root, inTree }: Ground): boolean {
  const first = args[0] ?? '';
  // Code on the command line, or a module.
  const isCode = SHELL.test(interpreter) ? /^-\w*c/ : /^-\w*[cemE]|^--(eval|print|import|require)/;
  if (isCode.test(first)) return LOADS_FROM_HERE.test(interpreter);
  const file = args.find((arg) => !arg.startsWith('-'));
  return file !== undefined && !file.startsWith('%') && inTree(resolve(root, file));
}

function inHome(word: string, { home }: Ground): string {
  return word.replace(/^(~|\$HOME|\$\{HOME\})(?=\/)/, () => home);
}
