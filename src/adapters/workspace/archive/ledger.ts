import { LEDGER_VERSION, type LedgerLine } from '../../../contracts/state/ledger.ts';

/**
 * A line of the ledger that readers never see: what was written about these stories before it is of an archived loop.
 * The next loop may use their ids again, and its stories start with no attempts, no failures and no answers.
 */
export interface ArchiveLine {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'archive';
  readonly stories: readonly string[];
  /** Name of the archive's folder. */
  readonly label: string;
  /** Epoch ms. */
  readonly at: number;
}

/** Types of its fields. */
export const ARCHIVE_FIELDS = { stories: 'array', label: 'string', at: 'number' } as const;

/** The line that closes the history of stories. */
export function archiveLine(stories: readonly string[], label: string, at: number): ArchiveLine {
  return { version: LEDGER_VERSION, kind: 'archive', stories, label, at };
}

/**
 * The ledger with archived stories under names that no living story has. Iterations still count for limits, budgets
 * and the breaker. What settles words of people (`reset`, `waiver`) keeps its story: else an old word would hold again.
 */
export function withArchivedApart(lines: readonly (LedgerLine | ArchiveLine)[]): readonly LedgerLine[] {
  const archives = lines.flatMap((line, at) =>
    line.kind === 'archive' ? [{ at, label: line.label, stories: new Set(line.stories) }] : [],
  );
  if (archives.length === 0) return lines as readonly LedgerLine[];
  return lines.flatMap((line, at): readonly LedgerLine[] => {
    if (line.kind === 'archive') return [];
    if (line.kind !== 'iteration' && line.kind !== 'answer') return [line];
    const closed = archives.find((archive) => archive.at > at && archive.stories.has(line.story));
    return [closed === undefined ? line : { ...line, story: `${line.story} (${closed.label})` }];
  });
}
