import { remove, systemClock } from '../../platform/index.ts';
import { leftovers } from './invariants.ts';
import { conclusionOf, judgeRow } from './judge.ts';
import { type Played, type PlayOptions, play } from './play.ts';
import { makeProject } from './project.ts';
import type { Category, Row } from './rows/row.ts';

export interface RowResult {
  readonly name: string;
  readonly category: Category;
  /** False: the misbehaviour never happened, so the row shows nothing; it was stopped, or another agent did not act. */
  readonly played: boolean;
  readonly held: boolean;
  readonly concluded: string;
  readonly exitCode: number | null;
  readonly did: string;
  readonly expected: string;
  readonly seconds: number;
  /** What went wrong; absent when the row held. */
  readonly why?: readonly string[];
  /** Where to examine it; absent when it was removed. */
  readonly folder?: string;
}

interface BatteryOptions extends PlayOptions {
  readonly jobs: number;
  readonly keep: boolean;
  /** Called for every row in the order of the table, as soon as all before it are done. Must not throw. */
  readonly onResult: (result: RowResult) => void;
}

/** Plays rows, several at a time, each in its own repository. After an abort the rest is reported as not played. */
export async function playBattery(rows: readonly Row[], options: BatteryOptions): Promise<readonly RowResult[]> {
  const results: (RowResult | undefined)[] = rows.map(() => undefined);
  let next = 0;
  let told = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < rows.length; at = next++) {
      const row = rows[at];
      if (row) results[at] = (options.signal.aborted ? null : await playRow(row, options)) ?? stoppedBefore(row);
      for (let result = results[told]; result; result = results[told]) {
        options.onResult(result);
        told += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, worker));
  return results.filter((result) => result !== undefined);
}

/** null when it was cut short: then it proves nothing. */
async function playRow(row: Row, options: BatteryOptions): Promise<RowResult | null> {
  const startedAt = systemClock.now();
  const project = await makeProject(row, options.agent);
  try {
    const played = await play(row, project, options);
    if (options.signal.aborted) {
      // Processes that are still ending would write into the folder during its removal.
      await leftovers(played.run);
      return null;
    }
    const why = await judgeRow(row, project, played, options.agent);
    const isPlayed = options.agent === null || wasPlayed(row, played);
    return {
      name: row.name,
      category: row.category,
      played: isPlayed || why.length > 0,
      held: isPlayed && why.length === 0,
      concluded: conclusionOf(played),
      exitCode: played.exitCode,
      did: row.does,
      expected: options.agent === null ? expectationOf(row) : 'an exit code that fits what is left',
      seconds: Math.round((systemClock.now() - startedAt) / 100) / 10,
      ...(why.length > 0 ? { why } : {}),
      ...(options.keep ? { folder: project.folder } : {}),
    };
  } finally {
    if (!options.keep) await remove(project.folder);
  }
}

/** Another agent that did nothing at all has played only the rows about doing nothing. */
function wasPlayed({ expect }: Row, { verdicts }: Played): boolean {
  return expect.verdicts[0] === 'no-progress' || verdicts.some((verdict) => verdict !== 'no-progress');
}

function stoppedBefore(row: Row): RowResult {
  const { name, category, does } = row;
  return {
    ...{ name, category, did: does, expected: expectationOf(row) },
    ...{ played: false, held: false, concluded: 'stopped before', exitCode: null, seconds: 0 },
  };
}

function expectationOf({ expect: { exitCode, reason, verdicts } }: Row): string {
  return `exit ${exitCode}, ${reason}: ${verdicts.join(', ')}`;
}
