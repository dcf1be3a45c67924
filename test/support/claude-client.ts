import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runCommand, tryLock } from '../../src/platform/index.ts';

/** The package that names the real client; apart from the product's own, since the client weighs 364 MB. */
const PACKAGE = fileURLToPath(new URL('../e2e/claude-client/', import.meta.url));
const BINARY = `${PACKAGE}node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
const INSTALL_TIMEOUT_MS = 10 * 60_000;

/** Not inside node_modules, which `npm ci` deletes first. */
const LOCK = `${PACKAGE}.install/lock`;
/** What the lock file looked like when `npm ci` last went through. */
const STAMP = `${PACKAGE}node_modules/.installed`;

let known: Promise<string | null> | undefined;
let failure = '';

/**
 * Path of the real Claude Code binary, installed on first use; null when it cannot be had here
 * ({@link whyNoClaude} says why). Safe to call from test files that run at once.
 */
export function claudeBinary(): Promise<string | null> {
  known ??= install();
  return known;
}

/** Why {@link claudeBinary} gave null. */
export function whyNoClaude(): string {
  return failure;
}

async function install(): Promise<string | null> {
  for (;;) {
    if (isInstalled()) return BINARY;
    const lock = await tryLock(LOCK, {
      pid: process.pid,
      host: hostname(),
      startedAt: new Date().toISOString(),
      run: 'npm ci',
    });
    if ('heldBy' in lock) {
      await wait(200);
      continue;
    }
    try {
      return isInstalled() ? BINARY : await npmInstall();
    } finally {
      await lock.release();
    }
  }
}

async function npmInstall(): Promise<string | null> {
  rmSync(STAMP, { force: true });
  // No install scripts: the platform package holds the binary as it is. Its size makes audit and funding calls pointless.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { exitCode, stderr } = await runCommand('npm', args, { cwd: PACKAGE, timeoutMs: INSTALL_TIMEOUT_MS });
  if (exitCode === 0 && existsSync(BINARY)) {
    writeFileSync(STAMP, wanted());
    return BINARY;
  }
  failure =
    exitCode === 0
      ? `there is no client for ${process.platform}-${process.arch}`
      : `npm ci failed: ${stderr.toString('utf8').trim()}`;
  return null;
}

function isInstalled(): boolean {
  return existsSync(BINARY) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted();
}

function wanted(): string {
  return createHash('sha256')
    .update(readFileSync(`${PACKAGE}package-lock.json`))
    .digest('hex');
}
