import { ownValue } from '../../../contracts/index.ts';
import { words } from '../../text/index.ts';
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

const SHELL: Wrapper = { script: ['-c'], values: words('-o -O --rcfile --init-file') };
const TIMEOUT: Wrapper = { values: words('-k -s --signal --kill-after'), skip: 1 };

/** The same wrapper for several programs. */
function each(names: string, wrapper: Wrapper): Readonly<Record<string, Wrapper>> {
  return Object.fromEntries(words(names).map((name) => [name, wrapper]));
}

/** Programs that run another one and return its status. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  ...each('nohup setsid unbuffer chronic exec builtin caffeinate rlwrap arch valgrind', {}),
  ...each('cross-env cross-env-shell pnpx bunx corepack', {}),
  ...each('sh bash zsh dash ash ksh fish', SHELL),
  ...each('dbus-run-session watchexec dotenv dotenv-cli', { after: '--' }),
  ...each('bundle rbenv composer luarocks asdf', { verbs: ['exec'] }),
  ...each('poetry pipenv pdm rye hatch', { verbs: ['run'], tasks: true }),
  ...each('kubectl oc opam', { verbs: ['exec'], after: '--' }),
  ...each('faketime kcov', { skip: 1 }),
  sudo: { values: words('-u -g -h -p -C -D'), names: /^(?:-l|--list)$/ },
  doas: { values: ['-u'] },
  env: { values: words('-u -C -S --unset --chdir') },
  time: { values: words('-f -o') },
  timeout: TIMEOUT,
  gtimeout: TIMEOUT,
  nice: { values: ['-n'] },
  ionice: { values: words('-c -n') },
  stdbuf: { values: words('-i -o -e') },
  command: { names: /^-p?[vV]$/ },
  flock: { values: words('-w -E'), skip: 1, script: ['-c'] },
  xargs: { values: words('-n -P -I -L -d -s -a -E'), repeats: 'summed' },
  parallel: {
    values: words('-j --jobs -a --arg-file --joblog --timeout --retries -n -N -I --tagstring'),
    until: /^:{3,4}\+?$/,
    repeats: 'summed',
  },
  find: { after: '-exec', until: /^[;+]$/, repeats: 'masked' },
  'xvfb-run': { values: words('-s -n -e -f --server-args --server-num') },
  strace: { values: words('-e -o -s') },
  'env-cmd': { values: ['-f'] },
  c8: { values: words('-r --reporter -o -n -x --include --exclude --lines --branches') },
  nyc: { values: words('-r --reporter -x -n --temp-dir') },
  npx: { values: words('-p --package -w --workspace'), script: words('-c --call') },
  npm: {
    verbs: words('exec x'),
    values: words('-p --package -w --workspace --prefix'),
    script: words('-c --call'),
  },
  pnpm: { verbs: words('exec dlx'), values: words('-C --dir --filter -F') },
  yarn: { verbs: words('exec dlx'), values: words('--cwd -p') },
  volta: { verbs: ['run'], values: words('--node --npm --yarn') },
  fnm: { verbs: ['exec'], values: ['--using'] },
  nvm: { verbs: words('exec run'), skip: 1 },
  mise: { verbs: words('exec x'), after: '--' },
  direnv: { verbs: ['exec'], skip: 1 },
  uv: { verbs: ['run'], values: words('--with -p --python --extra --group --package --directory --project') },
  uvx: { values: words('--with --from -p --python') },
  pipx: { verbs: ['run'], values: ['--spec'] },
  conda: { verbs: ['run'], values: words('-n -p --name --prefix') },
  'nix-shell': { script: words('--run --command'), values: words('-p -I -A') },
  nix: { verbs: words('develop shell'), after: '-c' },
  guix: { verbs: words('shell environment'), after: '--' },
  script: { script: words('-c -qec -qc -ec -eqc -qefc -qfc -efc') },
  su: { script: ['-c'] },
};

/** Containers and remote shells: the command starts somewhere among the words. */
const CARRIERS = new Set(words('docker podman docker-compose podman-compose ssh vagrant nerdctl lxc devcontainer'));
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
  const carries = CARRIERS.has(nameOf(words[0])) && words.some((word) => CARRYING.test(word));
  return carries || words[0] === 'ssh' ? tails(words) : [];
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
