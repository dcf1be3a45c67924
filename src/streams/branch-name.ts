import { UsageError } from '../contracts/errors.ts';

/** What git takes for something else than a branch, or does not take at all: pattern → why, in words. */
const ODD: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^$/, 'it is empty'],
  [/^-/, 'a branch cannot begin with "-"'],
  [/^(HEAD|@)$/, 'that name is taken: it stands for what is checked out'],
  [/^refs\//, 'it names a ref: leave out refs/heads/'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  [/[\u0000-\u0020\u007f~^:?*[\\]/, 'a branch has neither spaces nor any of ~ ^ : ? * [ \\'],
  [/\.\.|@\{|\/\/|^\/|\/$|\.$|(^|\/)\.|\.lock(\/|$)/, 'git allows no such name: see `git help check-ref-format`'],
];

/** @throws UsageError, before git is asked with it */
export function refuseOddBranch(branch: string, where: string): void {
  const found = ODD.find(([pattern]) => pattern.test(branch));
  if (found === undefined) return;
  throw new UsageError({
    what: `'${branch}' cannot be the branch of a stream`,
    where,
    why: found[1],
    mend: ['give the backlog another `branchName`, such as ralph/prd-1'],
  });
}
