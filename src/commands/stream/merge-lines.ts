import type { CheckResult } from '../../contracts/index.ts';
import { counted, oneLine, safeLines, shellWord } from '../../rules/text/index.ts';
import type { Merge } from '../../streams/index.ts';

const TAIL_LINES = 15;
const MOST_PATHS = 30;

/** Up to this many files a command names one by one. */
const MOST_NAMED = 8;

interface Asked {
  readonly runChecks?: boolean;
  /** As typed. */
  readonly command?: string | undefined;
  /** The work tree where it was typed. */
  readonly here?: string;
}

/** The result of a merge, for people. Pure. */
export function mergeLines(
  { outcome, ...stream }: Merge,
  { runChecks = true, command, here }: Asked = {},
): readonly string[] {
  const merge = { ...stream, command: command ?? mergeCommand(stream) };
  const what = `${oneLine(merge.branch)} into ${oneLine(merge.into)}`;
  const commits = counted(merge.commits, 'commit');
  switch (outcome.kind) {
    case 'merged':
      return [
        `merged ${what}: ${commits}, ${how(outcome)} (${outcome.commit.slice(0, 12)})`,
        ...madeLines(outcome),
        ...checkedLines(outcome.checks, runChecks),
        merge.worktree
          ? `next: ${pushing(outcome.undo, merge.into, here)}; ralph stream remove ${nameOf(merge.stream)} when you no longer need its worktree`
          : `next: ${pushing(outcome.undo, merge.into, here)}`,
        `undo: ${undoing(outcome.undo, merge.into, here)}`,
      ];
    case 'proposed':
      return [
        `made ${counted(outcome.made.length, 'commit')} of ${oneLine(merge.branch)}, without ralph's files`,
        ...madeLines(outcome),
        ...checkedLines(outcome.checks, runChecks),
      ];
    case 'would-merge':
      return [
        `would merge ${what}: ${commits}, ${how(outcome)}, no conflict; the checks run first`,
        ...madeLines(outcome),
      ];
    case 'already':
      return [
        `${oneLine(merge.into)} already contains ${oneLine(merge.branch)}: nothing to merge`,
        ...(outcome.undo ? [`undo: ${undoing(outcome.undo, merge.into, here)}`] : []),
      ];
    case 'held':
      return [`not merged: ${what} is ready, and another repository is not`];
    case 'conflict':
      return [
        `not merged: ${what} has conflicts in ${counted(outcome.paths.length, 'file')}`,
        ...listed(outcome.paths),
        ...(outcome.backlog ? backlogLines(merge) : []),
        'Nothing was changed. By hand:',
        ...(outcome.root === null
          ? [`  git switch ${shellWord(oneLine(merge.branch))} && git merge ${shellWord(oneLine(merge.into))}`]
          : [`  cd ${shellWord(oneLine(outcome.root))} && git merge ${shellWord(oneLine(merge.into))}`]),
        `  fix the files there, git add them, git commit${outcome.root === null ? `, git switch ${shellWord(oneLine(merge.into))}` : ''}`,
        `  then: ${merge.command}`,
      ];
    case 'red':
      return redOutcome(outcome, merge);
    case 'in-the-way':
      return [
        `not merged: uncommitted files in ${oneLine(outcome.root)} are in the way of ${what}`,
        ...listed(outcome.paths),
        'Nothing was changed. Stash them, merge, then see which of your changes are still missing:',
        ...asideLines(outcome, merge),
      ];
  }
}

/** A person edited the backlog that a stream was working on: only they know what both sides meant. */
function backlogLines({ branch, into }: Pick<Merge, 'branch' | 'into'>): readonly string[] {
  return [
    `The backlog was changed on ${oneLine(into)} while its stream worked: for stories that the stream did, keep passes,`,
    `reviewStatus and progress of ${oneLine(branch)}, and add your own changes.`,
  ];
}

function asideLines(
  { root, paths }: { readonly root: string; readonly paths: readonly string[] },
  { command }: { readonly command: string },
): readonly string[] {
  const git = `git -C ${shellWord(oneLine(root))} stash`;
  // Ignored files, too, when they are named.
  const what = paths.length > MOST_NAMED ? '-u' : `-a -- ${paths.map((path) => shellWord(oneLine(path))).join(' ')}`;
  return [`  ${git} push ${what}`, `  ${command}`, `  ${git} show -p --include-untracked`];
}

function checkedLines(checks: readonly CheckResult[], runChecks: boolean): readonly string[] {
  const red = checks
    .filter(({ ok }) => !ok)
    .map(({ command }) => `warning: fails as before the loop: ${oneLine(command)}`);
  const green = checks.filter(({ ok }) => ok).map(checkedCommand);
  if (green.length > 0) return [`checked before, on the merged tree: ${green.join(', ')}`, ...red];
  if (red.length > 0) return red;
  return runChecks
    ? ['warning: no checks were run on it: add some to verifyCommands in ralph.config.json']
    : ['no checks were run on it (--no-checks)'];
}

type Made = Pick<Extract<Merge['outcome'], { kind: 'merged' }>, 'how' | 'made' | 'notes'>;

function how({ how: way, made }: Made): string {
  if (way === 'clean') return `as ${counted(made.length, 'commit')} without ralph's files`;
  return way === 'fast-forward' ? 'as a fast-forward' : 'as a merge commit';
}

const MOST_COMMITS = 50;

function madeLines({ made, notes }: Made): readonly string[] {
  const shown = made.slice(0, MOST_COMMITS).map(({ commit, subject }) => `  ${commit.slice(0, 9)} ${oneLine(subject)}`);
  const more = made.length > MOST_COMMITS ? [`  and ${made.length - MOST_COMMITS} more`] : [];
  return [...shown, ...more, ...notes.map((note) => `note: ${oneLine(note)}`)];
}

type Undo = Extract<Merge['outcome'], { kind: 'merged' }>['undo'];

function pushing({ root }: Pick<Undo, 'root'>, into: string, here: string | undefined): string {
  if (root === null) return `git switch ${shellWord(oneLine(into))} && git push`;
  return root === here ? 'git push' : `git -C ${shellWord(oneLine(root))} push`;
}

/** Neither command loses uncommitted work. */
function undoing({ ref, root }: Undo, into: string, here: string | undefined): string {
  const word = shellWord(oneLine(ref));
  if (root === null) return `git branch -f ${shellWord(oneLine(into))} ${word}`;
  const there = root === here ? '' : ` -C ${shellWord(oneLine(root))}`;
  return `git${there} reset --keep ${word}`;
}

function redOutcome(
  { checks, redBefore }: Extract<Merge['outcome'], { kind: 'red' }>,
  { branch, into, command }: Pick<Merge, 'branch' | 'into'> & { readonly command: string },
): readonly string[] {
  const red = checks.filter(({ ok }) => !ok);
  const broken = red.filter((check) => !redBefore.includes(check.command)).length;
  return [
    broken > 0
      ? `not merged: ${oneLine(branch)} into ${oneLine(into)} would make ${counted(broken, 'check')} fail`
      : `not merged: ${counted(red.length, 'check')} ${red.length === 1 ? 'fails' : 'fail'} on ${oneLine(into)}, with ${oneLine(branch)} and without it`,
    ...red.flatMap((check) => redLines(check, redBefore)),
    `Nothing was changed. Fix it on ${oneLine(broken > 0 ? branch : into)}, or merge anyway: ${command} --no-checks`,
  ];
}

function redLines({ command, exitCode, timedOut, tail }: CheckResult, redBefore: readonly string[]): readonly string[] {
  const end = timedOut ? 'took longer than checks.timeout' : `exit ${exitCode ?? '-'}`;
  const also = redBefore.includes(command) ? '; it also fails without the merge' : '';
  const lines = safeLines(tail).slice(-TAIL_LINES);
  return [`  ${oneLine(command)} (${end}${also})`, ...lines.map((line) => `    ${line}`)];
}

function listed(paths: readonly string[]): readonly string[] {
  const shown = paths.slice(0, MOST_PATHS).map((path) => `  ${oneLine(path)}`);
  return paths.length > MOST_PATHS ? [...shown, `  and ${paths.length - MOST_PATHS} more`] : shown;
}

/** The command as typed: a stream with neither number nor work tree is found without a name. */
function mergeCommand({ stream, worktree }: Pick<Merge, 'stream' | 'worktree'>): string {
  return worktree || /^PRD-\d+$/.test(stream) ? `ralph stream merge ${nameOf(stream)}` : 'ralph stream merge';
}

/** As typed: `3` for `PRD-3`. */
function nameOf(stream: string): string {
  return shellWord(oneLine(/^PRD-(\d+)$/.exec(stream)?.[1] ?? stream));
}

function checkedCommand({ command, known }: CheckResult): string {
  return oneLine(command) + (known ? ' (known: the same tree was checked before)' : '');
}
