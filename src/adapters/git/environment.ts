import { basename, dirname, resolve } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/** Variables of the user's git setup that do not select a repository: only these are passed on. */
const KEPT =
  /^GIT_(AUTHOR_NAME|AUTHOR_EMAIL|COMMITTER_NAME|COMMITTER_EMAIL|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|CONFIG_(COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH|SSH|SSH_COMMAND|ASKPASS|SSL_\w+)$/;

/** Our environment without variables that would point git at another repository, index, date or editor. */
export function neutralEnv(env: Env): Env {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name));
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: ':', GIT_PAGER: 'cat' };
}

/**
 * The environment of every git command that ralph runs. The agent may have written to the work tree and to the git dir,
 * so nothing it could plant there may run: no hooks, no fsmonitor, no replaced objects. Filters do run where a commit
 * is built, from the configuration that `restoreTrust` put back, unless they lead into the work tree (`drivers.ts`).
 */
export function hostEnv(
  env: Env,
  place: {
    readonly gitDir: string;
    readonly root: string;
    readonly excludesFile: string | null;
    /** Settings that replace those that lead into the work tree. */
    readonly instead?: Drivers['instead'];
  },
): Env {
  const settings: (readonly [string, string])[] = [
    ...(place.instead ?? []),
    ['core.fsmonitor', 'false'],
    ['core.hooksPath', '/dev/null'],
    // Refusing irreversible line endings is for people at a prompt, not for an unattended commit.
    ['core.safecrlf', 'false'],
    ['i18n.commitEncoding', 'UTF-8'],
    ['gc.auto', '0'],
    // The shadow git dir does not see the user's global configuration; files ignored there must stay ignored.
    ...(place.excludesFile === null ? [] : [['core.excludesFile', place.excludesFile] as [string, string]]),
  ];
  return {
    ...withSettings(neutralEnv(env), settings),
    GIT_DIR: place.gitDir,
    GIT_WORK_TREE: place.root,
    GIT_NO_REPLACE_OBJECTS: '1',
    // Reading must not rewrite the user's index.
    GIT_OPTIONAL_LOCKS: '0',
    // Messages are parsed, so they must be in one language.
    LC_ALL: 'C',
  };
}

/** Settings that override every configuration file, added after those of the user's own environment. */
export function withSettings(env: Env, settings: readonly (readonly [string, string])[]): Env {
  const own = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${own + at}`, key],
    [`GIT_CONFIG_VALUE_${own + at}`, value],
  ]);
  return { ...env, ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(own + settings.length) };
}

/** One setting as `git config --list --show-origin` prints it. */
export interface Configured {
  /** `file:.git/config`, `command line:` … */
  readonly origin: string;
  /** Section and variable in lower case. */
  readonly key: string;
  readonly value: string;
}

/** The facts that decide whether a path is in a work tree. */
interface Ground {
  /** Root of the work tree; relative paths in settings are relative to it. */
  readonly root: string;
  readonly home: string;
  /** Git dirs: their content is restored after every agent. */
  readonly gitDirs: readonly string[];
  /** Whether this absolute path is in a work tree of the repository, links resolved. */
  inTree(path: string): boolean;
  /** Whether the path exists. */
  isThere(path: string): boolean;
}

/** Programs in the user's settings that the host's git must not run, because an agent decides what they do. */
export interface Drivers {
  /** Settings that replace them, in order. */
  readonly instead: readonly (readonly [key: string, value: string])[];
  /** Keys of the settings that are not used. */
  readonly left: readonly string[];
  /** Files of the work tree that settings are included from; they are restored after every agent. */
  readonly included: readonly string[];
}

/**
 * Settings that name a program that our git commands may start, and their replacements. Hooks, fsmonitor, editors and
 * pagers are off for all of them, and none shows a difference or merges by a driver (`hostEnv`, `--no-ext-diff`).
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
    // Git uses the first value of these: no override works. Here they run for a remote that is a folder.
    [/^remote\..*\.(uploadpack|receivepack)$/s, () => [['protocol.file.allow', 'never']]],
    [/^remote\..*\.(push)?url$/s, () => [['protocol.ext.allow', 'never']]],
  ];

const HELPER = /^credential\.(.*\.)?helper$/s;
const INCLUDE = /^include(if\..*)?\.path$/s;

/** The programs in the user's settings that lead into a work tree, and their replacements. Pure except for `ground`. */
export function neutraliseDrivers(settings: readonly Configured[], ground: Ground): Drivers {
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
  // An empty helper clears all those before it.
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

/** In a work tree, and not in a git dir, whose content is restored. */
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
/** Programs other than shells that run the code of the file in their first argument. */
const INTERPRETER = /^(node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|perl|ruby|php|lua[\d.]*|tclsh|Rscript|osascript)$/;
/** Those of them that, with code on the command line, also load modules from the current folder. */
const LOADS_FROM_HERE = /^(node|nodejs|deno|bun|tsx|ts-node|python[\d.]*)$/;
/** Programs that look in the current folder for what to do. */
const RUNNER =
  /^(npx|npm|pnpm|pnpx|yarn|bunx|make|gmake|just|task|rake|bundle|composer|cargo|uv|uvx|poetry|pipenv|pdm|hatch|tox|nox|gradle|gradlew|mvn|ant|dotnet|sbt|mix|direnv|mise|asdf)$/;
/** Ways in which a shell command refers to the top of the work tree. */
const TREE_BY_NAME = /\$\{?(PWD|OLDPWD|GIT_\w+)\b|rev-parse|--show-toplevel/;

/**
 * Whether a command in git's settings runs anything in a work tree: paths there, relative paths, the file that an
 * interpreter is given, programs that look in the current folder. When that cannot be determined, the answer is yes:
 * git without the command does less harm. Names without a folder are looked up on PATH, which never leads there.
 */
function leadsIntoTree(value: string, ground: Ground): boolean {
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
