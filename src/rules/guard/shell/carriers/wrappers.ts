import type { Word } from '../../api.ts';
import { optionValue, takesNextWord } from '../../flags.ts';
import { programName } from '../program-name.ts';
import { entryOf } from '../table.ts';
import { wordOf } from '../text.ts';

/** A program that runs the rest of its line as a command. */
interface Wrapper {
  /** Options whose value is the next word; written as in flags.ts. */
  readonly values?: string;
  /** How many words stand between the options and the command: `timeout 5`, `chroot /mnt`. */
  readonly operands?: number;
  /** `A=b` before the command sets variables. */
  readonly assignments?: boolean;
  /** The option that names the folder to run in. */
  readonly folder?: string;
  /** With one of these options nothing is run: `command -v`. */
  readonly unless?: RegExp;
  /** The command follows this word: `kubectl exec pod -- ls`, `poetry run pytest`. */
  readonly behind?: readonly string[];
}

const PLAIN: Wrapper = {};

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    values: 'u g h p C c D R T U r t user group host prompt chdir chroot close-from command-timeout role type',
    folder: 'D chdir',
    assignments: true,
    unless: /^(-[A-Za-z]*[lveKk]|--(list|validate|edit|remove-timestamp|reset-timestamp|version|help))$/,
  },
  doas: { values: 'u C a', assignments: true },
  pkexec: { values: 'user' },
  run0: { values: 'u g D user group chdir unit property description slice', folder: 'D chdir' },
  env: { values: 'u C S unset chdir split-string', assignments: true, folder: 'C chdir' },
  'cross-env': { assignments: true },
  timeout: { values: 'k s kill-after signal', operands: 1 },
  gtimeout: { values: 'k s kill-after signal', operands: 1 },
  nice: { values: 'n adjustment' },
  ionice: { values: 'c n p P u class classdata' },
  chrt: { values: 'T P D', operands: 1 },
  taskset: { operands: 1 },
  numactl: { values: 'N m i C p' },
  cpulimit: { values: 'l p e limit' },
  prlimit: { values: 'p pid' },
  choom: { values: 'n p' },
  nohup: PLAIN,
  setsid: PLAIN,
  stdbuf: { values: 'i o e input output error' },
  unbuffer: PLAIN,
  rlwrap: { values: 'a b c C D f g h H l p P s S t z' },
  time: { values: 'f o format output' },
  gtime: { values: 'f o format output' },
  command: { unless: /^-[pvV]*[vV]/ },
  builtin: PLAIN,
  exec: { values: 'a' },
  noglob: PLAIN,
  nocorrect: PLAIN,
  chroot: { values: 'userspec groups', operands: 1 },
  unshare: { values: 'S G R w setuid setgid root wd propagation map-user map-group', folder: 'w wd' },
  nsenter: { values: 't S G target setuid setgid' },
  setpriv: { values: 'reuid regid groups inh-caps ambient-caps bounding-set' },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  runuser: { values: 'u g G s user group supp-group shell' },
  'systemd-run': {
    values: 'u p E M H unit property setenv machine host slice description working-directory on-calendar on-active',
    folder: 'working-directory',
  },
  'systemd-inhibit': { values: 'what who why mode' },
  bwrap: { values: 'bind ro-bind dev-bind chdir setenv unsetenv' },
  firejail: PLAIN,
  fakeroot: PLAIN,
  fakechroot: PLAIN,
  proot: { values: 'r b w' },
  setarch: { operands: 1 },
  linux32: PLAIN,
  linux64: PLAIN,
  arch: PLAIN,
  caffeinate: { values: 't w' },
  strace: { values: 'e o p s u E P a I O S trace output' },
  ltrace: { values: 'e o p s u n a l S' },
  valgrind: PLAIN,
  perf: { values: 'e o', behind: ['stat', 'record', 'trace'] },
  catchsegv: PLAIN,
  tini: { values: 'p e' },
  'dumb-init': PLAIN,
  'xvfb-run': { values: 'e f n p s' },
  'dbus-run-session': PLAIN,
  'ssh-agent': { values: 'a t E P' },
  flock: { values: 'w E c timeout conflict-exit-code command', operands: 1 },
  lockf: { values: 't', operands: 1 },
  setlock: { operands: 1 },
  softlimit: { values: 'm d s l a o f c r t' },
  envdir: { operands: 1 },
  busybox: { unless: /^--(list|install|help)/ },
  toybox: PLAIN,
  entr: PLAIN,
  dotenv: { values: 'e v c p' },
  'env-cmd': { values: 'f e r' },
  npx: { values: 'p c package call' },
  bunx: { values: 'p package' },
  pnpx: PLAIN,
  shx: PLAIN,
  uvx: { values: 'p from with python' },
  pipx: { values: 'spec python', behind: ['run'] },
  'start-stop-daemon': { behind: ['--'] },
  'aws-vault': { values: 'd', behind: ['--'] },
  doppler: { behind: ['--'] },
  chamber: { behind: ['--'] },
  op: { behind: ['--'] },
  npm: { values: 'p w package workspace', behind: ['exec', 'x'] },
  pnpm: { values: 'C F filter dir package', folder: 'C dir', behind: ['exec', 'dlx'] },
  yarn: { values: 'cwd p package', folder: 'cwd', behind: ['exec', 'dlx'] },
  bun: { behind: ['x'] },
  corepack: PLAIN,
  volta: { values: 'node npm yarn', behind: ['run'] },
  fnm: { values: 'using', behind: ['exec'] },
  nvm: { behind: ['exec'], operands: 1 },
  mise: { behind: ['--'] },
  asdf: { behind: ['exec'] },
  direnv: { behind: ['exec'], operands: 1 },
  rbenv: { behind: ['exec'] },
  pyenv: { behind: ['exec'] },
  bundle: { behind: ['exec'] },
  poetry: { behind: ['run'] },
  pipenv: { behind: ['run'] },
  pdm: { behind: ['run'] },
  hatch: { behind: ['run'] },
  rye: { behind: ['run'] },
  uv: { values: 'with python p extra group', behind: ['run'] },
  conda: { values: 'n p name prefix', behind: ['run'] },
  mamba: { values: 'n p name prefix', behind: ['run'] },
  sshpass: { values: 'p f d P' },
  proxychains: { values: 'f' },
  proxychains4: { values: 'f' },
  torsocks: PLAIN,
  torify: PLAIN,
  tsocks: PLAIN,
  'gnome-terminal': { behind: ['--'] },
  screen: { values: 'S c e h p s t T', unless: /^-X$/ },
};

/** What stands behind a wrapper. */
export interface Unwrapped {
  readonly words: readonly Word[];
  readonly assignments: readonly Word[];
  /** The folder that the wrapper goes to first; null when it stays. */
  readonly folder: Word | null;
}

/** The command that a wrapper runs; null when the first word is no wrapper or runs nothing. */
export function unwrap(words: readonly Word[]): Unwrapped | null {
  const wrapper = entryOf(WRAPPERS, programName(words[0]?.text ?? ''));
  if (wrapper === undefined) return null;
  const start = wrapper.behind === undefined ? 1 : behind(words, wrapper);
  if (start === null) return null;
  const values = wrapper.values?.split(' ') ?? [];
  let at = start;
  const assignments: Word[] = [];
  for (; at < words.length; at += 1) {
    const text = words[at]?.text ?? '';
    if (wrapper.unless?.test(text)) return null;
    if (text === '--') {
      at += 1;
      break;
    }
    const word = words[at];
    if (text.startsWith('-') && text.length > 0) {
      if (values.some((name) => takesNextWord(text, name))) at += 1;
    } else if (wrapper.assignments === true && word !== undefined && /^[A-Za-z_]\w*=/.test(text))
      assignments.push(word);
    else break;
  }
  const rest = words.slice(at + (wrapper.operands ?? 0));
  if (rest.length === 0) return null;
  const options = { args: words.slice(1, at) };
  const folder = wrapper.folder === undefined ? null : optionValue(options, ...wrapper.folder.split(' '));
  return { words: withoutVersion(rest), assignments, folder };
}

/** The position behind the subcommand (the first word that is no option), or behind the `--`, that starts the command. */
function behind(words: readonly Word[], wrapper: Wrapper): number | null {
  const values = wrapper.values?.split(' ') ?? [];
  for (let at = 1; at < words.length; at += 1) {
    const text = words[at]?.text ?? '';
    if (wrapper.behind?.includes(text)) return at + 1;
    if (text.startsWith('-') && values.some((name) => takesNextWord(text, name))) at += 1;
    else if (!text.startsWith('-') && !wrapper.behind?.includes('--')) return null;
  }
  return null;
}

/** `npx rimraf@5 dist` runs `rimraf`. */
function withoutVersion(words: readonly Word[]): readonly Word[] {
  const [first, ...rest] = words;
  if (first === undefined) return words;
  return [{ ...wordOf(first.text.replace(/(?<=.)@[\w.^~*-]*$/, '')), glob: first.glob }, ...rest];
}
