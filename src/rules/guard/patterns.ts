import type { SimpleCommand } from './api.ts';
import { couldMatchText } from './shell/glob.ts';

/**
 * Whether one of the user's entries (`guard.allow`, `guard.deny`) speaks of a command. An entry is a rule's id
 * (`git/push`, see `namesRule`) or a glob over the command's words joined by single blanks, without quotes and without
 * the program's folder: `npm publish*` matches `npm publish`, `/usr/bin/npm publish --tag next`.
 */
export function matchesPattern(pattern: string, command: SimpleCommand): boolean {
  return couldMatchText(pattern.trim(), normalText(command));
}

/** Whether an entry names this rule, or all rules of its category: `git/push`, `git/*`. */
export function namesRule(entry: string, ruleId: string): boolean {
  const name = entry.trim();
  return name === ruleId || (name.endsWith('/*') && !name.includes(' ') && ruleId.startsWith(name.slice(0, -1)));
}

/** The text that patterns are matched against. */
export function normalText(command: SimpleCommand): string {
  const program = command.name === '' ? command.word.text : command.name;
  return [program, ...command.args.map((word) => word.text)].join(' ').trim();
}
