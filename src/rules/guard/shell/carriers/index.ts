import type { SimpleCommand } from '../../api.ts';
import { optionValues } from '../../flags.ts';
import { isInterpreter, runInterpreter } from '../languages/interpreters.ts';
import type { Carrier, Nested, Surroundings } from '../nested.ts';
import { originOf } from '../text.ts';
import { CODE_CARRIERS, runCodeOptions } from './code-options.ts';
import { runBehindDashes, runContainer, runRemoteShell, runSsh } from './elsewhere.ts';
import { runFd, runFind } from './find.ts';
import { runGit } from './git.ts';
import { runEval, runLoginShell, runShell, runSource, runTrap, runWrittenFile, SHELLS } from './shells.ts';
import {
  runAwk,
  runDatabaseShell,
  runEditor,
  runMake,
  runScheduled,
  runScripted,
  runSed,
  runTerminal,
} from './text-tools.ts';
import { unwrap } from './wrappers.ts';
import { runParallel, runXargs } from './xargs.ts';

/** `env -S 'rm -rf x'`. */
const runSplitStrings: Carrier = (command) =>
  optionValues(command, 'S', 'split-string').map((word) => ({
    kind: 'shell',
    via: 'env -S',
    code: { text: word.text, from: originOf(word) },
    where: 'child',
  }));

/** Programs by name, with what finds the commands that they run. */
const BY_NAME: readonly (readonly [names: string, carrier: Carrier])[] = [
  [SHELLS.join(' '), runShell],
  ['eval', runEval],
  ['source .', runSource],
  ['trap', runTrap],
  ['su sudo doas', runLoginShell],
  ['env', runSplitStrings],
  ['find gfind', runFind],
  ['fd fdfind', runFd],
  ['xargs gxargs', runXargs],
  ['parallel rush', runParallel],
  ['git', runGit],
  ['ssh', runSsh],
  ['docker podman nerdctl docker-compose podman-compose', runContainer],
  ['kubectl oc lxc incus microk8s fly flyctl heroku nomad kubecolor', runBehindDashes],
  ['adb', runRemoteShell],
  ['sed gsed', runSed],
  ['awk gawk mawk nawk', runAwk],
  ['vim vi nvim ex view vimdiff gvim ed', runEditor],
  ['psql mysql mariadb sqlite3', runDatabaseShell],
  ['osascript expect emacs emacsclient gdb lldb', runScripted],
  ['make gmake', runMake],
  ['tmux screen', runTerminal],
  ['crontab at batch', runScheduled],
  [CODE_CARRIERS.join(' '), runCodeOptions],
];

const CARRIERS = new Map<string, readonly Carrier[]>();
for (const [names, carrier] of BY_NAME) {
  for (const name of names.split(' ')) CARRIERS.set(name, [...(CARRIERS.get(name) ?? []), carrier]);
}

/** Everything that a command runs because of its arguments, its input, or the files it is given. */
export function nestedIn(command: SimpleCommand, around: Surroundings): readonly Nested[] {
  const carriers = CARRIERS.get(command.name) ?? [];
  const found = carriers.flatMap((carrier) => carrier(command, around));
  const own = isInterpreter(command.name) ? runInterpreter(command, around) : [];
  return [...wrapped(command), ...found, ...own, ...runWrittenFile(command, around)];
}

function wrapped(command: SimpleCommand): readonly Nested[] {
  const inner = unwrap([command.word, ...command.args]);
  if (inner === null) return [];
  return [{ kind: 'argv', via: command.name, words: [...inner.assignments, ...inner.words] }];
}
