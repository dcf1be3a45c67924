import type { SimpleCommand } from '../../api.ts';
import { hasFlag, operands, optionValues, searchPattern, textsOf } from '../../options.ts';
import { feeders, sourcesOfWords } from './network.ts';

/** Which processes a command signals: those of these names; `all` says that nothing narrows the choice. */
interface Chosen {
  readonly names: readonly string[];
  readonly all: boolean;
}

const NONE: Chosen = { names: [], all: false };

/**
 * The processes that a signal is for, however they were chosen: `pkill x`, `kill $(pgrep x)`, `ps | grep x | awk … |
 * xargs kill`. One of these alone says nothing about processes that are given by their id.
 */
export function chosenProcesses(command: SimpleCommand, script: readonly SimpleCommand[]): Chosen {
  if (/^(pkill|killall|killall5|skill|slay|taskkill)$/.test(command.name)) return chosenBy([command]);
  if (command.name !== 'kill') return NONE;
  const piped = command.via.some((via) => via === 'xargs' || via === 'parallel') ? feeders(command) : [];
  const sources = [...sourcesOfWords(command, script), ...piped];
  const choose = sources.some(
    (source) =>
      /^(ps|pgrep|pidof|top|pstree)$/.test(source.name) ||
      (source.name === 'lsof' && (hasFlag(source, 'c') || listsEverySocket(source))),
  );
  return choose ? chosenBy(sources) : NONE;
}

/** `lsof -t -i`, not `lsof -ti:3000` or `lsof -t FILE`. */
function listsEverySocket({ args }: SimpleCommand): boolean {
  return !args.some(({ text }) => /[:@./\uFFFD]/.test(text));
}

function chosenBy(commands: readonly SimpleCommand[]): Chosen {
  if (commands.some(choosesByParent)) return NONE;
  const names = commands.flatMap(namesIn);
  return { names, all: names.length === 0 };
}

/** By the id of a process, or of the one that started it. */
function choosesByParent(command: SimpleCommand): boolean {
  if (command.name === 'ps') return hasFlag(command, 'p', 'pid', 'ppid');
  return /^(pkill|pgrep)$/.test(command.name) && hasFlag(command, 'P', 'parent', 's', 'session');
}

/** The patterns by which a command picks processes, without the bracket that hides the command itself: `[n]ode`. */
function namesIn(command: SimpleCommand): readonly string[] {
  const picked = ((): readonly string[] => {
    switch (command.name) {
      case 'ps':
      case 'lsof':
        return textsOf(optionValues(command, 'C', 'c'));
      case 'grep':
      case 'egrep':
      case 'fgrep':
      case 'rg':
        return hasFlag(command, 'v') ? [] : textsOf([searchPattern(command)].filter((word) => word !== null));
      case 'awk':
      case 'gawk':
        return command.args.flatMap(({ text }) =>
          [...text.matchAll(/[/"]([^/"]+)[/"]/g)].map((match) => match[1] ?? ''),
        );
      default:
        return /^(pkill|killall|skill|slay|pgrep|pidof|taskkill)$/.test(command.name) ? textsOf(operands(command)) : [];
    }
  })();
  return picked.flatMap((name) => name.replace(/\[(.)\]/g, '$1').split(/\\?\|/));
}
