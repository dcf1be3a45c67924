import { StateError, type TurnReport } from '../../contracts/index.ts';

const OUTCOME_VERSION = 1;

/** Name in the state of a stream. */
export const OUTCOME_FILE = 'outcome.json';

/** The last turn of a stream that counts: pushed together with its work. */
export interface LastTurn {
  readonly submission: string;
  /** 1-based. */
  readonly n: number;
  readonly report: TurnReport;
  /** Commit of the branch that was pushed with it; null when an earlier version wrote it. */
  readonly head: string | null;
}

export function formatOutcome({ submission, n, head, report }: LastTurn): string {
  return `${JSON.stringify({ version: OUTCOME_VERSION, submission, n, head, report }, null, 2)}\n`;
}

/** @throws StateError for a text not written by a worker of this version: no guesses about what was done */
export function parseOutcome(text: string, stream: string): LastTurn {
  const value = parsed(text);
  const { version, submission, n, head, report } = value;
  const isRead = version === OUTCOME_VERSION && typeof submission === 'string' && Number.isSafeInteger(n);
  if (isRead && isReport(report))
    return { submission, n: Number(n), report, head: typeof head === 'string' ? head : null };
  throw new StateError({
    what: `the state of stream ${stream} cannot be read`,
    where: `refs/ralph/fleet/${stream}/state: ${OUTCOME_FILE}`,
    why: 'another version of ralph wrote it, or somebody edited it',
    mend: ['use one version of ralph in the whole fleet, then: `ralph fleet retry`'],
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isReport(value: unknown): value is TurnReport {
  const { outcome, used } = (value ?? {}) as Partial<TurnReport>;
  return (
    ['next', 'later', 'done'].includes(String(outcome?.kind)) &&
    typeof used?.costUsd === 'number' &&
    typeof used.tokens === 'number' &&
    Array.isArray(used.calls)
  );
}
