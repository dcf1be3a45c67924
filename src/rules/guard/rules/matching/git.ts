import type { SimpleCommand } from '../../api.ts';
import { operands } from '../../flags.ts';
import { oncePer } from '../../once-per.ts';

/** Options of git before its subcommand that take the next word. */
const GIT_VALUES: ReadonlySet<string> = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--config-env',
]);

/** The command without the options that stand between `git` and its subcommand; any other program as it is. */
export function withoutGlobalOptions(command: SimpleCommand): SimpleCommand {
  if (command.name !== 'git') return command;
  const { args } = command;
  let at = 0;
  while (args[at]?.text.startsWith('-') === true) at += GIT_VALUES.has(args[at]?.text ?? '') ? 2 : 1;
  return at === 0 ? command : { ...command, args: args.slice(at) };
}

/** A call of one subcommand of git. */
export interface GitCall {
  /** What stands behind the subcommand. */
  readonly args: SimpleCommand['args'];
}

/** What a command hands to this subcommand of git (`push`); null when it is another program or subcommand. */
export function gitCall(command: SimpleCommand, verb: string): GitCall | null {
  if (command.name !== 'git') return null;
  const [first, ...args] = withoutGlobalOptions(command).args;
  return first?.text === verb ? { args } : null;
}

/** The words behind a subcommand of git, options and the values of `valueFlags` left out; null as above. */
export function gitOperands(
  command: SimpleCommand,
  verb: string,
  valueFlags: readonly string[] = [],
): readonly string[] | null {
  const call = gitCall(command, verb);
  return call === null ? null : operands(call, valueFlags).map((word) => word.text);
}

/** Names that branches shared by several people go by. */
const SHARED =
  /^(refs\/heads\/)?(main|master|trunk|default|develop(ment)?|dev|staging|stage|production|prod|release([/-].*)?|hotfix([/-].*)?|stable|next|gh-pages)$/;

/** Whether others work on a branch of this name too. */
export function isSharedBranch(name: string): boolean {
  return SHARED.test(name);
}

/** Whether an earlier command of the text switched to a branch that others share. */
export function standsOnSharedBranch(command: SimpleCommand, script: readonly SimpleCommand[]): boolean {
  return onSharedBranch(script).has(command);
}

const onSharedBranch = oncePer((script: readonly SimpleCommand[]): ReadonlySet<SimpleCommand> => {
  const found = new Set<SimpleCommand>();
  let shared = false;
  for (const command of script) {
    if (shared) found.add(command);
    const [target] = gitOperands(command, 'checkout') ?? gitOperands(command, 'switch') ?? [];
    if (target !== undefined) shared = isSharedBranch(target);
  }
  return found;
});
