/**
 * `npm run verify`: what `npm test` leaves out. Sandboxes, every block of the documentation, end-to-end tests without the
 * tag `long`, the browser, simulation, torture, the package, and on the newest Node the tests of rules and platform
 * again, with all inputs of properties. With `--tally FILE` the counts go to that file as JSON, for a caller that adds
 * its own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './build/bundle.ts';
import { isStale } from './build/freshness.ts';
import { runOnOtherNodes } from './ci/node-matrix.ts';
import { checkPackage } from './ci/package.ts';
import { startCount } from './suites/checks.ts';
import { closing } from './suites/closing.ts';
import { runSuites } from './suites/run-suite.ts';

const { values } = parseArgs({ options: { tally: { type: 'string' } } });
process.env['PROPERTY_SEED'] ??= `${Date.now() % 1_000_000_000}`;

if (await isStale()) await bundle();

const count = startCount();
const folder = await mkdtemp(join(tmpdir(), 'ralph-verify-'));
try {
  // By itself: it keeps both processors busy.
  count.add(await runSuites(['simulation'], { only: 'others' }));
  // Beside each other: at the end of a suite processors would wait for its longest file.
  count.add(await runSuites(['sandbox', 'torture', 'docs', 'e2e', 'browser'], { only: 'others' }));
  await checkPackage(folder, count.check);
  count.add(await runOnOtherNodes(folder, count.check));
} finally {
  await rm(folder, { recursive: true, force: true });
}
await closing(count.tally(), values.tally);
