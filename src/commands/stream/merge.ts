import type { Git } from '../../adapters/git/index.ts';
import { listStreams } from '../../adapters/workspace/index.ts';
import { describeError, ExitCode, RalphError, UsageError } from '../../contracts/index.ts';
import { oneLine, shellWord, shortLine } from '../../rules/text/index.ts';
import {
  type History,
  inTurn,
  type Merge,
  type MergeInput,
  type MergeTarget,
  mergeStream,
  proposalOf,
  StoppedError,
  streamName,
  streamTarget,
  workspaceTarget,
} from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isOn, placed, type RawFlags, textOf } from '../shared/flags.ts';
import { configOf, openProject, workspaceIn } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { checksOnly } from '../shared/turn-ports.ts';
import { withSignals } from '../shared/with-signals.ts';
import { mergeLines } from './merge-lines.ts';

/** `ralph finish`: the branch of this spec folder, or of the stream whose work tree this is. */
export function finish(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const command = ['ralph finish', ...HISTORIES.filter((name) => isOn(flags, name)).map(asFlag)].join(' ');
  return isOn(flags, 'pr') ? finishByPullRequest(flags, io, command) : mergeHere([], flags, io, command);
}

/** The clean commits as a branch of their own at the remote, and a draft pull request; no branch here moves. */
async function finishByPullRequest(flags: RawFlags, io: Io, command: string): Promise<number> {
  const { mergeByPullRequest, offerProposal, readyFor } = await import('./merge-pr.ts');
  if (historyOf(flags) === 'as-is') return mergeByPullRequest(undefined, flags, io);
  return withSignals(async (signal) => {
    const common = await commonOf(await openProject(flags, io, { toRun: true }), flags, io, signal);
    const { git, dryRun, runChecks } = common;
    const target = await targetOf(git, undefined, flags, io);
    const place = await readyFor(git, flags, io);
    const { remote } = place;
    const proposal = await proposalOf(git, target, common.into, remote);
    const push = (commit: string) =>
      git.push({ remote, branch: proposal.name, commit, env: io.env, terminal: io.isTTY });
    const result = await mergeNamed(
      undefined,
      { ...common, noFastForward: false, proposal: { ...proposal, push } },
      flags,
      io,
    );
    const asked = { runChecks, command: `${command} --pr`, here: git.repo.root };
    const kind = 'merge' in result ? result.merge.outcome.kind : null;
    // An earlier push may still lack its pull request, or that the new text.
    const isPushed =
      kind === 'proposed' || (kind === 'already' && proposal.sides.into === `${remote}/${proposal.name}`);
    if ('merge' in result && (isPushed || (dryRun && kind === 'would-merge'))) {
      const lines = kind === 'already' ? [] : mergeLines(result.merge, asked);
      return offerProposal(
        git,
        target.workspace,
        { ...place, proposal, merge: result.merge, lines, command: asked.command },
        flags,
        io,
      );
    }
    if (isOn(flags, 'json')) printJson(io, asJson(result));
    else show(result, asked, io);
    return codeOf(result);
  });
}

/** `ralph stream merge [N…]`: here, or with `--pr` as a pull request. */
export async function mergeStreams(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (!isOn(flags, 'pr')) return mergeHere(names, flags, io);
  const { mergeByPullRequest } = await import('./merge-pr.ts');
  const [only, ...more] = names;
  if (more.length === 0) return mergeByPullRequest(only, flags, io);
  throw new UsageError({
    what: 'a pull request is for one stream',
    fix: names.map((name) => `ralph stream merge ${shellWord(name)} --pr`),
  });
}

const HISTORIES = ['squash', 'asIs'] as const;
const asFlag = (name: (typeof HISTORIES)[number]) => (name === 'asIs' ? '--as-is' : '--squash');

function historyOf(flags: RawFlags): History {
  const [one, other] = HISTORIES.filter((name) => isOn(flags, name));
  if (other !== undefined) {
    throw new UsageError({
      what: '--squash and --as-is cannot be used together',
      fix: ['give one of them, or neither'],
    });
  }
  if (one === undefined) return 'stories';
  return one === 'squash' ? 'squash' : 'as-is';
}

type Result = { readonly merge: Merge } | { readonly name: string; readonly error: RalphError };

/**
 * `ralph stream merge [N…]`: one after the other, independently: one that cannot be merged does not hold up the others.
 * @returns the code of the first that was not merged
 */
async function mergeHere(names: readonly string[], flags: RawFlags, io: Io, command?: string): Promise<number> {
  return withSignals(async (signal) => {
    const common = await commonOf(await openProject(flags, io, { toRun: true }), flags, io, signal);
    const { git } = common;
    const results: Result[] = [];
    for (const name of names.length === 0 ? [undefined] : names) {
      const result = await mergeNamed(name, common, flags, io);
      results.push(result);
      if (!isOn(flags, 'json')) show(result, { runChecks: common.runChecks, command, here: git.repo.root }, io);
      if ('error' in result && result.error instanceof StoppedError) break;
    }
    if (isOn(flags, 'json')) printJson(io, { merges: results.map(asJson) });
    return results.map(codeOf).find((code) => code !== ExitCode.complete) ?? ExitCode.complete;
  });
}

export async function commonOf(
  git: Git,
  flags: RawFlags,
  io: Io,
  signal: AbortSignal,
): Promise<Omit<MergeInput, 'target'>> {
  const history = historyOf(flags);
  const { config, warnings } = await configOf(git, io, 'refuse');
  const tell = (text: string) => void io.stderr.write(`${oneLine(text)}\n`);
  for (const warning of warnings) tell(`warning: ${warning}`);
  return {
    git,
    config,
    env: io.env,
    openRun: checksOnly(io),
    signal,
    tell,
    into: textOf(flags, 'into'),
    history,
    noFastForward: flags['ff'] === false,
    runChecks: flags['checks'] !== false,
    unfinished: isOn(flags, 'unfinished'),
    dryRun: isOn(flags, 'dryRun'),
  };
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
    fix: ['`ralph stream list` lists them', 'a PRD without a worktree has a number: ralph stream merge 3'],
  });
}

function show(result: Result, asked: Parameters<typeof mergeLines>[1], io: Io): void {
  if ('merge' in result) printLines(io, mergeLines(result.merge, asked));
  else io.stderr.write(`${describeError(result.error)}\n`);
}

export function codeOf(result: Result): number {
  if ('error' in result) return result.error.exitCode;
  return MERGED.has(result.merge.outcome.kind) ? ExitCode.complete : ExitCode.incomplete;
}

const MERGED: ReadonlySet<Merge['outcome']['kind']> = new Set(['merged', 'would-merge', 'already']);

export function asJson(result: Result): object {
  if ('merge' in result) {
    const { outcome, ...sides } = result.merge;
    const { kind, ...more } = outcome;
    return { ...sides, result: kind, ...more };
  }
  return { stream: result.name, result: 'refused', error: result.error.facts };
}
