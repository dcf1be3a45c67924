import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/platform/run-command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What users download, unpacked. */
export interface PackedPackage {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Packs the built package as it is (nothing is built) and unpacks it into a temp folder; the caller removes it. */
export async function packPackage(): Promise<PackedPackage> {
  const base = await mkdtemp(join(tmpdir(), 'ralph-packed-'));
  const env = { ...process.env, npm_config_cache: join(base, 'cache'), npm_config_update_notifier: 'false' };
  const run = async (file: string, args: readonly string[]) => {
    const { exitCode, stderr } = await runCommand(file, args, { cwd: ROOT, env, timeoutMs: 60_000 });
    if (exitCode !== 0) throw new Error(`${file} ended with ${exitCode}: ${stderr.toString('utf8')}`);
  };
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--offline', '--pack-destination', base]);
  await run('sh', ['-c', 'tar -xzf "$1"/*.tgz -C "$1"', 'sh', base]);
  return {
    folder: join(base, 'package'),
    remove: () => rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
