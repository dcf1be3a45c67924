import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../scripts/run-program.ts';
import type { Installed, Peer } from './peer.ts';

/**
 * Installs a peer's packages into a folder of its own.
 *
 * @param versions versions by package name; the newest for what is not named
 * @throws when npm cannot
 */
export async function install(
  peer: Peer,
  folder: string,
  versions: Readonly<Record<string, string>>,
): Promise<Installed> {
  const [main] = peer.packages;
  if (main === undefined) return { folder, version: await ownVersion(peer, folder) };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const wanted = peer.packages.map((name) => `${name}@${versions[name] ?? 'latest'}`);
  const scripts = peer.ignoreScripts === undefined ? [] : ['--ignore-scripts'];
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...scripts, ...wanted];
  const { exitCode } = await runProgram('npm', args, { cwd: folder });
  if (exitCode !== 0) throw new Error(`npm install ${wanted.join(' ')} ended with ${exitCode ?? 'a signal'}`);
  const { version } = JSON.parse(await readFile(join(folder, 'node_modules', main, 'package.json'), 'utf8'));
  return { folder, version };
}

/** First version number that its version command prints. */
async function ownVersion(peer: Peer, folder: string): Promise<string> {
  const [program = '', ...args] = peer.version({ folder, version: '' });
  const { output } = await runProgram(program, args, { cwd: process.cwd(), capture: true });
  return /\d+\.\d+\.\d+/.exec(output)?.[0] ?? '';
}
