import {
  count,
  exactly,
  fits,
  jsonObject,
  listOf,
  nullOr,
  number,
  object,
  oneOf,
  StateError,
  type TurnReport,
  text,
} from '../../contracts/index.ts';

const OUTCOME_VERSION = 1;

/** Name in the state of a stream: the loop's files in the spec folder that no commit holds. */
export const LOOSE = 'loose.json';

export function looseFiles(text: string | undefined): Readonly<Record<string, Uint8Array | null>> {
  if (text === undefined) return {};
  try {
    const entries = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>);
    return Object.fromEntries(
      entries.map(([path, content]) => [path, content === null ? null : Buffer.from(String(content), 'utf8')]),
    );
  } catch {
    throw new StateError({
      what: 'the state of the stream cannot be read',
      where: LOOSE,
      fix: ['use one version of ralph in the whole fleet, then: `ralph fleet retry`'],
    });
  }
}

/** Name in the state of a stream. */
export const OUTCOME_FILE = 'outcome.json';

/** The last turn of a stream that counts: pushed together with its work. */
export interface LastTurn {
  readonly submission: string;
  /** 1-based. */
  readonly n: number;
  readonly report: TurnReport;
  /** Commit of the branch that was pushed with it. */
  readonly head: string | null;
}

export function formatOutcome({ submission, n, head, report }: LastTurn): string {
  return `${JSON.stringify({ version: OUTCOME_VERSION, submission, n, head, report }, null, 2)}\n`;
}

const LAST_TURN = object({
  version: exactly(OUTCOME_VERSION),
  submission: text,
  n: count,
  head: nullOr(text),
  report: object({
    outcome: object({ kind: oneOf('next', 'later', 'done') }),
    used: object({ costUsd: number, tokens: number, calls: listOf(number) }),
  }),
});

/** @throws StateError for a text not written by a worker of this version: no guesses about what was done */
export function parseOutcome(json: string, stream: string): LastTurn {
  const value = jsonObject(json);
  if (fits(LAST_TURN, value)) {
    const { submission, n, report, head } = value as unknown as LastTurn;
    return { submission, n, report, head };
  }
  throw new StateError({
    what: `the state of stream ${stream} cannot be read`,
    where: `refs/ralph/fleet/${stream}/state: ${OUTCOME_FILE}`,
    why: 'another version of ralph wrote it, or it was edited',
    fix: ['use one version of ralph in the whole fleet, then: `ralph fleet retry`'],
  });
}
