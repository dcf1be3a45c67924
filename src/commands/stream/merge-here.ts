import { agentByName } from '../../adapters/agents/index.ts';
import type { Git } from '../../adapters/git/index.ts';
import { listStreams } from '../../adapters/workspace/index.ts';
import { type CheckResult, describeError, ExitCode, RalphError, UsageError } from '../../contracts/index.ts';
import { counted, oneLine, safeLines, shellWord, shortLine } from '../../rules/text/index.ts';
import {
  inTurn,
  type Merge,
  type MergeInput,
  type MergeTarget,
  mergeStream,
  type OpenRun,
  StoppedError,
  streamName,
  streamTarget,
  workspaceTarget,
} from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isolate } from '../isolate.ts';
import { isOn, placed, type RawFlags, textOf } from '../shared/flags.ts';
import { configOf, openProject, withPluginFiles, workspaceIn } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { withSignals } from '../shared/with-signals.ts';

type Result = { readonly merge: Merge } | { readonly name: string; readonly error: RalphError };

/**
 * `ralph stream merge [N…]`: one after the other, independently: one that cannot be merged does not hold up the others.
 * @returns the code of the first that was not merged
 */
export async function mergeHere(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io, { toRun: true });
  const { config, warnings } = await configOf(git, io, 'refuse');
  const tell = (text: string) => void io.stderr.write(`${oneLine(text)}\n`);
  for (const warning of warnings) tell(`warning: ${warning}`);
  return withSignals(async (signal) => {
    const common = {
      git,
      config,
      env: io.env,
      openRun: checksOnly(io),
      signal,
      tell,
      into: textOf(flags, 'into') ?? textOf(flags, 'base'),
      noFastForward: flags['ff'] === false,
      runChecks: flags['checks'] !== false,
      unfinished: isOn(flags, 'unfinished'),
      dryRun: isOn(flags, 'dryRun'),
    };
    const results: Result[] = [];
    for (const name of names.length === 0 ? [undefined] : names) {
      const result = await mergeNamed(name, common, flags, io);
      results.push(result);
      if (!isOn(flags, 'json')) show(result, common.runChecks, io);
      if ('error' in result && result.error instanceof StoppedError) break;
    }
    if (isOn(flags, 'json')) printJson(io, { merges: results.map(asJson) });
    return results.map(codeOf).find((code) => code !== ExitCode.complete) ?? ExitCode.complete;
  });
}

async function mergeNamed(
  name: string | undefined,
  common: Omit<MergeInput, 'target'>,
  flags: RawFlags,
  io: Io,
): Promise<Result> {
  const { git, signal, tell, dryRun } = common;
  try {
    const target = await targetOf(git, name, flags, io);
    const merge = () => mergeStream({ ...common, target });
    if (dryRun) return { merge: await merge() };
    const command = `ralph stream merge ${shellWord(target.stream)}`;
    return { merge: await inTurn({ commonDir: git.repo.commonDir, command, signal, tell }, merge) };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { name: name ?? '', error };
  }
}

/** A stream's own work tree is the best source; otherwise the spec folder found here. */
async function targetOf(git: Git, name: string | undefined, flags: RawFlags, io: Io): Promise<MergeTarget> {
  const asked = name ?? textOf(flags, 'prd');
  if (asked !== undefined) {
    const stream = /^(?:PRD-)?\d+$/i.test(asked) ? `PRD-${Number(asked.replace(/^PRD-/i, ''))}` : asked;
    const found = await streamTarget(git, stream);
    if (found !== null) return found;
    if (!/^PRD-\d+$/.test(stream)) return namedHere(git, stream, flags, io);
  }
  const workspace = await workspaceIn(git, placed(flags, name), io);
  return (await streamTarget(git, streamName(workspace))) ?? (await workspaceTarget(workspace));
}

/** The workspace of this project, which has no number, by its name. @throws UsageError naming the existing streams */
async function namedHere(git: Git, name: string, flags: RawFlags, io: Io): Promise<MergeTarget> {
  const here = await workspaceIn(git, flags, io).catch(() => null);
  if (here !== null && streamName(here) === name) return workspaceTarget(here);
  const streams = (await listStreams(git)).flatMap(({ file }) => (file === null ? [] : [shortLine(file.stream)]));
  throw new UsageError({
    what: `there is no stream '${shortLine(name)}'`,
    why: streams.length === 0 ? 'no stream has been started here' : `there are ${streams.join(', ')}`,
    mend: ['`ralph stream list` lists them', 'a PRD without a worktree has a number: ralph stream merge 3'],
  });
}

/** What checks need: no agent works, so none is looked up. */
function checksOnly(io: Io): OpenRun {
  return async ({ git, workspace, config }) => {
    const agents = await Promise.all(config.agent.map(agentByName));
    const isolated = await isolate({ git, workspace, config, env: io.env, agents, asked: false });
    return {
      ...isolated,
      workspace: await withPluginFiles(workspace, config),
      agents,
      openControl: () => Promise.reject(new Error('a merge starts no agent')),
      see: () => {},
      close: async () => {},
    };
  };
}

function show(result: Result, runChecks: boolean, io: Io): void {
  if ('merge' in result) printLines(io, mergeLines(result.merge, runChecks));
  else io.stderr.write(`${describeError(result.error)}\n`);
}

function codeOf(result: Result): number {
  if ('error' in result) return result.error.exitCode;
  return MERGED.has(result.merge.outcome.kind) ? ExitCode.complete : ExitCode.incomplete;
}

const MERGED: ReadonlySet<Merge['outcome']['kind']> = new Set(['merged', 'would-merge', 'already']);

function asJson(result: Result): object {
  if ('merge' in result) {
    const { outcome, ...sides } = result.merge;
    const { kind, ...more } = outcome;
    return { ...sides, result: kind, ...more };
  }
  return { stream: result.name, result: 'refused', error: result.error.facts };
}

const TAIL_LINES = 15;
const MOST_PATHS = 30;

/** Up to this many files a command names one by one. */
const MOST_NAMED = 8;

/** The result of a merge, for people; `runChecks` as requested. Pure. */
export function mergeLines({ outcome, ...merge }: Merge, runChecks = true): readonly string[] {
  const what = `${oneLine(merge.branch)} into ${oneLine(merge.into)}`;
  const commits = counted(merge.commits, 'commit');
  switch (outcome.kind) {
    case 'merged':
      return [
        `merged ${what}: ${commits}, ${WORDS[outcome.how]} (${outcome.commit.slice(0, 12)})`,
        outcome.checks.length === 0
          ? runChecks
            ? 'warning: no check was run on it: name some in verifyCommands of ralph.config.json'
            : 'no check was run on it (--no-checks)'
          : `checked before, on the merged tree: ${outcome.checks.map(checkedCommand).join(', ')}`,
        merge.worktree
          ? `next: git push; ralph stream remove ${nameOf(merge.stream)} when its worktree is not needed any more`
          : 'next: git push',
      ];
    case 'would-merge':
      return [`would merge ${what}: ${commits}, ${WORDS[outcome.how]}, no conflict; the checks come first`];
    case 'already':
      return [`${oneLine(merge.into)} has all of ${oneLine(merge.branch)} already: nothing to merge`];
    case 'conflict':
      return [
        `not merged: ${what} has conflicts in ${counted(outcome.paths.length, 'file')}`,
        ...listed(outcome.paths),
        ...(outcome.backlog ? backlogLines(merge) : []),
        'Nothing was changed. By hand:',
        ...(outcome.root === null
          ? [`  git switch ${shellWord(oneLine(merge.branch))} && git merge ${shellWord(oneLine(merge.into))}`]
          : [`  cd ${shellWord(oneLine(outcome.root))} && git merge ${shellWord(oneLine(merge.into))}`]),
        `  mend the files there, git add them, git commit${outcome.root === null ? `, git switch ${shellWord(oneLine(merge.into))}` : ''}`,
        `  then: ${again(merge)}`,
      ];
    case 'red':
      return [
        `not merged: ${what} would leave ${counted(outcome.checks.filter(({ ok }) => !ok).length, 'check')} red`,
        ...outcome.checks.filter(({ ok }) => !ok).flatMap((check) => redLines(check, outcome.redBefore)),
        'Nothing was changed. Mend it on the branch of the stream, or merge all the same: --no-checks',
      ];
    case 'in-the-way':
      return [
        `not merged: files in ${oneLine(outcome.root)} that are not committed are in the way of ${what}`,
        ...listed(outcome.paths),
        'Nothing was changed. Put them aside, merge, then look what of yours is still missing:',
        ...asideLines(outcome, merge),
      ];
  }
}

/** A person edited the backlog that a stream was working on: only they know what both sides meant. */
function backlogLines({ branch, into }: Pick<Merge, 'branch' | 'into'>): readonly string[] {
  return [
    `The backlog itself was changed on ${oneLine(into)} while its stream worked: keep what ${oneLine(branch)} says of`,
    'stories that it did (passes, reviewStatus) and of progress, and add what you changed.',
  ];
}

function asideLines(
  { root, paths }: { readonly root: string; readonly paths: readonly string[] },
  merge: Pick<Merge, 'stream' | 'worktree'>,
): readonly string[] {
  const git = `git -C ${shellWord(oneLine(root))} stash`;
  // Ignored files, too, when they are named.
  const what = paths.length > MOST_NAMED ? '-u' : `-a -- ${paths.map((path) => shellWord(oneLine(path))).join(' ')}`;
  return [`  ${git} push ${what}`, `  ${again(merge)}`, `  ${git} show -p --include-untracked`];
}

const WORDS = { 'fast-forward': 'as a fast-forward', 'merge-commit': 'as a merge commit' } as const;

function redLines({ command, exitCode, timedOut, tail }: CheckResult, redBefore: readonly string[]): readonly string[] {
  const end = timedOut ? 'took longer than checks.timeout' : `exit ${exitCode ?? '-'}`;
  const also = redBefore.includes(command) ? '; it is red without the merge, too' : '';
  const lines = safeLines(tail).slice(-TAIL_LINES);
  return [`  ${oneLine(command)} (${end}${also})`, ...lines.map((line) => `    ${line}`)];
}

function listed(paths: readonly string[]): readonly string[] {
  const shown = paths.slice(0, MOST_PATHS).map((path) => `  ${oneLine(path)}`);
  return paths.length > MOST_PATHS ? [...shown, `  and ${paths.length - MOST_PATHS} more`] : shown;
}

/** The command as typed: a stream with neither number nor work tree is found without a name. */
function again({ stream, worktree }: Pick<Merge, 'stream' | 'worktree'>): string {
  return worktree || /^PRD-\d+$/.test(stream) ? `ralph stream merge ${nameOf(stream)}` : 'ralph stream merge';
}

/** As typed: `3` for `PRD-3`. */
function nameOf(stream: string): string {
  return shellWord(oneLine(/^PRD-(\d+)$/.exec(stream)?.[1] ?? stream));
}

function checkedCommand({ command, known }: CheckResult): string {
  return oneLine(command) + (known ? ' (known: the same tree was checked before)' : '');
}
