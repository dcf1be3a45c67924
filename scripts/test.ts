/**
 * `npm test [-- NAME… [-t TITLE]]`: what to run before every commit. Builds, runs the quick suites, and prints one closing
 * line. NAME is a suite, or part of the path of test files (`guard`, `src/rules/judge`, `test/e2e/steering.test.ts`); TITLE
 * is a part of the titles of tests. With `--tally FILE` the counts go to that file as JSON, for a caller that adds its own.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { bundle } from './build/bundle.ts';
import { isStale } from './build/freshness.ts';
import { root } from './root.ts';
import { closing } from './suites/closing.ts';
import { promiseFiles, QUICK, runSuites, type SuiteName, THOROUGH, VITEST } from './suites/run-suite.ts';
import { add, nothing, type Tally } from './suites/tally.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tally: { type: 'string' }, title: { type: 'string', short: 't' } },
});
const SUITES = [...QUICK, ...THOROUGH];
const isSuite = (word: string): word is SuiteName => (SUITES as readonly string[]).includes(word);

/** The suites that have such files: the quick ones, unless only others do. */
async function suitesWith(files: readonly string[]): Promise<readonly SuiteName[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [VITEST, 'list', '--filesOnly', ...files], {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  });
  const found = new Set([...stdout.matchAll(/^\[(\w+)\]/gm)].map(([, name]) => name));
  const quick = QUICK.filter((suite) => found.has(suite));
  return quick.length > 0 ? quick : THOROUGH.filter((suite) => found.has(suite));
}

async function run(): Promise<Tally> {
  const named = positionals.filter(isSuite);
  const files = positionals.filter((word) => !isSuite(word));
  const { title } = values;
  const options = { files, ...(title === undefined ? {} : { title: title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') }) };
  if (positionals.length === 0 && title === undefined) {
    const pure = await runSuites(QUICK);
    return add(pure, await runSuites(THOROUGH, { only: 'promises', files: await promiseFiles() }));
  }
  const suites = named.length > 0 ? named : await suitesWith(files);
  if (suites.length === 0)
    return { ...nothing, failed: 1, faults: [`no test file has ${files.join(' or ')} in its path`] };
  return runSuites(suites, options);
}

// Inputs of property tests: a tenth of them, and others each time.
process.env['PROPERTY_SHARE'] ??= '0.1';
process.env['PROPERTY_SEED'] ??= `${Date.now() % 1_000_000_000}`;

if (await isStale()) await bundle();

const tally = await run();
console.log(`properties drew with PROPERTY_SEED=${process.env['PROPERTY_SEED']}`);
await closing(tally, values.tally);
