import type { SimpleCommand, Text, Word } from '../../api.ts';
import { behindOptions, hasFlag, optionValue, optionValues } from '../../options.ts';
import { pathOf } from '../../paths.ts';
import { namesIn, table } from '../../tables.ts';
import { joined, programName } from '../../words.ts';
import { type Carrier, type Nested, nestedArgv, nestedShell, nestedShellIf } from '../frame.ts';

/** How a program takes its options, and what its words make it run. Options are written as in options.ts. */
interface Wrapper {
  /** Options whose value is the next word. */
  readonly values?: string;
  /** Number of words between the options and the command: `timeout 5`, `chroot /mnt`. */
  readonly operands?: number;
  /** The command follows one of these words: `poetry run pytest`, `doppler -- ls`. */
  readonly behind?: string;
  /** `A=b` before the command sets variables. */
  readonly assignments?: true;
  /** The options that name the folder it runs in. */
  readonly folder?: string;
  /** With one of these options it runs nothing: `command -v`. */
  readonly unless?: RegExp;
  /** Options whose value is shell text, or a program to start. */
  readonly code?: string;
  /**
   * What follows the options: a program with its arguments (`command`, the default), one shell text, a shell text in
   * each word, or words that are not a command or that another carrier reads.
   */
  readonly words?: 'command' | 'text' | 'texts' | 'own';
}

const RUN_VALUES =
  'a attach add-host annotation blkio-weight cap-add cap-drop cgroup-parent cidfile c cpus cpuset-cpus cpu-shares device dns e env env-file expose gpus group-add h hostname health-cmd ip ipc isolation l label log-driver log-opt m memory mac-address mount name network net network-alias pid pids-limit platform p publish pull restart runtime security-opt shm-size stop-signal sysctl tmpfs ulimit u user userns v volume volumes-from w workdir entrypoint index f file profile project-directory project-name H context';

const WRAPPERS = table<Wrapper>([
  [
    'sudo',
    {
      values: 'u g h p C c D R T U r t user group host prompt chdir chroot close-from command-timeout role type',
      folder: 'D chdir',
      assignments: true,
      unless: /^(-[A-Za-z]*[lveKk]|--(list|validate|edit|remove-timestamp|reset-timestamp|version|help))$/,
    },
  ],
  ['doas', { values: 'u C a', assignments: true }],
  ['pkexec', { values: 'user' }],
  ['run0', { values: 'u g D user group chdir unit property description slice', folder: 'D chdir' }],
  ['env', { values: 'u C S unset chdir split-string', assignments: true, folder: 'C chdir', code: 'S split-string' }],
  ['cross-env', { assignments: true }],
  ['timeout gtimeout', { values: 'k s kill-after signal', operands: 1 }],
  ['nice', { values: 'n adjustment' }],
  ['ionice', { values: 'c n p P u class classdata' }],
  ['chrt', { values: 'T P D', operands: 1 }],
  ['numactl', { values: 'N m i C p' }],
  ['cpulimit', { values: 'l p e limit' }],
  ['prlimit', { values: 'p pid' }],
  ['choom', { values: 'n p' }],
  ['nohup setsid unbuffer builtin noglob nocorrect firejail fakeroot fakechroot linux32 linux64 arch valgrind', {}],
  ['catchsegv dumb-init dbus-run-session toybox entr pnpx shx corepack torsocks torify tsocks', {}],
  ['taskset gosu su-exec setarch setlock envdir', { operands: 1 }],
  ['stdbuf', { values: 'i o e input output error' }],
  ['rlwrap', { values: 'a b c C D f g h H l p P s S t z' }],
  ['time gtime', { values: 'f o format output' }],
  ['command', { unless: /^-[pvV]*[vV]/ }],
  ['exec', { values: 'a' }],
  ['chroot', { values: 'userspec groups', operands: 1 }],
  ['unshare', { values: 'S G R w setuid setgid root wd propagation map-user map-group', folder: 'w wd' }],
  ['nsenter', { values: 't S G target setuid setgid' }],
  ['setpriv', { values: 'reuid regid groups inh-caps ambient-caps bounding-set' }],
  ['runuser', { values: 'u g G s user group supp-group shell', code: 'c command session-command' }],
  ['su', { code: 'c command session-command', words: 'own' }],
  [
    'systemd-run',
    {
      values: 'u p E M H unit property setenv machine host slice description working-directory on-calendar on-active',
      folder: 'working-directory',
    },
  ],
  ['systemd-inhibit', { values: 'what who why mode' }],
  ['bwrap', { values: 'bind ro-bind dev-bind chdir setenv unsetenv' }],
  ['proot', { values: 'r b w' }],
  ['caffeinate', { values: 't w' }],
  ['strace', { values: 'e o p s u E P a I O S trace output' }],
  ['ltrace', { values: 'e o p s u n a l S' }],
  ['perf', { values: 'e o', behind: 'stat record trace' }],
  ['tini', { values: 'p e' }],
  ['xvfb-run', { values: 'e f n p s' }],
  ['ssh-agent', { values: 'a t E P' }],
  ['flock', { values: 'w E c timeout conflict-exit-code command', operands: 1, code: 'c command' }],
  ['lockf', { values: 't', operands: 1 }],
  ['softlimit', { values: 'm d s l a o f c r t' }],
  ['busybox', { unless: /^--(list|install|help)/ }],
  ['dotenv', { values: 'e v c p' }],
  ['env-cmd', { values: 'f e r' }],
  ['npx', { values: 'p c package call', code: 'c call' }],
  ['bunx', { values: 'p package' }],
  ['uvx', { values: 'p from with python' }],
  ['pipx', { values: 'spec python', behind: 'run' }],
  ['start-stop-daemon aws-vault doppler chamber op mise gnome-terminal', { behind: '--' }],
  ['npm', { values: 'p w package workspace', behind: 'exec x', code: 'c call' }],
  ['pnpm', { values: 'C F filter dir package', folder: 'C dir', behind: 'exec dlx' }],
  ['yarn', { values: 'cwd p package', folder: 'cwd', behind: 'exec dlx' }],
  ['bun', { behind: 'x' }],
  ['volta', { values: 'node npm yarn', behind: 'run' }],
  ['fnm', { values: 'using', behind: 'exec' }],
  ['nvm direnv', { behind: 'exec', operands: 1 }],
  ['asdf rbenv pyenv bundle', { behind: 'exec' }],
  ['poetry pipenv pdm hatch rye', { behind: 'run' }],
  ['uv', { values: 'with python p extra group', behind: 'run' }],
  ['conda mamba', { values: 'n p name prefix', behind: 'run' }],
  ['sshpass', { values: 'p f d P' }],
  ['proxychains proxychains4', { values: 'f' }],
  ['screen', { values: 'S c e h p s t T', unless: /^-X$/ }],
  ['sg', { operands: 1, code: 'c', words: 'text' }],
  ['watch', { values: 'n interval', words: 'text' }],
  ['viddy', { values: 'n', words: 'text' }],
  ['hyperfine', { values: 'w warmup r runs m M p prepare n L P export-json export-markdown', words: 'texts' }],
  ['concurrently', { values: 'n names c prefix-colors p prefix', words: 'texts' }],
  ['watchexec', { values: 'w e i f', words: 'texts' }],
  ['newgrp capsh', { code: 'c', words: 'own' }],
  ['script vagrant chokidar', { code: 'c command', words: 'own' }],
  ['nix-shell', { code: 'run command', words: 'own' }],
  ['nodemon', { code: 'exec x', words: 'own' }],
  ['tar', { code: 'to-command use-compress-program I rsh-command info-script F', words: 'own' }],
  ['bsdtar', { code: 'use-compress-program', words: 'own' }],
  ['rsync', { code: 'e rsh rsync-path', words: 'own' }],
  ['zip', { code: 'TT unzip-command', words: 'own' }],
  ['man', { code: 'P pager', words: 'own' }],
  ['gcloud', { code: 'command', words: 'own' }],
  ['fly flyctl', { code: 'C command', words: 'own' }],
  ['xterm konsole', { code: 'e', words: 'own' }],
  ['mapfile readarray', { code: 'C', words: 'own' }],
  ['sort', { code: 'compress-program', words: 'own' }],
  ['split', { code: 'filter', words: 'own' }],
  ['wget', { code: 'use-askpass', words: 'own' }],
  ['ncat', { code: 'c sh-exec e exec', words: 'own' }],
  ['nc', { code: 'c e', words: 'own' }],
  [
    'xargs gxargs',
    {
      values: 'I n P L s d a E max-args max-procs max-lines max-chars delimiter arg-file eof process-slot-var',
      words: 'own',
    },
  ],
  ['parallel rush', { values: 'j jobs a arg-file I S sshlogin n N results joblog', words: 'own' }],
  ['ssh', { values: 'b c D E e F I i J L l m O o p Q R S W w B P', words: 'own' }],
  ['docker podman nerdctl docker-compose podman-compose', { values: RUN_VALUES, words: 'own' }],
  ['git', { values: 'C c git-dir work-tree namespace exec-path super-prefix config-env attr-source', words: 'own' }],
  [
    'make gmake',
    { values: 'f file makefile C directory I include-dir j jobs l o old-file W what-if eval', words: 'own' },
  ],
  ['tmux', { values: 'L S f s n t c x y e F l p', words: 'own' }],
]);

export function valueOptions(program: string): readonly string[] {
  return namesIn(WRAPPERS.get(program)?.values ?? '');
}

interface Unwrapped {
  readonly own: readonly Word[];
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
}

/** The command that a wrapper runs; null when the first word is not a wrapper or runs nothing. */
export function unwrap([word, ...args]: readonly Word[]): Unwrapped | null {
  const program = programName(word?.text ?? '');
  const wrapper = WRAPPERS.get(program);
  if (wrapper === undefined || (wrapper.words ?? 'command') !== 'command') return null;
  const values = valueOptions(program);
  const assignments: Word[] = [];
  let rest = behindOptions(behindWord(args, wrapper.behind, values), values);
  for (let [next] = rest; next !== undefined; [next] = rest) {
    const assigns = wrapper.assignments === true && /^[A-Za-z_]\w*=/.test(next.text);
    if (!assigns && next.text !== '-') break;
    if (assigns) assignments.push(next);
    rest = behindOptions(rest.slice(1), values);
  }
  const own = args.slice(0, args.length - rest.length);
  const words = rest.slice(wrapper.operands ?? 0);
  if (words.length === 0 || own.some(({ text }) => wrapper.unless?.test(text))) return null;
  return { own, assignments, words: withoutVersion(words) };
}

/** The words after the subcommand (the first word that is no option) or the `--` that starts the command. */
function behindWord(args: readonly Word[], starts: string | undefined, values: readonly string[]): readonly Word[] {
  if (starts === undefined) return args;
  if (starts === '--') return args.slice(args.findIndex(({ text }) => text === '--') + 1 || args.length);
  const [verb, ...rest] = behindOptions(args, values);
  return namesIn(starts).includes(verb?.text ?? '') ? rest : [];
}

/** `npx rimraf@5 dist` runs `rimraf`. */
function withoutVersion([first, ...rest]: readonly Word[]): readonly Word[] {
  if (first === undefined) return rest;
  return [{ ...first, text: first.text.replace(/(?<=.)@[\w.^~*-]*$/, '') }, ...rest];
}

/** What a listed program runs: the rest of its line, and the options that hold shell text. */
export const runWrapped: Carrier = (command, { context }) => {
  const wrapper = WRAPPERS.get(command.name);
  if (wrapper === undefined) return [];
  const { name } = command;
  const inner = unwrap([command.word, ...command.args]);
  const folder = inner === null ? null : optionValue({ args: inner.own }, ...namesIn(wrapper.folder ?? ''));
  const cwd = folder === null ? {} : { cwd: pathOf(folder, command, context) };
  // After the program's name, options of `npx` belong to that program.
  const options = name === 'npx' && inner !== null ? { args: inner.own } : command;
  const [option = ''] = namesIn(wrapper.code ?? '');
  const via = `${name} ${option.length === 1 ? '-' : '--'}${option}`;
  return [
    ...(inner === null ? [] : [nestedArgv(name, [...inner.assignments, ...inner.words], cwd)]),
    ...optionValues(options, ...namesIn(wrapper.code ?? '')).map((word) => nestedShell(via, word)),
    ...textsBehind(command, wrapper).map((text) => nestedShell(name, text)),
  ];
};

function textsBehind(command: SimpleCommand, { words, operands = 0 }: Wrapper): readonly Text[] {
  const rest = words === 'text' || words === 'texts' ? wordsBehind(command).slice(operands) : [];
  return words === 'text' && rest.length > 0 ? [joined(rest)] : rest;
}

export function wordsBehind(command: Pick<SimpleCommand, 'name' | 'args'>): readonly Word[] {
  return behindOptions(command.args, valueOptions(command.name));
}

/** `ssh HOST CMD`, and what its options run on this machine. */
export const runSsh: Carrier = (command, { stdin }) => {
  const [host, ...words] = wordsBehind(command);
  const here = optionValues(command, 'o').flatMap(({ text }) => {
    const code = /^(?:proxycommand|localcommand|knownhostscommand)[= ](.*)$/i.exec(text)?.[1];
    return code === undefined ? [] : [nestedShell('ssh -o', code)];
  });
  if (host === undefined) return here;
  if (words.length > 0) return [...here, nestedShell('ssh', joined(words), { where: 'elsewhere' })];
  return [...here, ...nestedShellIf('ssh', stdin, { where: 'elsewhere', fromInput: true })];
};

/** `docker exec|run [options] CONTAINER CMD`, also with `compose`. */
export const runContainer: Carrier = (command) => {
  const behind = (args: readonly Word[]) => wordsBehind({ ...command, args });
  let [action, ...options] = behind(command.args);
  while (/^(compose|container|pod)$/.test(action?.text ?? '')) [action, ...options] = behind(options);
  if (action?.text !== 'exec' && action?.text !== 'run') return [];
  const rest = behind(options).slice(1);
  const own = { args: options.slice(0, options.length - rest.length) };
  const entry = optionValues(own, 'entrypoint').slice(0, 1);
  const isApart =
    action.text === 'run' && !hasFlag(own, 'v', 'volume', 'mount', 'volumes-from', 'privileged', 'device');
  const via = `${command.name} ${action.text}`;
  const isCompose = command.args.some((word) => word.text === 'compose') || command.name.endsWith('compose');
  const words = [...entry, ...rest];
  return words.length === 0 ? [] : [nestedArgv(via, words, { cwd: null, isApart: isApart && !isCompose })];
};

/** `kubectl exec POD -- CMD`, `lxc exec NAME -- CMD`, `oc rsh`, …: the command follows `--`. */
export const runBehindDashes: Carrier = (command) => {
  const action = command.args.find((word) => /^(exec|run|debug|rsh|ssh|console)$/.test(word.text));
  return action === undefined ? [] : elsewhere(`${command.name} ${action.text}`, behindWord(command.args, '--', []));
};

/** A shell on another machine, its words joined: `adb shell CMD`. */
export const runRemoteShell: Carrier = (command) => {
  const at = command.args.findIndex((word) => word.text === 'shell');
  const words = command.args.slice(at + 1);
  if (at < 0 || words.length === 0) return [];
  return [nestedShell(`${command.name} shell`, joined(words), { where: 'elsewhere' })];
};

function elsewhere(via: string, words: readonly Word[]): readonly Nested[] {
  return words.length === 0 ? [] : [nestedArgv(via, words, { cwd: null })];
}
