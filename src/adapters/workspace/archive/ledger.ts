import { LEDGER_VERSION, type LedgerLine, listOf, number, type Of, object, text } from '../../../contracts/index.ts';

/**
 * A ledger line that readers never see: earlier lines about these stories belong to an archived loop, whose folder is
 * `label`. The next loop may reuse their ids, and its stories start with no attempts, no failures and no answers.
 */
export const ARCHIVE = object({ stories: listOf(text), label: text, at: number });
export type ArchiveLine = Of<typeof ARCHIVE> & { readonly version: typeof LEDGER_VERSION; readonly kind: 'archive' };

/** The line that closes the history of stories. */
export function archiveLine(stories: readonly string[], label: string, at: number): ArchiveLine {
  return { version: LEDGER_VERSION, kind: 'archive', stories, label, at };
}

/**
 * The ledger with archived stories under names that no current story has. Iterations still count for limits, budgets
 * and the breaker. Lines that settle user words (`reset`, `waiver`) keep their story: else old words would apply again.
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
