import type { Git } from '../../adapters/git/index.ts';
import { ensureStateIgnored } from '../../adapters/workspace/index.ts';
import { type Env, LockedError, RalphError, UsageError } from '../../contracts/index.ts';
import { crashpoint, remove, writePrivate } from '../../platform/index.ts';
import {
  advance,
  type Merge,
  type MergeInput,
  mergedOf,
  prepareMerge,
  type ReadyMerge,
  recordMerge,
} from '../merge/merge.ts';
import { inTurn } from '../merge/queue.ts';
import { removeTrial } from '../merge/try-out.ts';
import { type Landing, landTogether, type Step } from './all-or-none.ts';
import { type Folder, type LandingFile, type Move, NAME, openClone, pathIn, readLanding, VERSION } from './folder.ts';

export type PartMerge = { readonly repository: string } & ({ readonly merge: Merge } | { readonly error: RalphError });

interface TogetherResult {
  readonly parts: readonly PartMerge[];
  /** How the branches moved; null: none was to move. */
  readonly landing: Landing | null;
}

/**
 * Merges the streams of all repositories of a folder, or none of them: each is made and checked on its own, and only
 * when all are ready the branches move, together.
 */
export async function mergeTogether(folder: Folder, inputs: ReadonlyMap<string, MergeInput>): Promise<TogetherResult> {
  const all = [...inputs];
  const [first] = inputs.values();
  if (first === undefined) return { parts: [], landing: null };
  const { dryRun, signal, tell } = first;
  // Conflicts and open stories show before the first check runs.
  const dry = await eachOf(all, (input) => prepareMerge({ ...input, dryRun: true }));
  if (dryRun || dry.every(isAlready) || !dry.every(isGood)) return { parts: dry.map(heldOf), landing: null };
  const gits = all.map(([, { git }]) => git);
  return inTurnOfAll(gits, { signal, tell }, async () => {
    const ready = await eachOf(all, async (input, repository) => {
      await removeTrial(input.git);
      return prepareMerge({ ...input, tell: (text) => tell(`${repository}: ${text}`) });
    });
    if (!ready.every(isGood)) return { parts: ready.map(heldOf), landing: null };
    const moving = ready.flatMap((one) => (isReady(one) ? [{ repository: one.repository, ...one.merge }] : []));
    for (const one of moving) await recordMerge(one);
    await refuseOtherLanding(folder);
    await ensureStateIgnored(folder.root);
    const moves = moving.map(({ repository, sides, made }) => {
      return { repository, branch: sides.into, from: sides.base, to: made.commit };
    });
    const gitOf = (name: string) => (inputs.get(name) as MergeInput).git;
    const landing = await landRecorded(folder.root, folder.stream, moves, gitOf);
    const parts = ready.map(async (one): Promise<PartMerge> => {
      if (!isReady(one) || !landing.landed.includes(one.repository)) return heldOf(one);
      return { repository: one.repository, merge: await mergedOf(one.merge) };
    });
    return { parts: await Promise.all(parts), landing };
  });
}

type Prepared = { readonly repository: string } & (
  | { readonly merge: Merge | ReadyMerge }
  | { readonly error: RalphError }
);

async function eachOf(
  all: readonly (readonly [string, MergeInput])[],
  prepare: (input: MergeInput, repository: string) => Promise<Merge | ReadyMerge>,
): Promise<readonly Prepared[]> {
  const found: Prepared[] = [];
  for (const [repository, input] of all) {
    try {
      found.push({ repository, merge: await prepare(input, repository) });
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      found.push({ repository, error });
    }
  }
  return found;
}

function isReady(one: Prepared): one is { repository: string; merge: ReadyMerge } {
  return 'merge' in one && !('outcome' in one.merge);
}

function kindOf(one: Prepared): Merge['outcome']['kind'] | 'ready' | 'error' {
  if ('error' in one) return 'error';
  return 'outcome' in one.merge ? one.merge.outcome.kind : 'ready';
}

const isAlready = (one: Prepared) => kindOf(one) === 'already';
const isGood = (one: Prepared) => ['ready', 'already', 'would-merge'].includes(kindOf(one));

/** As it is when nothing moved. */
function heldOf(one: Prepared): PartMerge {
  if ('error' in one) return one;
  const { repository, merge } = one;
  return { repository, merge: 'outcome' in merge ? merge : merge.as({ kind: 'held' }) };
}

/** Another process was killed since this one began. */
async function refuseOtherLanding({ root }: Folder): Promise<void> {
  if ((await readLanding(root)) === null) return;
  const what = 'a merge of these repositories was cut off meanwhile';
  throw new LockedError({ what, where: root, fix: ['try again: it is finished first'] }, false);
}

/** Moves all branches, or none, with a record on disk by which the next command finishes or undoes it. */
async function landRecorded(
  folder: string,
  stream: string,
  moves: readonly Move[],
  gitOf: (repository: string) => Git,
): Promise<Landing> {
  const file: LandingFile = { version: VERSION, stream, moves: [...moves] };
  await writePrivate(pathIn(folder), `${JSON.stringify(file)}\n`);
  crashpoint('landing-recorded');
  const landing = await landTogether(moves.map((move) => stepOf(gitOf(move.repository), move, stream)));
  await remove(pathIn(folder));
  return landing;
}

function stepOf(git: Git, { repository, branch, from, to }: Move, stream: string): Step {
  return {
    name: repository,
    async look() {
      const now = await git.resolve(`refs/heads/${branch}`);
      if (now === from) return 'before';
      if (now === to) return 'there';
      return now !== null && (await git.descends(now, to)) ? 'beyond' : 'elsewhere';
    },
    async move(back) {
      const [base, commit] = back ? [to, from] : [from, to];
      const advanced = await advance(git, { into: branch, base }, commit, stream, back);
      switch (advanced.kind) {
        case 'in-the-way':
          return `uncommitted files are in the way in ${advanced.root}: ${advanced.paths.join(', ')}`;
        case 'moved-by-someone':
          return `${branch} was moved by someone else`;
        default:
          return null;
      }
    },
  };
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** Runs a task while no other merge runs in any of these repositories. */
async function inTurnOfAll<T>(gits: readonly Git[], waiting: Waiting, task: () => Promise<T>): Promise<T> {
  const [git, ...others] = gits;
  if (git === undefined) return task();
  const turn = { commonDir: git.repo.commonDir, command: 'ralph stream merge', ...waiting };
  return inTurn(turn, () => inTurnOfAll(others, waiting, task));
}

/** Finishes a merge that was killed, or undoes it. Null: there was none. */
export async function finishLanding(root: string, env: Env, waiting: Waiting): Promise<Landing | null> {
  const found = await readLanding(root);
  if (found === null) return null;
  const odd = found.moves.find(({ repository }) => !NAME.test(repository));
  if (odd !== undefined) throw new UsageError({ what: `'${odd.repository}' cannot be a repository`, where: root });
  const gits = new Map<string, Git>();
  for (const { repository } of found.moves) gits.set(repository, await openClone(root, repository, env));
  return inTurnOfAll([...gits.values()], waiting, async () => {
    // Another process may have done it meanwhile.
    const file = await readLanding(root);
    return file && landRecorded(root, file.stream, file.moves, (name) => gits.get(name) as Git);
  });
}
