import { join } from 'node:path';
import type { Check } from '../suites/checks.ts';
import { runSuites } from '../suites/run-suite.ts';
import { add, nothing, type Tally } from '../suites/tally.ts';
import { fetchNode, NODE_LINES } from './fetch-node.ts';
import { runDemo } from './package.ts';

/** Unit tests ran on the oldest line already: what differs between two lines differs between that and the newest. */
const NEWEST = '26';

/**
 * Runs the packed demo on the newest release of each Node line, and the unit tests on that of the newest. The binaries
 * come from the npm package `node`, into the temp folder.
 *
 * @returns the counts of the unit tests; the rest is reported to `check`
 */
export async function runOnOtherNodes(folder: string, check: Check): Promise<Tally> {
  let tally = nothing;
  for (const line of NODE_LINES) {
    // The line that runs this had everything already.
    if (process.version.startsWith(`v${line}.`)) continue;
    let node: string | null = null;
    await check(`Node ${line} can be had`, async () => {
      node = await fetchNode(line, join(folder, `node-${line}`));
    });
    if (node === null) continue;
    if (line === NEWEST) tally = add(tally, await unitTests(line, node));
    await check(`the packed demo on Node ${line}`, () => runDemo(folder, node ?? ''));
  }
  return tally;
}

async function unitTests(line: string, node: string): Promise<Tally> {
  console.log(`\n── unit tests on Node ${line}`);
  const result = await runSuites(['pure', 'unit'], { node });
  return { ...result, faults: result.faults.map((fault) => `Node ${line}: ${fault}`) };
}
