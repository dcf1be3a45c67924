import { UsageError } from '../contracts/index.ts';
import { shortLine } from '../rules/text/index.ts';

/** Name of a folder, a ref, a queue: needs no quoting anywhere, and is not a path to elsewhere. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export function refuseOddName(stream: string): void {
  if (NAME.test(stream) && !stream.includes('..') && !stream.endsWith('.lock')) return;
  throw new UsageError({
    what: `'${stream}' cannot be the name of a stream`,
    why: 'a name has up to 100 letters, digits, `.`, `-` and `_`, and begins with a letter or digit',
  });
}

/** Names that git reads as something other than a branch, or rejects: pattern → why, in words. */
const ODD: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^$/, 'it is empty'],
  [/^-/, 'a branch cannot begin with "-"'],
  [/^(HEAD|@)$/, 'that name is reserved: it stands for the checked-out commit'],
  [/^refs\//, 'it names a ref: leave out refs/heads/'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  [/[\u0000-\u0020\u007f~^:?*[\\]/, 'a branch has neither spaces nor any of ~ ^ : ? * [ \\'],
  [/\.\.|@\{|\/\/|^\/|\/$|\.$|(^|\/)\.|\.lock(\/|$)/, 'git allows no such name: see `git help check-ref-format`'],
];

/** @throws UsageError, before git gets the name */
export function refuseOddBranch(branch: string, where: string): void {
  const found = ODD.find(([pattern]) => pattern.test(branch));
  if (found === undefined) return;
  throw new UsageError({
    what: `'${branch}' cannot be the branch of a stream`,
    where,
    why: found[1],
    fix: ['give the backlog another `branchName`, such as ralph/prd-1'],
  });
}

/** Names for people and prompts: some of them, and how many more there are. */
export function listed(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).map((name) => shortLine(name));
  return shown.join(', ') + (names.length > most ? ` and ${names.length - most} more` : '');
}
