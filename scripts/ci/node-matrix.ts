import { join } from 'node:path';
import type { Check } from '../suites/checks.ts';
import { QUICK, runSuites } from '../suites/run-suite.ts';
import { nothing, type Tally } from '../suites/tally.ts';
import { fetchNode, NODE_LINES } from './fetch-node.ts';
import { runDemo } from './package.ts';

/** Unit tests ran on the oldest line already: what differs between two lines differs between that and the newest. */
const NEWEST = '26';
/** A new Node changes V8 under the rules, and its own functions under platform. `npm run matrix` runs all tests. */
const MEETS_NODE = ['src/rules', 'src/contracts', 'src/platform'];

/**
 * Runs the packed demo on the newest release of each Node line, and the unit tests of rules and platform on that of the
 * newest. The binaries come from the npm package `node`, into the temp folder.
 *
 * @returns the counts of the unit tests; the rest is reported to `check`
 */
export async function runOnOtherNodes(folder: string, check: Check): Promise<Tally> {
  // The line that runs this had everything already.
  const others = NODE_LINES.filter((line) => !process.version.startsWith(`v${line}.`));
  const nodes = new Map<string, string>();
  await Promise.all(
    others.map((line) =>
      check(`the packed demo on Node ${line}`, async () => {
        const node = await fetchNode(line, join(folder, `node-${line}`));
        nodes.set(line, node);
        await runDemo(folder, node);
      }),
    ),
  );
  const newest = nodes.get(NEWEST);
  return newest === undefined ? nothing : unitTests(NEWEST, newest);
}

async function unitTests(line: string, node: string): Promise<Tally> {
  console.log(`\n── unit tests on Node ${line}`);
  const result = await runSuites(QUICK, { node, files: MEETS_NODE });
  return { ...result, faults: result.faults.map((fault) => `Node ${line}: ${fault}`) };
}
