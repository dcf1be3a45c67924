/**
 * `npm run matrix [-- LINE… [SUITE… [FILTER…]]]`: everything once on each release line of Node: all suites, then the
 * packed demo. With suites or filters only those, on each of the lines. Prints one row per line at the end.
 *
 * Hours, so that it runs on demand; what CI does of it is in scripts/ci/node-matrix.ts.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchNode, NODE_LINES } from './ci/fetch-node.ts';
import { checkPackage, runDemo } from './ci/package.ts';
import { type MatrixRequest, readMatrixArguments } from './matrix/arguments.ts';
import { root } from './root.ts';
import { runProgram } from './run-program.ts';
import { add, closingLine, nothing, type Tally } from './suites/tally.ts';

interface Row {
  readonly line: string;
  readonly tally: Tally;
  readonly minutes: number;
}

let request: MatrixRequest;
try {
  request = readMatrixArguments(process.argv.slice(2), NODE_LINES);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'ralph-matrix-'));
const rows: Row[] = [];
try {
  const whole = request.tests.length === 0;
  if (whole) await packOnce();
  for (const line of request.lines) rows.push(await runLine(line, whole));
} finally {
  await rm(folder, { recursive: true, force: true });
}

console.log('');
for (const { line, tally } of rows) {
  for (const fault of tally.faults) console.log(`✗ Node ${line}: ${fault}`);
}
for (const { line, tally, minutes } of rows) {
  console.log(`Node ${line}   ${closingLine(tally)}   ${minutes.toFixed(1)} min`);
}
process.exitCode = rows.some(({ tally }) => tally.failed > 0) ? 1 : 0;

/** One tarball for all lines: users of every Node get the same. */
async function packOnce(): Promise<void> {
  await checkPackage(folder, async (title, body) => {
    console.log(`\n── ${title}`);
    await body();
  });
}

async function runLine(line: string, withDemo: boolean): Promise<Row> {
  const started = Date.now();
  let tally: Tally = nothing;
  try {
    console.log(`\n══ Node ${line}`);
    const node = await fetchNode(line, join(folder, `node-${line}`));
    tally = await runTests(node, join(folder, `tally-${line}.json`));
    if (withDemo) await runDemo(folder, node);
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    tally = add(tally, { ...nothing, failed: 1, faults: [fault] });
  }
  return { line, tally, minutes: (Date.now() - started) / 60_000 };
}

async function runTests(node: string, counts: string): Promise<Tally> {
  const script = [join(root, 'scripts/bootstrap.mjs'), 'scripts/test.ts'];
  const { exitCode } = await runProgram(node, [...script, ...request.tests, '--tally', counts], { cwd: root });
  return readFile(counts, 'utf8').then(JSON.parse, () => ({
    ...nothing,
    failed: 1,
    faults: [`the tests ended with ${exitCode ?? 'a signal'} before any suite did`],
  }));
}
