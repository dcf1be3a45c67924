import type { Word } from '../../api.ts';
import { behindOptions, optionValues } from '../../flags.ts';
import type { Carrier, Nested } from '../nested.ts';
import { joined } from '../text.ts';

const SSH_VALUES = 'b c D E e F I i J L l m O o p Q R S W w B P'.split(' ');

/** `ssh HOST CMD` and what its options run here. */
export const runSsh: Carrier = (command, around) => {
  const [host, ...words] = behindOptions(command.args, SSH_VALUES);
  const here: Nested[] = optionValues(command, 'o').flatMap((word) => {
    const match = /^(proxycommand|localcommand|knownhostscommand)[= ](.*)$/i.exec(word.text);
    return match === null
      ? []
      : [{ kind: 'shell', via: 'ssh -o', code: { text: match[2] ?? '', from: null }, where: 'child' }];
  });
  if (host === undefined) return here;
  if (words.length > 0) return [...here, { kind: 'shell', via: 'ssh', code: joined(words), where: 'elsewhere' }];
  const { stdin } = around;
  return stdin === null
    ? here
    : [...here, { kind: 'shell', via: 'ssh', code: stdin, where: 'elsewhere', fromInput: true }];
};

const RUN_VALUES =
  'a attach add-host annotation blkio-weight cap-add cap-drop cgroup-parent cidfile c cpus cpuset-cpus cpu-shares device dns e env env-file expose gpus group-add h hostname health-cmd ip ipc isolation l label log-driver log-opt m memory mac-address mount name network net network-alias pid pids-limit platform p publish pull restart runtime security-opt shm-size stop-signal sysctl tmpfs ulimit u user userns v volume volumes-from w workdir entrypoint index f file profile project-directory project-name'.split(
    ' ',
  );

const CONTAINER_TOOLS: readonly string[] = ['compose', 'container', 'pod'];

/** `docker exec|run [options] CONTAINER CMD`, with `compose` too. */
export const runContainer: Carrier = (command) => {
  let words = behindOptions(command.args, RUN_VALUES.concat('H', 'context'));
  while (CONTAINER_TOOLS.includes(words[0]?.text ?? '')) words = behindOptions(words.slice(1), RUN_VALUES);
  const action = words[0]?.text ?? '';
  if (action !== 'exec' && action !== 'run') return [];
  const options = words.slice(1);
  const rest = behindOptions(options, RUN_VALUES).slice(1);
  const entry = optionValues({ args: options.slice(0, options.length - rest.length) }, 'entrypoint')[0];
  return elsewhere(`${command.name} ${action}`, entry === undefined ? rest : [entry, ...rest]);
};

/** `kubectl exec POD -- CMD`, `lxc exec NAME -- CMD`, `oc rsh`, …: the command stands behind `--`. */
export const runBehindDashes: Carrier = (command) => {
  const at = command.args.findIndex((word) => word.text === '--');
  const action = command.args.find((word) => /^(exec|run|debug|rsh|ssh|console)$/.test(word.text));
  return at < 0 || action === undefined ? [] : elsewhere(`${command.name} ${action.text}`, command.args.slice(at + 1));
};

/** A shell on another machine, its words joined: `adb shell CMD`. */
export const runRemoteShell: Carrier = (command) => {
  const at = command.args.findIndex((word) => word.text === 'shell');
  const words = command.args.slice(at + 1);
  if (at < 0 || words.length === 0) return [];
  return [{ kind: 'shell', via: `${command.name} shell`, code: joined(words), where: 'elsewhere' }];
};

function elsewhere(via: string, words: readonly Word[]): readonly Nested[] {
  return words.length === 0 ? [] : [{ kind: 'argv', via, words, cwd: null }];
}
