import type { Git } from '../../adapters/git/index.ts';
import type { LedgerIteration, LedgerLine, LedgerReset, TamperFinding } from '../../contracts/index.ts';
import { readInside } from '../../platform/index.ts';
import { decodeText } from '../../rules/backlog/index.ts';
import { growing, STORY_UNDONE } from '../../rules/safeguards/index.ts';
import type { Ended, RunContext } from '../context.ts';
import { type Place, stillUndone } from './lost-work.ts';

/** Most files examined, and most bytes of one: a larger diff is generated, and a reviewer will see it anyway. */
const MAX_FILES = 300;
const MAX_BYTES = 128 * 1024;

/** Tests and checks that the iteration's work weakened. */
export async function tamperingIn(
  { git }: Pick<RunContext, 'git'>,
  { checkpoint, after }: Ended,
  work: readonly string[],
): Promise<readonly TamperFinding[]> {
  const own = new Set(work);
  const mine = after.changed.filter(({ path }) => own.has(path));
  const isNew = ({ status }: (typeof mine)[number]) => status === 'added';
  // New files weaken nothing: however many there are, none of the others hides behind them.
  const changed = [...mine.filter((file) => !isNew(file)), ...mine.filter(isNew)].slice(0, MAX_FILES);
  const changes = await Promise.all(
    changed.map(async ({ path, status }) => ({
      path,
      before: status === 'added' ? null : textOf(await git.show(checkpoint.tree, path), path),
      after: status === 'deleted' ? null : textOf((await readInside(git.repo.root, path, MAX_BYTES)).bytes, path),
    })),
  );
  const { findTampering } = await import('../../rules/test-results/tampering/find-tampering.ts');
  return findTampering(changes);
}

/**
 * Weakened tests on the branch that no review accepted, as far as they still exist in `tree`: those that a later
 * iteration undid are dropped. Those of a parked story are included, or the next story would be approved over them.
 * Prompt, session and judgement all use this function, so that the numbers agree.
 */
export async function tamperingUnderReview(
  place: Place & { readonly git: Pick<Git, 'show'> },
  tree: string,
): Promise<readonly TamperFinding[]> {
  const { git, ledger } = place;
  const { flagged } = unsettled(ledger);
  const [first] = flagged;
  if (first === undefined) return [];
  const found = flagged.flatMap(({ tampering = [] }) => tampering);
  const undone = found.filter(({ kind }) => kind === STORY_UNDONE);
  const weakened = found.filter(({ kind }) => kind !== STORY_UNDONE);
  const holding = [
    ...(undone.length > 0 ? await stillUndone(place, tree, undone) : []),
    ...(first.base === undefined || weakened.length === 0 ? weakened : await stillIn(git, first.base, tree, weakened)),
  ];
  const accepted = new Set(
    ledger
      .slice(ledger.indexOf(first))
      .flatMap((line) => (line.kind === 'iteration' ? (line.acceptedWeakenings ?? []).map(keyOf) : [])),
  );
  return holding.filter((finding) => !accepted.has(keyOf(finding)));
}

/** Iterations whose weakened tests are on the branch, and whose story was not approved since. */
const unsettled = growing<{ flagged: readonly LedgerIteration[] }>(
  () => ({ flagged: [] }),
  (held, line) => {
    const isFlagged = line.kind === 'iteration' && line.commit !== null && (line.tampering ?? []).length > 0;
    if (isFlagged) held.flagged = [...held.flagged, line];
    if (isApproval(line)) held.flagged = held.flagged.filter(({ story }) => story !== line.story);
  },
);

function isApproval(line: LedgerLine): line is LedgerIteration | LedgerReset {
  if (line.kind === 'reset') return line.decision === 'approve';
  return line.kind === 'iteration' && (line.state === 'approved' || line.state === 'done');
}

function keyOf({ kind, path, detail }: TamperFinding): string {
  return JSON.stringify([kind, path, detail]);
}

/** The findings that still show in the change as a whole. */
async function stillIn(
  git: Pick<Git, 'changes' | 'show'>,
  base: string,
  tree: string,
  found: readonly TamperFinding[],
): Promise<readonly TamperFinding[]> {
  const paths = new Set(found.map(({ path }) => path));
  try {
    const changed = await git.changes(base, tree);
    // The other files show whether a test only moved.
    const looked = changed.toSorted((a, b) => Number(paths.has(b.path)) - Number(paths.has(a.path)));
    const changes = await Promise.all(
      looked.slice(0, MAX_FILES).map(async ({ path, status }) => ({
        path,
        before: status === 'added' ? null : textOf(await git.show(base, path), path),
        after: status === 'deleted' ? null : textOf(await git.show(tree, path), path),
      })),
    );
    const { findTampering } = await import('../../rules/test-results/tampering/find-tampering.ts');
    return findTampering(changes).filter(({ path }) => paths.has(path));
  } catch {
    // A person rewrote the branch: only the earlier findings are available.
    return found;
  }
}

function textOf(bytes: Uint8Array | null, path: string): string | null {
  if (bytes === null || bytes.length > MAX_BYTES) return null;
  const decoded = decodeText(bytes, path);
  return 'text' in decoded ? decoded.text : null;
}
