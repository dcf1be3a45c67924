import type { SimpleCommand, Word } from './api.ts';
import { namesIn, table } from './tables.ts';

/*
 * How option names are written here: `r` is a short option (`-r`, also in a cluster as `-rf`), `recursive` a long one
 * (`--recursive`, `--recursive=x`, and the abbreviations that GNU programs accept, `--recurs`), `-delete` a long one
 * with a single dash (`-delete`, `-delete=x`).
 */

export function textsOf(words: readonly Pick<Word, 'text'>[]): readonly string[] {
  return words.map(({ text }) => text);
}

/** Whether an argument, option or not, matches a pattern. */
export function hasWord({ args }: Pick<SimpleCommand, 'args'>, pattern: RegExp): boolean {
  return args.some(({ text }) => pattern.test(text));
}

/** Whether one of these options is given before `--`. See above for their notation. */
export function hasFlag(command: Call, ...names: readonly string[]): boolean {
  const values = command.name?.startsWith('git-') ? valueOptions(command.name) : [];
  return optionWords(command.args).some(({ text }) => {
    const option = withoutValue(text, values);
    return looksLikeOption(text) && names.some((name) => isOption(option, name));
  });
}

/** `-am` of `-amnew`. */
function withoutValue(text: string, values: readonly string[]): string {
  const first = [...clusterOf(text)].findIndex((letter) => values.includes(letter));
  return first < 0 ? text : text.slice(0, first + 2);
}

/** A program with its words; `git-push` with what follows `git push`. */
export interface Call {
  readonly name?: string;
  readonly args: readonly Word[];
}

/**
 * The words that are not options, nor the values of options: subcommands, files, patterns. Everything after `--` is
 * included.
 */
export function operands(command: Call): readonly Word[] {
  const valueFlags = valueOptions(command.name ?? '');
  const found: Word[] = [];
  let rest = false;
  for (let at = 0; at < command.args.length; at += 1) {
    const word = command.args[at];
    if (word === undefined) continue;
    if (rest || !looksLikeOption(word.text)) found.push(word);
    else if (word.text === '--') rest = true;
    else if (takesNext(word.text, valueFlags)) at += 1;
  }
  return found;
}

/** The words after the leading options and their values: a subcommand and what follows. */
export function wordsBehind({ name = '', args: words }: Call): readonly Word[] {
  const valueFlags = valueOptions(name);
  for (let at = 0; at < words.length; at += 1) {
    const text = words[at]?.text ?? '';
    if (text === '--') return words.slice(at + 1);
    if (!looksLikeOption(text)) return words.slice(at);
    if (takesNext(text, valueFlags)) at += 1;
  }
  return [];
}

/** The value of the first of these options: `--name=v`, `--name v`, `-nv`, `-n v`, `-xn v`; null without one. */
export function optionValue(command: Pick<SimpleCommand, 'args'>, ...names: readonly string[]): Word | null {
  return optionValues(command, ...names)[0] ?? null;
}

export function optionValues(command: Pick<SimpleCommand, 'args'>, ...names: readonly string[]): readonly Word[] {
  const words = optionWords(command.args);
  return words.flatMap((word, at) => {
    if (!looksLikeOption(word.text)) return [];
    for (const name of names) {
      const attached = attachedValue(word, name);
      if (attached !== null) return [attached];
      const next = command.args[at + 1];
      if (takesNextWord(word.text, name) && next !== undefined) return [next];
    }
    return [];
  });
}

/** What `grep` looks for. */
export function searchPattern(command: Call): Word | null {
  return optionValue(command, 'e', 'regexp') ?? operands(command)[0] ?? null;
}

function optionWords(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex((word) => word.text === '--');
  return end < 0 ? args : args.slice(0, end);
}

function looksLikeOption(text: string): boolean {
  return text.length > 1 && text.startsWith('-');
}

const SHORTEST_ABBREVIATION = 3;

function isOption(text: string, name: string): boolean {
  if (name.startsWith('-')) return text === name || text.startsWith(`${name}=`);
  if (name.length === 1) return /^-[A-Za-z0-9]/.test(text) && clusterOf(text).includes(name);
  const given = text.split('=', 1)[0] ?? '';
  if (given === `--${name}`) return true;
  return given.length >= SHORTEST_ABBREVIATION + 2 && `--${name}`.startsWith(given);
}

function clusterOf(text: string): string {
  return /^-([A-Za-z0-9]+)/.exec(text)?.[1] ?? '';
}

/** In a cluster the first option with a value has the rest of the word, if there is one: `-DskipTests`, `-Cdir`. */
function takesNext(text: string, names: readonly string[]): boolean {
  if (names.includes(text)) return true;
  if (text.startsWith('--')) return names.some((name) => takesNextWord(text, name));
  const first = [...clusterOf(text)].findIndex((letter) => names.includes(letter));
  return first >= 0 && first === text.length - 2;
}

/** Whether an option in this spelling has its value in the next word. */
function takesNextWord(text: string, name: string): boolean {
  if (name.startsWith('-')) return text === name;
  if (name.length === 1) return /^-[A-Za-z0-9]+$/.test(text) && text.endsWith(name);
  return !text.includes('=') && isOption(text, name);
}

function attachedValue(word: Word, name: string): Word | null {
  const { text } = word;
  const equals = text.indexOf('=');
  if (name.length > 1) return equals > 0 && isOption(text, name) ? { ...word, text: text.slice(equals + 1) } : null;
  if (!text.startsWith(`-${name}`) || text.length === 2) return null;
  return { ...word, text: text.slice(text[2] === '=' ? 3 : 2) };
}

/** Of a container, and of the tool that starts it. */
const CONTAINER =
  'a attach add-host annotation blkio-weight cap-add cap-drop cgroup-parent cidfile c cpus cpuset-cpus cpu-shares device dns e env env-file expose gpus group-add h hostname health-cmd ip ipc isolation l label log-driver log-opt m memory mac-address mount name network net network-alias pid pids-limit platform p publish pull restart runtime security-opt shm-size stop-signal sysctl tmpfs ulimit u user userns v volume volumes-from w workdir entrypoint index f file profile project-directory project-name H context';

/** The options whose value is the next word, as in options.ts; `git-push` for what follows `git push`. */
const VALUES = table([
  ['sudo', 'u g h p C c D R T U r t user group host prompt chdir chroot close-from command-timeout role type'],
  ['doas', 'u C a'],
  ['pkexec', 'user'],
  ['run0', 'u g D user group chdir unit property description slice'],
  ['env', 'u C S unset chdir split-string'],
  ['timeout gtimeout', 'k s kill-after signal'],
  ['nice', 'n adjustment'],
  ['ionice', 'c n p P u class classdata'],
  ['chrt', 'T P D'],
  ['numactl', 'N m i C p'],
  ['cpulimit', 'l p e limit'],
  ['prlimit', 'p pid'],
  ['choom', 'n p'],
  ['stdbuf', 'i o e input output error'],
  ['rlwrap', 'a b c C D f g h H l p P s S t z'],
  ['time gtime', 'f o format output'],
  ['exec', 'a'],
  ['chroot', 'userspec groups'],
  ['unshare', 'S G R w setuid setgid root wd propagation map-user map-group'],
  ['nsenter', 't S G target setuid setgid'],
  ['setpriv', 'reuid regid groups inh-caps ambient-caps bounding-set'],
  ['runuser', 'u g G s user group supp-group shell'],
  [
    'systemd-run',
    'u p E M H unit property setenv machine host slice description working-directory on-calendar on-active',
  ],
  ['systemd-inhibit', 'what who why mode'],
  ['bwrap', 'bind ro-bind dev-bind chdir setenv unsetenv'],
  ['proot', 'r b w'],
  ['caffeinate', 't w'],
  ['strace', 'e o p s u E P a I O S trace output'],
  ['ltrace', 'e o p s u n a l S'],
  ['perf', 'e o'],
  ['tini', 'p e'],
  ['xvfb-run', 'e f n p s'],
  ['ssh-agent', 'a t E P'],
  ['flock', 'w E c timeout conflict-exit-code command'],
  ['lockf', 't'],
  ['softlimit', 'm d s l a o f c r t'],
  ['dotenv', 'e v c p'],
  ['env-cmd', 'f e r'],
  ['npx', 'p c package call'],
  ['bunx', 'p package'],
  ['uvx', 'p from with python'],
  ['pipx', 'spec python'],
  ['npm', 'p w C package workspace prefix registry'],
  ['pnpm', 'C F filter dir package prefix registry'],
  ['yarn bun', 'cwd p F filter package registry'],
  ['volta', 'node npm yarn'],
  ['fnm', 'using'],
  ['uv', 'i r with python p extra group index-url requirement'],
  ['heroku', 'a app r remote s size e env'],
  ['conda mamba micromamba', 'n p name prefix'],
  ['sshpass', 'p f d P'],
  ['proxychains proxychains4', 'f'],
  ['screen', 'S c e h p s t T'],
  ['watch', 'n interval'],
  ['viddy', 'n'],
  ['hyperfine', 'w warmup r runs m M p prepare n L P export-json export-markdown'],
  ['concurrently', 'n names c prefix-colors p prefix'],
  ['watchexec', 'w e i f'],
  ['xargs gxargs', 'I n P L s d a E max-args max-procs max-lines max-chars delimiter arg-file eof process-slot-var'],
  ['parallel rush', 'j jobs a arg-file I S sshlogin n N results joblog'],
  ['ssh', 'b c D E e F I i J L l m O o p Q R S W w B P'],
  ['docker podman nerdctl docker-compose podman-compose', CONTAINER],
  ['git', 'C c git-dir work-tree namespace exec-path super-prefix config-env attr-source'],
  ['make gmake', 'f file makefile C directory I include-dir o old-file W what-if eval'],
  ['tmux', 'L S f s n t c x y e F l p'],
  ['cp mv ln', 't S target-directory suffix'],
  ['install', 'm o g t S mode owner group target-directory suffix'],
  ['rsync', 'e f T B M rsh filter exclude include exclude-from include-from files-from temp-dir block-size'],
  ['tar bsdtar gtar', 'f C T X file directory files-from exclude'],
  ['shred', 'n s iterations size random-source'],
  ['truncate', 's r size reference'],
  ['touch', 'd t r date reference'],
  ['fallocate', 'l o length offset'],
  ['mkdir mkfifo', 'm mode'],
  ['mktemp', 'p suffix tmpdir'],
  ['chmod chgrp chown', 'from reference'],
  ['chcon', 't u r l type user role'],
  ['setfacl', 'm x M X modify remove'],
  ['mkfs newfs mke2fs mkswap fdisk sfdisk wipefs', 't L b label type'],
  ['ls', 'I ignore w'],
  ['patch', 'p i d o directory output'],
  ['uniq', 'f s w'],
  ['cut', 'd f c b delimiter fields characters bytes output-delimiter'],
  ['split', 'b l n a'],
  ['xxd', 'l s c g'],
  ['base64 base32', 'w wrap'],
  ['script', 'c command'],
  ['ed ex vi vim nvim', 'c S u cmd'],
  ['sed gsed', 'e f l expression file line-length'],
  ['awk gawk mawk nawk', 'F v f i field-separator assign file include'],
  ['grep egrep fgrep zgrep rg ag ack', 'e f m A B C g t regexp file max-count glob type'],
  ['read', 'd n N p t u i a'],
  ['mapfile readarray', 'd n O s u C c'],
  ['hash', 'p'],
  ['pkill pgrep', 'g G P s t u U F signal pgroup group parent session terminal euid uid older newer'],
  ['killall', 's u o y signal user older-than younger-than'],
  ['pidof git-format-patch', 'o'],
  ['sh bash zsh dash ksh', 'o O rcfile init-file'],
  ['python pypy', 'W X'],
  ['perl', 'I M'],
  ['ruby', 'I r require'],
  ['php', 'd'],
  ['node nodejs tsx ts-node bun deno', 'r require import loader'],
  ['curl', 'o H d X A e u F m w x b c E output header data request user-agent form max-time retry'],
  ['wget', 'o O P U e t T header output-document directory-prefix post-data'],
  ['pip', 'i r c f index-url extra-index-url requirement constraint find-links'],
  ['sqlite3 duckdb', 'cmd init separator -cmd -init -separator'],
  ['gradle gradlew', 'p b c x project-dir build-file settings-file exclude-task'],
  ['mvn mvnw', 'f s D P T -pl -rf file settings define activate-profiles projects resume-from'],
  ['just', 'f d justfile working-directory'],
  ['task', 't d taskfile dir'],
  ['rake ant', 'f file'],
  ['nx turbo', 'p projects F filter cwd'],
  ['git-commit', 'm F C c t message file author date reuse-message template fixup squash trailer cleanup'],
  ['git-push', 'o push-option receive-pack repo exec'],
  ['git-clone', 'b o c j branch depth origin config jobs filter reference'],
  ['git-init', 'b initial-branch'],
  ['git-worktree', 'b B reason'],
  ['git-checkout git-switch', 'b B c C s orphan create force-create'],
  ['git-restore', 's source'],
  ['git-clean', 'e exclude'],
  ['git-merge git-pull git-rebase git-cherry-pick', 'm F s x X exec strategy strategy-option into-name'],
  ['git-config', 'f file blob type default comment'],
]);

/** `python` also means `python3.13`, `mkfs` also `mkfs.ext4`. */
function valueOptions(program: string): readonly string[] {
  return namesIn(VALUES.get(program) ?? VALUES.get(program.replace(/[\d.].*$/, '')) ?? '');
}
