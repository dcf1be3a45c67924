import type { GuardTest, SimpleCommand } from '../../api.ts';
import { type Call, hasFlag, operands, optionValue, optionValues, textsOf, wordsBehind } from '../../options.ts';
import { pathOf, placeOf } from '../../paths.ts';
import { oncePer } from '../../tables.ts';

/** The command without the options between `git` and its subcommand; any other program unchanged. */
export function withoutGlobalOptions(command: SimpleCommand): SimpleCommand {
  return command.name === 'git' ? { ...command, args: wordsBehind(command) } : command;
}

/** Whether git works in a temporary folder: by its own options, or where the shell stands. */
export const worksInScratch: GuardTest = (command, context) => {
  const own = { args: command.args.slice(0, command.args.length - withoutGlobalOptions(command).args.length) };
  if (hasFlag(own, 'git-dir', 'work-tree') || command.assignments.length > 0) return false;
  const folder = optionValues(own, 'C').at(-1);
  const path = folder === undefined ? command.cwd : pathOf(folder, command, context);
  return path !== null && placeOf(path, context) === 'temp';
};

/** The words after this git subcommand (`push`); null for another program or subcommand. */
export function gitCall(command: SimpleCommand, verb: string): Call | null {
  if (command.name !== 'git') return null;
  const [first, ...args] = withoutGlobalOptions(command).args;
  return first?.text === verb ? { name: `git-${verb}`, args } : null;
}

/** The words after a git subcommand, without options and their values; null as above. */
export function gitOperands(command: SimpleCommand, verb: string): readonly string[] | null {
  const call = gitCall(command, verb);
  return call === null ? null : textsOf(operands(call));
}

/** Names that shared branches usually have. */
const SHARED =
  /^(refs\/heads\/)?(main|master|trunk|default|develop(ment)?|dev|staging|stage|production|prod|release([/-].*)?|hotfix([/-].*)?|stable|next|gh-pages)$/;

export function isSharedBranch(name: string): boolean {
  return SHARED.test(name);
}

/** Whether an earlier command of the text switched to a shared branch. */
export function standsOnSharedBranch(command: SimpleCommand, script: readonly SimpleCommand[]): boolean {
  return onSharedBranch(script).has(command);
}

const onSharedBranch = oncePer((script: readonly SimpleCommand[]): ReadonlySet<SimpleCommand> => {
  const found = new Set<SimpleCommand>();
  let shared = false;
  for (const command of script) {
    if (shared) found.add(command);
    const call = gitCall(command, 'checkout') ?? gitCall(command, 'switch') ?? { args: [] };
    const target = optionValue(call, 'b', 'B', 'c', 'C', 'orphan', 'create', 'force-create') ?? operands(call)[0];
    if (target !== undefined) shared = isSharedBranch(target.text);
  }
  return found;
});
