import { namesTests } from './tools.ts';
import { nameOf, ownValue, words } from './unwrap.ts';

/** A name that a project gives to commands: a script of `package.json`, a target of make. */
export interface Named {
  readonly from: 'package' | 'make';
  readonly name: string;
  /** Relative to the folder it is called in; null when unknown (a workspace). */
  readonly folder: string | null;
  /** Arguments added to the script: `npm test -- --ci`. */
  readonly extra: readonly string[];
}

interface Manager {
  /** Verbs that run a script with the same name. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Verbs whose next word is the script. */
  readonly run: readonly string[];
  /** The manager's own verbs: every other word is a script. Absent where scripts need `run`. */
  readonly own?: ReadonlySet<string>;
  readonly values: readonly string[];
  readonly folder: readonly string[];
  /** Options for several packages: the script's package is then unknown. */
  readonly many: RegExp;
}

const OWN = words(
  'install i add remove rm uninstall un update up upgrade outdated audit ci link unlink publish pack init create dlx exec x why list ls ll info view config cache login logout whoami prune dedupe fund pkg query rebuild root bin store env import setup doctor help version set plugin patch node npm constraints explain search stage tag team token owner ping',
);

const MANAGERS: Readonly<Record<string, Manager>> = {
  npm: {
    scripts: {
      ...Object.fromEntries(words('test t tst it cit install-test').map((verb) => [verb, 'test'])),
      ...{ start: 'start', stop: 'stop', restart: 'restart' },
    },
    run: words('run run-script rum urn'),
    values: words('--prefix -w --workspace --loglevel'),
    folder: ['--prefix'],
    many: /^(?:-ws?$|--workspaces?\b)/,
  },
  pnpm: {
    scripts: { test: 'test', t: 'test', tst: 'test', start: 'start' },
    run: words('run run-script'),
    own: new Set(OWN),
    values: words('-C --dir --filter -F --workspace-concurrency'),
    folder: words('-C --dir'),
    many: /^(?:-r$|--recursive$|--filter\b|-F$)/,
  },
  yarn: {
    scripts: { test: 'test', start: 'start' },
    run: ['run'],
    own: new Set([...OWN, 'workspaces', 'workspace']),
    values: ['--cwd'],
    folder: ['--cwd'],
    many: /^workspaces?$/,
  },
  bun: {
    scripts: {},
    run: ['run'],
    own: new Set([...OWN, 'test', 'build', 'pm', 'repl']),
    values: words('--cwd --filter -F'),
    folder: ['--cwd'],
    many: /^(?:--filter\b|-F$)/,
  },
};

/** The script of `package.json` that this calls; null without one. A word of `yarn X` may also be a program. */
export function packageScript(words: readonly string[]): (Named & { readonly orProgram: boolean }) | null {
  const manager = ownValue(MANAGERS, nameOf(words[0]));
  if (manager === undefined) return null;
  const many = words.some((word) => manager.many.test(word));
  const plain = afterWorkspace(plainWords(words.slice(1), manager.values));
  const [verb = '', next = ''] = plain;
  const folder = many ? null : (optionOf(words, manager.folder) ?? '.');
  const found = (name: string, orProgram = false) => ({
    from: 'package' as const,
    name,
    folder,
    extra: extraOf(words, name),
    orProgram,
  });
  if (manager.run.includes(verb)) return next === '' ? null : found(next);
  const own = ownValue(manager.scripts, verb);
  if (own !== undefined) return found(own);
  return manager.own && verb !== '' && !manager.own.has(verb) && !verb.startsWith('.') ? found(verb, true) : null;
}

/** The words after `yarn workspace NAME` or `yarn workspaces foreach`. */
function afterWorkspace(words: readonly string[]): readonly string[] {
  if (words[0] === 'workspace') return words.slice(2);
  if (words[0] === 'workspaces') return words.slice(words[1] === 'foreach' ? 2 : 1);
  return words;
}

/** The targets of a make call; null when this is not make, or when it only prints. */
export function makeTargets(words: readonly string[]): readonly Named[] | null {
  if (!/^(?:g|b|n|mingw32-)?make$|^ninja$/.test(nameOf(words[0]))) return null;
  if (words.some((word) => /^(?:-n|--dry-run|--just-print|--recon|-p|-q|--version|--help|-v|-h)$/.test(word)))
    return null;
  const folder = optionOf(words, ['-C', '--directory']) ?? '.';
  const names = plainWords(words.slice(1), ['-C', '--directory', '-f', '--file', '-j', '-l', '-o', '-W', '-I']).filter(
    (word) => !word.includes('=') && !/^\d+$/.test(word),
  );
  return names.map((name) => ({ from: 'make', name, folder, extra: [] }));
}

/** Whether a name that cannot be resolved runs tests. */
export function isTestName({ from, name }: Named): boolean {
  return from === 'make' ? namesTests(name) : namesTests(name) && !/^checks?$/.test(name);
}

function plainWords(words: readonly string[], values: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  return own.filter((word, index) => !word.startsWith('-') && !values.includes(own[index - 1] ?? ''));
}

function optionOf(words: readonly string[], names: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    if (names.includes(word)) return words[index + 1];
    const name = names.find((each) => word.startsWith(`${each}=`));
    if (name !== undefined) return word.slice(name.length + 1);
  }
  return undefined;
}

function extraOf(words: readonly string[], name: string): readonly string[] {
  const end = words.indexOf('--');
  return end >= 0 ? words.slice(end + 1) : words.slice(words.lastIndexOf(name) + 1);
}
