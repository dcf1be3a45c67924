/**
 * `npm run test:agents [-- AGENT…]`: installs the real clients of other agents, drives each of them through the built
 * `ralph run` against a scripted model on loopback, and prints one line per agent. No part of `npm test`: the clients
 * weigh 1.1 GB.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { agentLine, installClients } from './agents/clients.ts';
import { bundle } from './build/bundle.ts';
import { isStale } from './build/freshness.ts';
import { root } from './root.ts';
import { runProgram } from './run-program.ts';
import type { VitestReport } from './suites/report.ts';

const agents = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'ralph-agents-'));
const file = join(folder, 'report.json');
try {
  const missing = await installClients();
  if (missing) console.warn(`The real clients are not tested: ${missing}`);
  if (await isStale()) await bundle();
  const { exitCode } = await runProgram(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--project', 'agents', '--no-file-parallelism'],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
      ...agents.map((agent) => `test/agents/${agent}.test.ts`),
    ],
    { cwd: root },
  );
  process.exitCode = exitCode ?? 1;
  const report: VitestReport = JSON.parse(await readFile(file, 'utf8'));
  for (const { name, assertionResults } of report.testResults) {
    console.log(agentLine(basename(name, '.test.ts'), assertionResults));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
