/** What is left without a wrapper: the words it runs, or a text that it gives to a shell. */
export type Unwrapped =
  /** `task`: the first word may be the name of a project task. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly task?: true; readonly repeats?: Repeats }
  | { readonly kind: 'script'; readonly script: string };

/** The wrapper runs the command many times; its own status covers all of them, or none. */
type Repeats = 'summed' | 'masked';

interface Wrapper {
  /** Options that take a value in the next word. */
  readonly values?: readonly string[];
  /** Words between the options and the command: `timeout 60 cmd`. */
  readonly skip?: number;
  /** It is a wrapper only if one of these words comes first: `poetry run`. */
  readonly verbs?: readonly string[];
  /** The option whose value is a text for a shell: `-c`. */
  readonly script?: readonly string[];
  /** With one of these options it only prints what it would run: `command -v`. */
  readonly names?: RegExp;
  /** It runs a command only after this word: `kubectl exec pod -- cmd`. */
  readonly after?: string;
  /** Its command ends at this word: `parallel cmd ::: values`. */
  readonly until?: RegExp;
  readonly repeats?: Repeats;
  /** The word it runs may also be the name of a project task. */
  readonly tasks?: true;
}

const SHELL: Wrapper = { script: ['-c'], values: ['-o', '-O', '--rcfile', '--init-file'] };

/** Programs that run another one and return its status. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { values: ['-u', '-g', '-h', '-p', '-C', '-D'], names: /^(?:-l|--list)$/ },
  doas: { values: ['-u'] },
  env: { values: ['-u', '-C', '-S', '--unset', '--chdir'] },
  time: { values: ['-f', '-o'] },
  timeout: { values: ['-k', '-s', '--signal', '--kill-after'], skip: 1 },
  gtimeout: { values: ['-k', '-s', '--signal', '--kill-after'], skip: 1 },
  nice: { values: ['-n'] },
  ionice: { values: ['-c', '-n'] },
  nohup: {},
  setsid: {},
  stdbuf: { values: ['-i', '-o', '-e'] },
  unbuffer: {},
  chronic: {},
  command: { names: /^-p?[vV]$/ },
  exec: {},
  builtin: {},
  caffeinate: {},
  rlwrap: {},
  faketime: { skip: 1 },
  flock: { values: ['-w', '-E'], skip: 1, script: ['-c'] },
  xargs: { values: ['-n', '-P', '-I', '-L', '-d', '-s', '-a', '-E'], repeats: 'summed' },
  parallel: {
    values: ['-j', '--jobs', '-a', '--arg-file', '--joblog', '--timeout', '--retries', '-n', '-N', '-I', '--tagstring'],
    until: /^:{3,4}\+?$/,
    repeats: 'summed',
  },
  find: { after: '-exec', until: /^[;+]$/, repeats: 'masked' },
  'xvfb-run': { values: ['-s', '-n', '-e', '-f', '--server-args', '--server-num'] },
  'dbus-run-session': { after: '--' },
  arch: {},
  strace: { values: ['-e', '-o', '-s'] },
  valgrind: {},
  watchexec: { after: '--' },
  dotenv: { after: '--' },
  'env-cmd': { values: ['-f'] },
  'cross-env': {},
  'cross-env-shell': {},
  'dotenv-cli': { after: '--' },
  c8: { values: ['-r', '--reporter', '-o', '-n', '-x', '--include', '--exclude', '--lines', '--branches'] },
  nyc: { values: ['-r', '--reporter', '-x', '-n', '--temp-dir'] },
  npx: { values: ['-p', '--package', '-w', '--workspace'], script: ['-c', '--call'] },
  pnpx: {},
  bunx: {},
  npm: { verbs: ['exec', 'x'], values: ['-p', '--package', '-w', '--workspace', '--prefix'], script: ['-c', '--call'] },
  pnpm: { verbs: ['exec', 'dlx'], values: ['-C', '--dir', '--filter', '-F'] },
  yarn: { verbs: ['exec', 'dlx'], values: ['--cwd', '-p'] },
  corepack: {},
  volta: { verbs: ['run'], values: ['--node', '--npm', '--yarn'] },
  fnm: { verbs: ['exec'], values: ['--using'] },
  nvm: { verbs: ['exec', 'run'], skip: 1 },
  mise: { verbs: ['exec', 'x'], after: '--' },
  asdf: { verbs: ['exec'] },
  direnv: { verbs: ['exec'], skip: 1 },
  poetry: { verbs: ['run'], tasks: true },
  pipenv: { verbs: ['run'], tasks: true },
  pdm: { verbs: ['run'], tasks: true },
  rye: { verbs: ['run'], tasks: true },
  hatch: { verbs: ['run'], tasks: true },
  uv: {
    verbs: ['run'],
    values: ['--with', '-p', '--python', '--extra', '--group', '--package', '--directory', '--project'],
  },
  uvx: { values: ['--with', '--from', '-p', '--python'] },
  pipx: { verbs: ['run'], values: ['--spec'] },
  conda: { verbs: ['run'], values: ['-n', '-p', '--name', '--prefix'] },
  bundle: { verbs: ['exec'] },
  rbenv: { verbs: ['exec'] },
  composer: { verbs: ['exec'] },
  luarocks: { verbs: ['exec'] },
  opam: { verbs: ['exec'], after: '--' },
  'nix-shell': { script: ['--run', '--command'], values: ['-p', '-I', '-A'] },
  nix: { verbs: ['develop', 'shell'], after: '-c' },
  guix: { verbs: ['shell', 'environment'], after: '--' },
  script: { script: ['-c', '-qec', '-qc', '-ec', '-eqc', '-qefc', '-qfc', '-efc'] },
  kubectl: { verbs: ['exec'], after: '--' },
  oc: { verbs: ['exec'], after: '--' },
  su: { script: ['-c'] },
  sh: SHELL,
  bash: SHELL,
  zsh: SHELL,
  dash: SHELL,
  ash: SHELL,
  ksh: SHELL,
  fish: SHELL,
  kcov: { skip: 1 },
};

/** Containers and remote shells: the command starts somewhere among the words. */
const CARRIERS = new Set([
  'docker',
  'podman',
  'docker-compose',
  'podman-compose',
  'ssh',
  'vagrant',
  'nerdctl',
  'lxc',
  'devcontainer',
]);
const CARRYING = /^(?:run|exec|compose|ssh|up)$/;

/** One layer less; null when the first word is not a wrapper, or runs nothing here. */
export function unwrap(words: readonly string[]): Unwrapped | null {
  const name = nameOf(words[0]);
  const wrapper = ownValue(WRAPPERS, name);
  if (wrapper === undefined) return null;
  let rest = words.slice(1);
  if (wrapper.names?.test(rest[0] ?? '')) return null;
  if (wrapper.verbs !== undefined) {
    const verb = rest.findIndex(
      (word, index) => !word.startsWith('-') && !wrapper.values?.includes(rest[index - 1] ?? ''),
    );
    if (verb < 0 || !wrapper.verbs.includes(rest[verb] ?? '')) return null;
    rest = rest.slice(verb + 1);
  }
  const script = scriptOf(rest, wrapper);
  if (script !== undefined) return { kind: 'script', script };
  // A shell without a text runs a file: the caller judges that.
  if (wrapper.script !== undefined && wrapper.values === SHELL.values) return null;
  if (wrapper.after !== undefined) {
    const at = rest.indexOf(wrapper.after);
    if (at < 0) return null;
    rest = rest.slice(at + 1);
  } else {
    rest = afterOptions(rest, wrapper).slice(wrapper.skip ?? 0);
  }
  const end = wrapper.until === undefined ? -1 : rest.findIndex((word) => wrapper.until?.test(word));
  if (end >= 0) rest = rest.slice(0, end);
  if (rest.length === 0) return null;
  const repeats = wrapper.repeats && { repeats: wrapper.repeats };
  return { kind: 'words', words: rest, ...(wrapper.tasks && { task: true }), ...repeats };
}

/** The words that a container or a remote shell might run, from every possible start. */
export function carried(words: readonly string[]): readonly Unwrapped[] {
  if (!CARRIERS.has(nameOf(words[0])) || !words.some((word) => CARRYING.test(word)))
    return words[0] === 'ssh' ? tails(words) : [];
  return tails(words);
}

function tails(words: readonly string[]): readonly Unwrapped[] {
  return words.slice(2, 40).flatMap((word, index): readonly Unwrapped[] => {
    if (word.startsWith('-')) return [];
    return word.includes(' ') ? [{ kind: 'script', script: word }] : [{ kind: 'words', words: words.slice(index + 2) }];
  });
}

/** The last part of a path: `jest` of `./node_modules/.bin/jest`, without a version `@29`. */
export function nameOf(word: string | undefined): string {
  const name = (word ?? '').replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd|bat)$/i, '');
  return name.length > 1 ? name.replace(/(?<=.)@[\w.^~-]*$/, '') : name;
}

function scriptOf(rest: readonly string[], { script = [], values = [] }: Wrapper): string | undefined {
  for (const [index, word] of rest.entries()) {
    if (script.includes(word)) return rest[index + 1];
    // `bash -lc`, `bash -euxc`
    if (script.includes('-c') && /^-[a-z]{1,6}c$/.test(word)) return rest[index + 1];
    if (!word.startsWith('-') && !values.includes(rest[index - 1] ?? '')) return undefined;
  }
  return undefined;
}

function afterOptions(rest: readonly string[], { values = [] }: Wrapper): readonly string[] {
  let index = 0;
  while (index < rest.length) {
    const word = rest[index] ?? '';
    if (word === '--') return rest.slice(index + 1);
    if (values.includes(word)) index += 2;
    else if (word.startsWith('-') || /^[A-Za-z_]\w*=/.test(word)) index += 1;
    else break;
  }
  return rest.slice(index);
}

/** The value of a key that the table itself has: `constructor` is a word that people may type too. */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
