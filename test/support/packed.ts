import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/platform/index.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What users download, unpacked. */
export interface PackedPackage {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Packs the built package as it is (nothing is built) into a folder. @returns the path of the tarball */
export async function packTarball(into: string): Promise<string> {
  const env = { ...process.env, npm_config_cache: join(into, 'cache'), npm_config_update_notifier: 'false' };
  const args = ['pack', '--ignore-scripts', '--silent', '--offline', '--pack-destination', into];
  const { exitCode, stdout, stderr } = await runCommand('npm', args, { cwd: ROOT, env, timeoutMs: 300_000 });
  if (exitCode !== 0) throw new Error(`npm pack ended with ${exitCode}: ${stderr.toString('utf8')}`);
  return join(into, stdout.toString('utf8').trim().split('\n').at(-1) ?? '');
}

/** Packs the built package as it is (nothing is built) and unpacks it into a temp folder; the caller removes it. */
export async function packPackage(): Promise<PackedPackage> {
  const base = await mkdtemp(join(tmpdir(), 'ralph-packed-'));
  const tarball = await packTarball(base);
  const { exitCode, stderr } = await runCommand('tar', ['-xzf', tarball, '-C', base], {
    cwd: ROOT,
    timeoutMs: 300_000,
  });
  if (exitCode !== 0) throw new Error(`tar ended with ${exitCode}: ${stderr.toString('utf8')}`);
  return {
    folder: join(base, 'package'),
    remove: () => rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
