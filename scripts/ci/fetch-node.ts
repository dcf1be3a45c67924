import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../run-program.ts';

/** The release lines of Node that ralph supports, oldest first: `engines` in package.json says `>=20.19`. */
export const NODE_LINES = ['20', '22', '24', '26'] as const;

/**
 * Installs the newest release of a Node line from the npm package `node`.
 *
 * @param into a folder that does not exist yet
 * @returns the path of the binary, which was started once
 * @throws when it cannot be had or is not that Node
 */
export async function fetchNode(line: string, into: string): Promise<string> {
  await mkdir(into);
  await writeFile(join(into, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `node@${line}`];
  const { exitCode } = await runProgram('npm', args, { cwd: into });
  if (exitCode !== 0) throw new Error(`npm install node@${line} ended with ${exitCode ?? 'a signal'}`);
  const node = join(into, 'node_modules/node/bin/node');
  const { output } = await runProgram(node, ['--version'], { cwd: into, capture: true });
  if (!output.startsWith(`v${line}.`)) throw new Error(`node@${line} says it is ${output.trim()}`);
  console.log(output.trim());
  return node;
}
