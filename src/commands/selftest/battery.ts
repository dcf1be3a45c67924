import { systemClock } from '../../platform/clock.ts';
import { remove } from '../../platform/files/files.ts';
import { leftovers } from './invariants/leftovers.ts';
import { conclusionOf, judgeRow } from './judge.ts';
import { type PlayOptions, play } from './play.ts';
import { makeProject } from './project.ts';
import type { Row } from './rows/row.ts';

/** How a row came out. */
export interface RowResult {
  readonly name: string;
  readonly held: boolean;
  /** What came out, in a few words. */
  readonly concluded: string;
  readonly exitCode: number | null;
  /** What the agent did. */
  readonly did: string;
  readonly expected: string;
  readonly seconds: number;
  /** What is not as it must be; absent when the row held. */
  readonly why?: readonly string[];
  /** Where it can be looked at; absent when it was removed. */
  readonly folder?: string;
}

export interface BatteryOptions extends PlayOptions {
  /** How many rows at a time. */
  readonly jobs: number;
  /** Leave the repositories where they are. */
  readonly keep: boolean;
  /** Told of every row in the order of the table, as soon as all before it are through. Must not throw. */
  readonly onResult: (result: RowResult) => void;
}

/** Plays rows, several at a time, each in a repository of its own. After an abort no further row is begun. */
export async function playBattery(rows: readonly Row[], options: BatteryOptions): Promise<readonly RowResult[]> {
  const results: (RowResult | undefined)[] = rows.map(() => undefined);
  let next = 0;
  let told = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < rows.length && !options.signal.aborted; at = next++) {
      const row = rows[at];
      if (row) results[at] = (await playRow(row, options)) ?? undefined;
      for (let result = results[told]; result; result = results[told]) {
        options.onResult(result);
        told += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, worker));
  return results.filter((result) => result !== undefined);
}

/** null when it was cut short: then nothing can be concluded from it. */
async function playRow(row: Row, options: BatteryOptions): Promise<RowResult | null> {
  const startedAt = systemClock.now();
  const project = await makeProject(row, options.agent);
  try {
    const played = await play(row, project, options);
    if (options.signal.aborted) {
      // What is still ending would write into the folder while it is removed.
      await leftovers(played.run);
      return null;
    }
    const why = await judgeRow(row, project, played, options.agent);
    return {
      name: row.name,
      held: why.length === 0,
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

function expectationOf({ expect: { exitCode, reason, verdicts } }: Row): string {
  return `exit ${exitCode}, ${reason}: ${verdicts.join(', ')}`;
}
