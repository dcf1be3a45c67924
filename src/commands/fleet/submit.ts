import { randomUUID } from 'node:crypto';
import type { Git } from '../../adapters/git/index.ts';
import { findWorkspace, type Workspace } from '../../adapters/workspace/index.ts';
import { GitRefusal, RalphError, UsageError } from '../../contracts/index.ts';
import { loopFiles } from '../../loop/index.ts';
import { readText } from '../../platform/index.ts';
import { counted, oneLine, shellWord } from '../../rules/text/index.ts';
import {
  FLEET_TASK_VERSION,
  type FleetTask,
  isFleetBranch,
  listCandidates,
  streamBranch,
  streamName,
  takenRef,
} from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { countOf, dollarsOf, given, placeOf, type RawFlags, textOf } from '../shared/flags.ts';
import { OF_SPECS, openProject } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';
import { withFleet } from './engine.ts';
import { conflictWith } from './status.ts';

interface Submitted {
  readonly stream: string;
  readonly branch: string;
  readonly push: 'pushed' | 'there' | 'remote-is-ahead';
  readonly submit: 'submitted' | 'already';
}

/**
 * `ralph fleet submit`: makes sure that the shared remote has the branch of each stream, and hands the streams to the
 * fleet. This is the user's own push, and the only one: agents cannot push, and workers push only what they were
 * handed.
 */
export async function submit(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const remote = textOf(flags, 'remote') ?? io.env['RALPH_REMOTE'] ?? 'origin';
  const branch = textOf(flags, 'branch') ?? null;
  if (branch !== null && args.length > 1) {
    throw new UsageError({ what: '--branch names the branch of one stream', fix: ['submit the streams one by one'] });
  }
  const { streams, leftOut } = await chooseSubmission({ git, branch, remote, flags, io }, args);
  const maxIterations = countOf(flags, 'maxIterations') ?? null;
  const limits = given({
    concurrency: countOf(flags, 'concurrency'),
    calls: countOf(flags, 'calls'),
    maxCost: dollarsOf(flags, 'maxCost'),
  });
  const refused: LeftOut[] = [...leftOut];
  // Before anything is pushed: an unreachable fleet takes nothing.
  const results = await withFleet(flags, io, async (client) => {
    if (Object.keys(limits).length > 0) await client.setLimits(limits);
    const told: Submitted[] = [];
    const known = await client.status();
    for (const one of streams) {
      const conflict = conflictWith(one, known);
      if (conflict !== null) {
        refused.push({ stream: one.stream, why: conflict, open: true });
        continue;
      }
      const push = await publishBranch(git, one, remote, io);
      const { stream, branch, specDir, spec } = one;
      const submission = randomUUID();
      const task: FleetTask = {
        version: FLEET_TASK_VERSION,
        submission,
        branch,
        specDir,
        maxIterations,
        ...(spec && { spec }),
      };
      told.push({ stream, branch, push, submit: await client.submit({ stream, task }) });
    }
    return told;
  });
  printResult(io, flags, { limits, streams: results, leftOut: refused }, [
    ...results.map(lineOf),
    ...refused.map(({ stream, why }) => `${oneLine(stream)} is left out: ${oneLine(why)}`),
    ...hint(results),
    ...(streams.some(({ spec }) => spec) ? [HOME] : []),
  ]);
  return refused.some(({ open }) => open) ? 1 : 0;
}

const PUSH_TEXT: Readonly<Record<Submitted['push'], string>> = {
  pushed: 'pushed',
  there: 'the remote has it',
  'remote-is-ahead': 'the remote has newer commits: the fleet continues from those',
};

function lineOf({ stream, branch, push, submit: kind }: Submitted): string {
  const taken = kind === 'submitted' ? 'submitted' : 'is already submitted to the fleet';
  return `${oneLine(stream)} ${taken}: branch ${oneLine(branch)} (${PUSH_TEXT[push]})`;
}

function hint(results: readonly Submitted[]): readonly string[] {
  if (results.length === 0) return [];
  return [
    '',
    `${counted(results.length, 'stream')}: \`ralph fleet status\` shows ${results.length === 1 ? 'it' : 'them'}`,
  ];
}

const HOME =
  'git ignores the stories: before `ralph stream merge N`, fetch their state, too: ' +
  "git fetch REMOTE '+refs/ralph/fleet/PRD-N/state:refs/ralph/fleet/PRD-N/state'";

interface LeftOut {
  readonly stream: string;
  readonly why: string;
  readonly open: boolean;
}

/**
 * The named streams or, where none is named, all streams of the project with work left, as far as a fleet can work on
 * them.
 * @throws UsageError, GitRefusal as `publishable` does, where it is about one stream alone
 */
async function chooseSubmission(input: Omit<PublishableInput, 'name'>, args: readonly string[]) {
  const all = args.length > 0 || OF_SPECS.some((name) => input.io.env[name]) ? [] : await listCandidates(input.git);
  const finished = all.filter(({ finished }) => finished);
  const names: readonly (string | null)[] = args.length > 0 ? [...new Set(args)] : openOf(all);
  const streams: Publishable[] = [];
  const leftOut: LeftOut[] = finished.map(({ stream }) => ({ stream, why: 'nothing is left to do', open: false }));
  for (const name of names) {
    try {
      streams.push(await publishable({ ...input, name }));
    } catch (error) {
      if (!(error instanceof RalphError) || names.length === 1) throw error;
      leftOut.push({ stream: name ?? '', why: said(error), open: true });
    }
  }
  return withoutShared(streams, leftOut);
}

function openOf(all: Awaited<ReturnType<typeof listCandidates>>): readonly (string | null)[] {
  const open = all.filter(({ finished }) => !finished).map(({ stream }) => stream);
  if (open.length > 0) return open;
  if (all.length === 0) return [null];
  throw new UsageError({
    what: 'nothing is left to do in any stream of this project',
    fix: ['`ralph stories` shows them'],
  });
}

/** Two streams on one branch would fence each other forever: neither is taken. */
function withoutShared(streams: readonly Publishable[], leftOut: readonly LeftOut[]) {
  const others = ({ stream, branch }: Publishable) =>
    streams.filter((one) => one.branch === branch && one.stream !== stream).map(({ stream }) => stream);
  const unique = streams.filter((one, i) => streams.findIndex(({ stream }) => stream === one.stream) === i);
  const shared = unique.filter((one) => others(one).length > 0);
  return {
    streams: unique.filter((one) => !shared.includes(one)),
    leftOut: [
      ...leftOut,
      ...shared.map((one) => ({
        stream: one.stream,
        why: `its branch ${one.branch} is also used by ${others(one).join(' ')}: give each backlog its own \`branchName\``,
        open: true,
      })),
    ],
  };
}

function said({ facts }: RalphError): string {
  const { what, where, fix } = facts;
  return [[what, where].filter(Boolean).join(': '), ...(fix ?? [])].join('; ');
}

/** A stream that a fleet can work on: everything it needs is committed. */
interface Publishable {
  readonly stream: string;
  readonly branch: string;
  /** The commit the branch is at, or is created from. */
  readonly commit: string;
  readonly specDir: string;
  /** `local`: the branch is here. `remote`: only the remote is known to have it. `head`: it is created from HEAD. */
  readonly from: 'local' | 'remote' | 'head';
  /** What the branch does not have of it, because git ignores it. */
  readonly spec?: FleetTask['spec'];
}

interface PublishableInput {
  readonly git: Git;
  /** As typed: `2`, `PRD-2`, the workspace's name; null: the detected workspace. */
  readonly name: string | null;
  /** Overrides the backlog's branch. */
  readonly branch: string | null;
  readonly remote: string;
  readonly flags: RawFlags;
  readonly io: Io;
}

/**
 * Finds the stream in the project, and the branch for a fleet to work on.
 * @throws UsageError for a stream that is not here, a branch that no worker would move, or a backlog that is not
 *   committed
 */
async function publishable(input: PublishableInput): Promise<Publishable> {
  const { git, remote } = input;
  const workspace = await workspaceNamed(input);
  const stream = streamName(workspace);
  const branch = input.branch ?? (await streamBranch(workspace));
  if (!isFleetBranch(branch)) {
    throw new UsageError({
      what: `a fleet does not work on the branch ${branch}`,
      why: 'workers only move branches whose names begin with ralph/, so they never move main',
      fix: [
        `name another one: ralph fleet submit ${shellWord(stream)} --branch ${shellWord(`ralph/${workspace.name}`)}`,
      ],
    });
  }
  const refs = [
    ['local', `refs/heads/${branch}`],
    ['remote', `refs/remotes/${remote}/${branch}`],
    ['head', 'HEAD'],
  ] as const;
  for (const [from, ref] of refs) {
    const commit = await git.resolve(ref);
    if (commit === null) continue;
    const spec = await ignoredSpec(git, workspace, stream);
    if (spec === undefined) await refuseUncommitted(git, commit, workspace, from === 'head' ? 'HEAD' : branch);
    return { stream, branch, commit, specDir: workspace.specDir, from, ...(spec && { spec }) };
  }
  throw new GitRefusal({ what: 'this repository has no commit yet', where: git.repo.root });
}

/**
 * Makes sure that the remote has the branch; never by force.
 * @throws GitRefusal with git's message
 */
async function publishBranch(
  git: Git,
  { branch, commit, from }: Publishable,
  remote: string,
  io: Io,
): Promise<'pushed' | 'there' | 'remote-is-ahead'> {
  if (from === 'remote') return 'there';
  if (from === 'head') await git.createBranch(branch, commit);
  try {
    // A fixed language: git's output is parsed.
    await git.push({ remote, branch, env: { ...io.env, LC_ALL: 'C' }, terminal: false });
    return 'pushed';
  } catch (error) {
    const said = error instanceof GitRefusal ? (error.facts.why ?? '') : '';
    if (/\((?:fetch first|non-fast-forward)\)/.test(said)) return 'remote-is-ahead';
    throw error;
  }
}

async function workspaceNamed({ git, name, flags, io }: PublishableInput): Promise<Workspace> {
  const prd = /^(?:PRD-)?([1-9]\d{0,8})$/i.exec(name ?? '')?.[1];
  const place = placeOf(flags);
  const find = (own: typeof place) => findWorkspace({ root: git.repo.root, cwd: io.cwd, flags: own, env: io.env });
  if (prd !== undefined) return find({ ...place, prd });
  const workspace = await find(place);
  if (name === null || name === streamName(workspace)) return workspace;
  throw new UsageError({
    what: `there is no stream ${name} here`,
    where: `found: ${streamName(workspace)}`,
    fix: ['name a PRD by its number: `ralph fleet submit 2`'],
  });
}

/** Kept here, too: only a copy that is as it was submitted is brought up to date later. */
async function ignoredSpec(git: Git, workspace: Workspace, stream: string): Promise<FleetTask['spec']> {
  const { root, backlog, prdPath, promptPath } = workspace;
  if (backlog === null || (await git.namedByRules([backlog.path])).length === 0) return undefined;
  const paths = [...loopFiles(workspace), prdPath, promptPath];
  await git.saveSpec(paths);
  const files = await Promise.all(paths.map(async (path) => [path, await readText(`${root}/${path}`)] as const));
  const there = files.filter((file): file is readonly [string, string] => file[1] !== null);
  return { files: Object.fromEntries(there), from: (await git.resolve(takenRef(stream))) ?? '' };
}

async function refuseUncommitted(git: Git, commit: string, { backlog, specDir }: Workspace, where: string) {
  if (backlog !== null && (await git.show(commit, backlog.path)) !== null) return;
  throw new UsageError({
    what: `${where} does not contain the backlog`,
    where: backlog?.path ?? specDir,
    why: 'workers see only what is committed and pushed',
    fix: [`commit it there: git add ${shellWord(specDir)} && git commit -m "Plan"`],
  });
}
