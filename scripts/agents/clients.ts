import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../root.ts';
import { runProgram } from '../run-program.ts';
import { add, closingLine, nothing, type Tally } from '../suites/tally.ts';

const CLIENTS = join(root, 'test/agents/clients');
/** What the lock file looked like when `npm ci` last went through. */
const STAMP = join(CLIENTS, 'node_modules/.installed');

/** Installs what the clients' lock file names, unless it is there; gives the reason when that fails. */
export async function installClients(): Promise<string | null> {
  const wanted = createHash('sha256')
    .update(await readFile(join(CLIENTS, 'package-lock.json')))
    .digest('hex');
  const installed = await readFile(STAMP, 'utf8').catch(() => '');
  if (installed === wanted) return null;
  // No install scripts: the platform packages hold the programs as they are.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { exitCode } = await runProgram('npm', args, { cwd: CLIENTS });
  if (exitCode !== 0) return `npm ci failed in test/agents/clients (exit ${exitCode})`;
  await writeFile(STAMP, wanted);
  return null;
}

const COUNTED: Readonly<Record<string, Tally>> = {
  passed: { ...nothing, passed: 1 },
  failed: { ...nothing, failed: 1 },
};

/** `codex: 5 passed, 0 failed`. */
export function agentLine(agent: string, tests: readonly { readonly status: string }[]): string {
  const tally = tests.map(({ status }) => COUNTED[status] ?? { ...nothing, skipped: 1 }).reduce(add, nothing);
  return `${agent}: ${closingLine(tally)}`;
}
