import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../run-program.ts';
import { runSuite } from '../suites/run-suite.ts';
import { add, nothing, type Tally } from '../suites/tally.ts';
import { type Check, runDemo } from './package.ts';

/** The release lines that users have, beside the one that runs this. */
const NODE_LINES = ['22', '24', '26'];

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
  const result = await runSuite('unit', { node });
  return { ...result, faults: result.faults.map((fault) => `Node ${line}: ${fault}`) };
}

/** @returns the path of the binary, which was started once. @throws when it is not that Node */
async function fetchNode(line: string, into: string): Promise<string> {
  await mkdir(into);
  await writeFile(join(into, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `node@${line}`];
  const { exitCode } = await runProgram('npm', args, { cwd: into });
  if (exitCode !== 0) throw new Error(`npm install node@${line} ended with ${exitCode ?? 'a signal'}`);
  const node = join(into, 'node_modules/node/bin/node');
  const { output } = await runProgram(node, ['--version'], { cwd: into, capture: true });
  if (!output.startsWith(`v${line}.`)) throw new Error(`node@${line} says it is ${output.trim()}`);
  console.log(output.trim());
  return node;
}
