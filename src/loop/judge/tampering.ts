import type { Git } from '../../adapters/git/port.ts';
import type { TamperFinding } from '../../contracts/model.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { decodeText } from '../../rules/backlog/formats/decode.ts';
import { findTampering } from '../../rules/verdict/tampering/find-tampering.ts';
import type { RunContext } from '../context.ts';
import type { Ended } from './ended.ts';

/** Files looked at, and bytes of one: a diff beyond that is generated, and a reviewer will see it anyway. */
const MAX_FILES = 300;
const MAX_BYTES = 128 * 1024;

/** Tests and checks that the iteration's work weakened. */
export async function tamperingIn(
  { git }: RunContext,
  { checkpoint, after }: Ended,
  work: readonly string[],
): Promise<readonly TamperFinding[]> {
  const own = new Set(work);
  const changed = after.changed.filter(({ path }) => own.has(path)).slice(0, MAX_FILES);
  const changes = await Promise.all(
    changed.map(async ({ path, status }) => ({
      path,
      before: status === 'added' ? null : textOf(await git.show(checkpoint.tree, path), path),
      after: status === 'deleted' ? null : textOf((await readInside(git.repo.root, path, MAX_BYTES)).bytes, path),
    })),
  );
  return findTampering(changes);
}

/**
 * Findings in the story's committed work since it was last approved, as far as they still hold in `tree`: what a later
 * iteration undid is gone. Prompt, desk and settle ask here, so that all of them have the same numbers.
 */
export async function tamperingUnderReview(
  git: Pick<Git, 'changes' | 'show'>,
  ledger: readonly LedgerLine[],
  story: string,
  tree: string,
): Promise<readonly TamperFinding[]> {
  const lines = ledger.filter((line) => (line.kind === 'iteration' || line.kind === 'reset') && line.story === story);
  const flagged = lines
    .slice(lines.findLastIndex(isApproval) + 1)
    .flatMap((line) => (line.kind === 'iteration' && line.commit && line.tampering?.length ? [line] : []));
  const found = flagged.flatMap(({ tampering = [] }) => tampering);
  const [first] = flagged;
  if (first?.base === undefined) return found;
  const paths = new Set(found.map(({ path }) => path));
  try {
    const changes = await changedTexts(git, first.base, tree);
    return findTampering(changes).filter(({ path }) => paths.has(path));
  } catch {
    // A branch that a person rewrote: what was found then is all there is.
    return found;
  }
}

function isApproval(line: LedgerLine): boolean {
  if (line.kind === 'reset') return line.decision === 'approve';
  return line.kind === 'iteration' && (line.state === 'approved' || line.state === 'done');
}

async function changedTexts(git: Pick<Git, 'changes' | 'show'>, from: string, to: string) {
  const changed = (await git.changes(from, to)).slice(0, MAX_FILES);
  return Promise.all(
    changed.map(async ({ path }) => ({
      path,
      before: textOf(await git.show(from, path), path),
      after: textOf(await git.show(to, path), path),
    })),
  );
}

function textOf(bytes: Uint8Array | null, path: string): string | null {
  if (bytes === null || bytes.length > MAX_BYTES) return null;
  const decoded = decodeText(bytes, path);
  return 'text' in decoded ? decoded.text : null;
}
