import type { SimpleCommand, Text, Word } from '../../api.ts';
import { hasFlag, optionValue, optionValues, textsOf, wordsBehind } from '../../options.ts';
import { pathOf } from '../../paths.ts';
import { namesIn, table } from '../../tables.ts';
import { joined, programName, wordOf } from '../../words.ts';
import { type Carrier, type Nested, nestedArgv, nestedShell, nestedShellIf } from '../frame.ts';

/** How a program takes its options, and what its words make it run. Options are written as in options.ts. */
interface Wrapper {
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

const WRAPPERS = table<Wrapper>([
  [
    'pkexec nice ionice numactl cpulimit prlimit choom nohup setsid unbuffer builtin noglob nocorrect firejail k3s minikube',
    {},
  ],
  [
    'chronic eatmydata zeus wsl tsp flatpak-spawn daemonize fakeroot fakechroot linux32 linux64 arch valgrind catchsegv dumb-init dbus-run-session toybox entr pnpx shx',
    {},
  ],
  ['corepack torsocks torify tsocks stdbuf rlwrap time gtime exec nsenter setpriv systemd-inhibit bwrap proot', {}],
  [
    'caffeinate strace ltrace tini xvfb-run ssh-agent softlimit dotenv dotenv-cli env-cmd bunx uvx sshpass proxychains proxychains4',
    {},
  ],
  [
    'sudo',
    {
      folder: 'D chdir',
      assignments: true,
      unless: /^(-[A-Za-z]*[lveKk]|--(list|validate|edit|remove-timestamp|reset-timestamp|version|help))$/,
    },
  ],
  ['run0', { folder: 'D chdir' }],
  ['env', { assignments: true, folder: 'C chdir', code: 'S split-string' }],
  ['doas cross-env', { assignments: true }],
  [
    'timeout gtimeout chrt chroot lockf taskset gosu su-exec setarch setlock envdir faketime datefudge',
    { operands: 1 },
  ],
  ['command', { unless: /^-[pvV]*[vV]/ }],
  ['unshare', { folder: 'w wd' }],
  ['runuser', { code: 'c command session-command' }],
  ['su', { code: 'c command session-command', words: 'own' }],
  ['systemd-run', { folder: 'working-directory' }],
  ['perf', { behind: 'stat record trace' }],
  ['flock', { operands: 1, code: 'c command' }],
  ['busybox', { unless: /^--(list|install|help)/ }],
  ['npx', { code: 'c call' }],
  [
    'start-stop-daemon aws-vault doppler chamber op mise onchange tox gnome-terminal guix distrobox pueue',
    { behind: '--' },
  ],
  ['npm', { behind: 'exec x', code: 'c call' }],
  ['pnpm', { folder: 'C dir', behind: 'exec dlx' }],
  ['yarn', { folder: 'cwd', behind: 'exec dlx' }],
  ['bun', { behind: 'x' }],
  ['heroku', { behind: 'run run:detached' }],
  ['nvm direnv', { behind: 'exec', operands: 1 }],
  ['asdf rbenv pyenv bundle fnm lerna nx rush', { behind: 'exec' }],
  ['poetry pipenv pdm hatch rye uv pipx conda mamba micromamba volta devbox pixi toolbox', { behind: 'run' }],
  ['nix', { behind: 'develop' }],
  ['screen', { unless: /^-X$/ }],
  ['sg', { operands: 1, code: 'c', words: 'text' }],
  ['watch viddy watchexec', { words: 'text' }],
  ['hyperfine concurrently', { words: 'texts' }],
  ['newgrp capsh', { code: 'c', words: 'own' }],
  ['script vagrant chokidar', { code: 'c command', words: 'own' }],
  ['nix-shell', { code: 'run command', words: 'own' }],
  ['cargo', { code: 's shell', words: 'own' }],
  ['nodemon', { code: 'exec x', words: 'own' }],
  ['tar', { code: 'to-command use-compress-program I rsh-command info-script F', words: 'own' }],
  ['bsdtar', { code: 'use-compress-program', words: 'own' }],
  ['rsync', { code: 'e rsh rsync-path', words: 'own' }],
  ['zip', { code: '-TT unzip-command', words: 'own' }],
  ['man', { code: 'P pager', words: 'own' }],
  ['gcloud', { code: 'command', words: 'own' }],
  ['fly flyctl', { code: 'C command', words: 'own' }],
  ['xterm konsole', { code: 'e', words: 'own' }],
  ['mapfile readarray complete', { code: 'C', words: 'own' }],
  ['sort', { code: 'compress-program', words: 'own' }],
  ['split', { code: 'filter', words: 'own' }],
  ['wget', { code: 'use-askpass', words: 'own' }],
  ['ncat', { code: 'c sh-exec e exec', words: 'own' }],
  ['nc', { code: 'c e', words: 'own' }],
]);

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
  const assignments: Word[] = [];
  const behind = (words: readonly Word[]) => wordsBehind({ name: program, args: words });
  let rest = behind(behindWord(program, args, wrapper.behind));
  for (let [next] = rest; next !== undefined; [next] = rest) {
    const assigns = wrapper.assignments === true && /^[A-Za-z_]\w*=/.test(next.text);
    if (!assigns && next.text !== '-') break;
    if (assigns) assignments.push(next);
    rest = behind(rest.slice(1));
  }
  const own = args.slice(0, args.length - rest.length);
  const words = rest.slice(wrapper.operands ?? 0);
  if (words.length === 0 || own.some(({ text }) => wrapper.unless?.test(text))) return null;
  return { own, assignments, words: withoutVersion(words) };
}

/** Subcommands before the one that runs something: `yarn workspaces foreach -A exec`, `yarn workspace api exec`. */
const YARN_WORKSPACES = /^(workspaces foreach|workspace \S+) (-\S+ )*/;

/** The words after the subcommand (the first word that is not an option) or the `--` that starts the command. */
function behindWord(name: string, args: readonly Word[], starts: string | undefined): readonly Word[] {
  if (starts === undefined) return args;
  if (starts === '--') return args.slice(args.findIndex(({ text }) => text === '--') + 1 || args.length);
  const leading =
    name === 'yarn'
      ? YARN_WORKSPACES.exec(textsOf(args.slice(0, 8)).join(' '))?.[0]
          .trim()
          .split(' ')
      : [];
  const words = wordsBehind({ name, args: args.slice(leading?.length ?? 0) });
  const [verb, ...rest] = words;
  if (namesIn(starts).includes(verb?.text ?? '')) return rest;
  if (!/^(npm|yarn|pnpm|bun)$/.test(name)) return [];
  const [program] = verb?.text === 'run' ? rest : name === 'npm' ? [] : words;
  return program !== undefined && BINS.includes(program.text) ? words.slice(words.indexOf(program)) : [];
}

/** Programs of packages, which these managers start by name: `pnpm prisma migrate reset`, `yarn run rimraf dist`. */
const BINS = namesIn(`npm rimraf del-cli shx prisma sequelize sequelize-cli typeorm knex drizzle-kit mikro-orm changeset
  lerna semantic-release release-it wrangler vercel netlify firebase supabase serverless sls sst cdk pulumi gh-pages tsx`);

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
  const words = [...(inner?.assignments ?? []), ...(inner?.words ?? [])];
  // `yarn exec 'git push'`: a single word with blanks is shell text.
  const isText = words.length === 1 && /\s/.test(words[0]?.text ?? '');
  return [
    ...(inner === null ? [] : [isText ? nestedShell(name, joined(words)) : nestedArgv(name, words, cwd)]),
    ...optionValues(options, ...namesIn(wrapper.code ?? '')).map((word) => nestedShell(via, word)),
    ...textsBehind(command, wrapper).map((text) => nestedShell(name, text)),
  ];
};

function textsBehind(command: SimpleCommand, { words, operands = 0 }: Wrapper): readonly Text[] {
  const rest = words === 'text' || words === 'texts' ? wordsBehind(command).slice(operands) : [];
  return words === 'text' && rest.length > 0 ? [joined(rest)] : rest;
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
  if (words.length === 0) return [];
  const apart = { cwd: null, isApart: isApart && !isCompose };
  // `docker run alpine/git push`: an image is often named after the program that it starts.
  const image = behind(options)[0]?.text.replace(/^.*\/|[:@].*$/g, '') ?? '';
  const started = entry.length > 0 || isCompose || action.text === 'exec' ? [] : [wordOf(image), ...rest];
  return [started, words].flatMap((each) => (each.length > 0 ? [nestedArgv(via, each, apart)] : []));
};

/** `kubectl exec POD -- CMD`, `lxc exec NAME -- CMD`, `oc rsh`, …: the command follows `--`. */
export const runBehindDashes: Carrier = (command) => {
  const action = command.args.find((word) => /^(exec|run|debug|rsh|ssh|console)$/.test(word.text));
  return action === undefined
    ? []
    : elsewhere(`${command.name} ${action.text}`, behindWord(command.name, command.args, '--'));
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
