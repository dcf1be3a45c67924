import { writeFile } from 'node:fs/promises';
import { closingLine, type Tally } from './tally.ts';

/** Ends a script of tests: what failed, how to repeat it alone, and one line over all; or a file for a caller's own. */
export async function closing(tally: Tally, file: string | undefined): Promise<void> {
  if (file !== undefined) await writeFile(file, JSON.stringify(tally));
  else {
    for (const fault of tally.faults) console.error(`✗ ${fault}`);
    console.log(closingLine(tally));
  }
  process.exitCode = tally.failed > 0 ? 1 : 0;
}
