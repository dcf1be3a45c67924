import type { FileChange, TamperFinding } from '../api.ts';
import { bagOf, surplus } from '../source/tokens.ts';

const snapshotFile =
  /(?:^|\/)__snapshots__\/|\.(?:snap|ambr|approved\.\w+|verified\.\w+)$|-snapshots\/|(?:^|\/)__image_snapshots__\//;

/** From this share of its lines on, a snapshot was rewritten and not adapted. */
const wholesale = 0.5;
const fewLines = 10;

/** Snapshots that are gone, or that were recorded anew as a whole. */
export function changedSnapshots(changes: readonly FileChange[]): TamperFinding[] {
  const files = changes.filter(({ path }) => snapshotFile.test(path));
  const arrived = new Set(files.filter(({ before }) => before === null).map(({ after }) => after));
  return files.flatMap(({ path, before, after }): TamperFinding[] => {
    if (before === null || (after === null && arrived.has(before))) return [];
    const share = lostShare(before, after ?? '');
    if (after !== null && share < wholesale) return [];
    const detail =
      after === null ? 'A snapshot was deleted.' : `${Math.round(share * 100)} % of a snapshot's lines are gone.`;
    return [{ kind: 'snapshot-changed', path, line: 1, detail, severity: 'low' }];
  });
}

function lostShare(before: string, after: string): number {
  const lines = (text: string) => bagOf(text.split('\n').filter((line) => line.trim() !== ''));
  const total = [...lines(before).values()].reduce((sum, count) => sum + count, 0);
  if (total < fewLines) return 0;
  return [...surplus(lines(before), lines(after)).values()].reduce((sum, count) => sum + count, 0) / total;
}
