import type { Git } from '../../adapters/git/port.ts';
import { findWorkspace, type Workspace } from '../../adapters/workspace/layout.ts';
import { GitRefusal, UsageError } from '../../contracts/errors.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { isFleetBranch } from '../../streams/fleet/task.ts';
import { streamBranch, streamName } from '../../streams/tree.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { placeOf, type RawFlags } from '../shared/flags.ts';

/** A stream that a fleet can work on: what it needs is committed. */
export interface Publishable {
  readonly stream: string;
  readonly branch: string;
  /** That it stands at, or is made from. */
  readonly commit: string;
  readonly specDir: string;
  /** `local`: the branch is here. `remote`: only the remote is known to have it. `head`: it is made from HEAD. */
  readonly from: 'local' | 'remote' | 'head';
}

export interface PublishableInput {
  readonly git: Git;
  /** As typed: `2`, `PRD-2`, the workspace's name; null: the workspace that is found. */
  readonly name: string | null;
  /** Instead of the backlog's. */
  readonly branch: string | null;
  readonly remote: string;
  readonly flags: RawFlags;
  readonly io: Io;
}

/**
 * Finds the stream in the project, and the branch that a fleet is to work on.
 * @throws UsageError for a stream that is not here, a branch that no worker would move, or a backlog that is not committed
 */
export async function publishable(input: PublishableInput): Promise<Publishable> {
  const { git, remote } = input;
  const workspace = await workspaceNamed(input);
  const stream = streamName(workspace);
  const branch = input.branch ?? (await streamBranch(workspace));
  if (!isFleetBranch(branch)) {
    throw new UsageError({
      what: `a fleet does not work on the branch ${branch}`,
      why: 'workers only move branches whose names begin with ralph/, so that none of them ever moves main',
      mend: [
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
    await refuseUncommitted(git, commit, workspace, from === 'head' ? 'HEAD' : branch);
    return { stream, branch, commit, specDir: workspace.specDir, from };
  }
  throw new GitRefusal({ what: 'this repository has no commit yet', where: git.repo.root });
}

/**
 * Sees to it that the remote has the branch; never by force.
 * @throws GitRefusal with what git said
 */
export async function publishBranch(
  git: Git,
  { branch, commit, from }: Publishable,
  remote: string,
  io: Io,
): Promise<'pushed' | 'there' | 'remote-is-ahead'> {
  if (from === 'remote') return 'there';
  if (from === 'head') await git.createBranch(branch, commit);
  try {
    // In one language: what git says is looked at.
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
    mend: ['name a PRD by its number: `ralph fleet submit 2`'],
  });
}

async function refuseUncommitted(git: Git, commit: string, { backlog, specDir }: Workspace, where: string) {
  if (backlog !== null && (await git.show(commit, backlog.path)) !== null) return;
  throw new UsageError({
    what: `${where} does not hold the backlog`,
    where: backlog?.path ?? specDir,
    why: 'workers know nothing but what is committed and pushed',
    mend: [`commit it there: git add ${shellWord(specDir)} && git commit -m "Plan"`],
  });
}
