import type { LedgerIteration, LedgerLine } from '../../src/contracts/index.ts';

/** Paths that differ between two commits or trees. */
type Changes = (from: string, to: string) => readonly string[];

/** What `missingWork` asks about, where the answers have to be fetched first. */
export function questionsOf(ledger: readonly LedgerLine[], head: string): readonly (readonly [string, string])[] {
  return [...stepsByStory(ledger).values()].flatMap((steps) =>
    steps.flatMap(({ base, commit }) => [[base, commit] as const, [base, head] as const]),
  );
}

/**
 * Stories that are done although everything that was accepted for them is as it was before: the promise of every run,
 * told from the records and from trees alone. Not those that a person decided about, or that a review let go.
 */
export function missingWork(
  done: readonly string[],
  ledger: readonly LedgerLine[],
  head: string,
  changes: Changes,
): readonly string[] {
  const found: string[] = [];
  for (const [story, steps] of stepsByStory(ledger)) {
    const [first] = steps;
    const isLetGo = ledger.some(
      (line) =>
        (line.kind === 'reset' && line.story === story) ||
        (line.kind === 'iteration' && line.acceptedWeakenings?.some(({ detail }) => detail.includes(` ${story} `))),
    );
    if (first === undefined || isLetGo || !done.includes(story)) continue;
    const since = new Set(changes(first.base, head));
    const brought = steps.flatMap(({ base, commit }) => changes(base, commit)).filter((path) => !isOfTheLoop(path));
    if (brought.length > 0 && brought.every((path) => !since.has(path)))
      found.push(`${story} is done, and nothing of its work is there: ${[...new Set(brought)].join(', ')}`);
  }
  return found;
}

function isOfTheLoop(path: string): boolean {
  return path.startsWith('ralph/') || path.startsWith('.ralph/');
}

interface Step {
  readonly base: string;
  readonly commit: string;
}

function stepsByStory(ledger: readonly LedgerLine[]): ReadonlyMap<string, readonly Step[]> {
  const stories = new Map<string, Step[]>();
  for (const line of ledger) {
    if (line.kind !== 'iteration' || !isAccepted(line)) continue;
    const { base, commit } = line;
    stories.set(line.story, [...(stories.get(line.story) ?? []), { base, commit }]);
  }
  return stories;
}

function isAccepted(line: LedgerIteration): line is LedgerIteration & Step {
  const isGood = line.verdict === 'accepted' || line.verdict === 'advanced';
  return isGood && line.commit !== null && line.base !== undefined && line.workFiles > 0;
}
