/**
 * Makes a fresh clone self-sufficient: `node scripts/bootstrap.mjs scripts/x.ts ARGS…` installs the dependencies
 * that package-lock.json names, when they are not there yet, and then runs the script through tsx.
 *
 * Plain JavaScript without dependencies, as it runs before there are any. Needs Node, git and npm.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The oldest Node that package.json's `engines` accepts, as [major, minor]. */
const OLDEST_NODE = [20, 19];

function nodeIsTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/**
 * Whether node_modules holds what the lock file asks for. npm records a finished install in
 * node_modules/.package-lock.json, so no stamp of ours is needed and an install done by hand counts too.
 * Optional packages may be missing: they are for other platforms.
 */
function dependenciesAreHere() {
  const wanted = readJson('package-lock.json').packages;
  let present;
  try {
    present = readJson('node_modules/.package-lock.json').packages;
  } catch {
    return false; // never installed, or an install was cut short
  }
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.optional || entry.devOptional) return true;
    return present[path]?.version === entry.version && present[path]?.integrity === entry.integrity;
  });
}

/**
 * One install at a time for each clone. A listening socket is a lock that the kernel frees however its holder dies.
 * The abstract and pipe namespaces leave no file behind; elsewhere a dead holder's file is removed.
 *
 * @returns {Promise<import('node:net').Server | null>} null while another process has it
 */
async function tryInstallLock() {
  const name = `ralph-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`;
  const namespaced = { linux: `\0${name}`, win32: `\\\\.\\pipe\\${name}` }[process.platform];
  const address = namespaced ?? join(tmpdir(), name);
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(address);
    await once(server, 'listening');
    return server;
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error;
    if (namespaced === undefined && !(await answers(address))) rmSync(address, { force: true });
    return null;
  }
}

async function answers(address) {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function install() {
  process.stderr.write('Installing dependencies (npm ci): they are missing or package-lock.json has changed …\n');
  const done = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (done.error) throw new Error(`npm could not be started: ${done.error.message}`);
  if (done.status !== 0) throw new Error(`npm ci failed (exit ${done.status ?? done.signal}), see its words above`);
  if (!dependenciesAreHere()) throw new Error('npm ci ended well, but node_modules does not match package-lock.json');
}

async function ensureDependencies() {
  while (!dependenciesAreHere()) {
    const lock = await tryInstallLock();
    if (lock === null) {
      await sleep(300);
      continue;
    }
    try {
      if (!dependenciesAreHere()) install();
    } finally {
      lock.close();
    }
  }
}

/** Runs the script as a child that shares our terminal, and ends as it ended. */
function run(script, args) {
  const tsx = import.meta.resolve('tsx');
  const child = spawn(process.execPath, ['--import', tsx, join(root, script), ...args], { stdio: 'inherit' });
  // Ctrl-C reaches the whole foreground group: the child decides what it means, and we wait for it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

try {
  if (nodeIsTooOld()) {
    throw new Error(`Node ${OLDEST_NODE.join('.')} or newer is needed, this is ${process.versions.node}`);
  }
  await ensureDependencies();
  const [script, ...args] = process.argv.slice(2);
  if (script !== undefined) run(script, args);
} catch (error) {
  process.stderr.write(`bootstrap: ${error.message}\n`);
  process.exitCode = 1;
}
