import type { SimpleCommand } from '../../api.ts';
import { behindOptions, optionValues } from '../../flags.ts';
import { pathOf } from '../../paths.ts';
import { isInterpreter, runInterpreter } from '../languages/interpreters.ts';
import type { Carrier, Nested, Surroundings } from '../nested.ts';
import { scriptFile } from '../package-scripts.ts';
import { originOf } from '../text.ts';
import { CODE_CARRIERS, runCodeOptions } from './code-options.ts';
import { runBehindDashes, runContainer, runRemoteShell, runSsh } from './elsewhere.ts';
import { runFd, runFind } from './find.ts';
import { runGit } from './git.ts';
import { runMake } from './make.ts';
import { runEval, runLoginShell, runShell, runSource, runTrap, runWrittenFile, SHELLS } from './shells.ts';
import { runAwk, runDatabaseShell, runEditor, runScheduled, runScripted, runSed, runTerminal } from './text-tools.ts';
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

/** `npm run x`, where the text itself set the script. */
const runPackageScript: Carrier = (command, around) => {
  const [verb, name] = behindOptions(command.args, ['prefix', 'C', 'w', 'workspace', 'F', 'filter']);
  const script = /^run(-script)?$/.test(verb?.text ?? '') ? name : verb;
  const code = script === undefined ? null : around.fileText(scriptFile(script.text));
  return code === null ? [] : [{ kind: 'shell', via: `${command.name} run`, code, where: 'child' }];
};

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
  ['npm pnpm yarn bun', runPackageScript],
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
  return [...wrapped(command, around), ...found, ...own, ...runWrittenFile(command, around)];
}

function wrapped(command: SimpleCommand, { context }: Surroundings): readonly Nested[] {
  const inner = unwrap([command.word, ...command.args]);
  if (inner === null) return [];
  const words = [...inner.assignments, ...inner.words];
  const moved = inner.folder === null ? {} : { cwd: pathOf(inner.folder, command, context) };
  return [{ kind: 'argv', via: command.name, words, ...moved }];
}
