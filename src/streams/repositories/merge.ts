import { ensureStateIgnored } from '../../adapters/workspace/index.ts';
import { LockedError, RalphError } from '../../contracts/index.ts';
import { type Merge, type MergeInput, mergedOf, prepareMerge, type ReadyMerge, recordMerge } from '../merge/merge.ts';
import { removeTrial } from '../merge/try-out.ts';
import type { Landing } from './all-or-none.ts';
import { type Folder, readLanding } from './folder.ts';
import { inTurnOfAll, landRecorded } from './land.ts';

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
