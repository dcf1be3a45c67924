import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll } from 'vitest';

/**
 * Set-up of unit tests: properties draw the same inputs each time, so that a result depends on the code alone. Other
 * inputs: `PROPERTY_SEED=7 npm run test:unit`.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });

// Keys and tokens of tests do not belong into the state home of the person who runs them.
const stateHome = mkdtempSync(join(tmpdir(), 'ralph-state-'));
process.env['XDG_STATE_HOME'] = stateHome;
afterAll(() => rmSync(stateHome, { recursive: true, force: true }));
