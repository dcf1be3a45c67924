import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { runs } from './property-runs.ts';

/**
 * Set-up of unit tests. Properties draw other inputs each time; `scripts/test.ts` prints the seed, and
 * `PROPERTY_SEED=7 npm test` draws the same again. Without it, as in mutation testing, the inputs are always the same.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1), numRuns: runs(100) });

// Keys and tokens of tests do not belong into the state home of the person who runs them. What needs the folder
// creates it: `afterAll` is not called for a file whose tests are all skipped.
const stateHome = join(tmpdir(), `ralph-state-${randomUUID()}`);
process.env['XDG_STATE_HOME'] = stateHome;
afterAll(() => rmSync(stateHome, { recursive: true, force: true }));
