import { createHash, createHmac } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateHome } from '../../src/adapters/workspace/records/state-home.ts';

/** A line of `steering.jsonl` as a command of that user would sign it, whatever it says. */
export function signedLine(stateDir: string, entry: object, env: NodeJS.ProcessEnv = process.env): string {
  const real = existsSync(stateDir) ? realpathSync(stateDir) : stateDir;
  const folder = join(stateHome(env), 'control');
  const path = join(folder, `words-${createHash('sha256').update(real).digest('hex').slice(0, 32)}.key`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) writeFileSync(path, `${'5a'.repeat(32)}\n`, { mode: 0o600 });
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  return JSON.stringify({ ...entry, mac: createHmac('sha256', key).update(JSON.stringify(entry)).digest('hex') });
}
