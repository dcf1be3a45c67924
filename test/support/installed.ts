import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runCommand, tryLock } from '../../src/platform/index.ts';

const INSTALL_TIMEOUT_MS = 10 * 60_000;

/**
 * Installs what a package in `test/e2e/` names, apart from the product's own packages because it is large; once, as long
 * as its lock file stays the same. Safe to call from test files that run at once.
 *
 * @param file below the package's folder: what the tests need of it
 * @returns the path of that file, or why it is not there
 */
export async function installed(
  name: string,
  file: string,
): Promise<{ readonly path: string; readonly why: null } | { readonly path: null; readonly why: string }> {
  const folder = fileURLToPath(new URL(`../e2e/${name}/`, import.meta.url));
  const path = `${folder}${file}`;
  /** What the lock file looked like when `npm ci` last went through. */
  const stamp = `${folder}node_modules/.installed`;
  const wanted = createHash('sha256')
    .update(readFileSync(`${folder}package-lock.json`))
    .digest('hex');
  const isInstalled = () => existsSync(path) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  for (;;) {
    if (isInstalled()) return { path, why: null };
    const holder = { pid: process.pid, host: hostname(), startedAt: new Date().toISOString(), run: 'npm ci' };
    // Not inside node_modules, which `npm ci` deletes first.
    const lock = await tryLock(`${folder}.install/lock`, holder);
    if ('heldBy' in lock) {
      await wait(200);
      continue;
    }
    try {
      if (isInstalled()) return { path, why: null };
      rmSync(stamp, { force: true });
      // No install scripts: the packages hold their programs as they are. Audit and funding calls are pointless.
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      const { exitCode, stderr } = await runCommand('npm', args, { cwd: folder, timeoutMs: INSTALL_TIMEOUT_MS });
      if (exitCode !== 0) return { path: null, why: `npm ci failed: ${stderr.toString('utf8').trim()}` };
      if (!existsSync(path)) return { path: null, why: `there is none for ${process.platform}-${process.arch}` };
      writeFileSync(stamp, wanted);
      return { path, why: null };
    } finally {
      await lock.release();
    }
  }
}
