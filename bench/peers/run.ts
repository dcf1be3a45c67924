import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../scripts/run-program.ts';
import type { Installed, Peer } from './peer.ts';
import { readVisits, stubAgent, type Visit } from './stub.ts';

/** `kill`: the loop with SIGKILL when the agent says so, then again; `twice`: two starts at once. */
export type Mode = 'plain' | 'interrupt' | 'kill' | 'twice';

export interface Scene {
  /** Shell text of what the agent does. */
  agent(lab: string): string;
  readonly mode: Mode;
  readonly stories: number;
  /** Seconds after which the harness stops to wait. */
  readonly limit: number;
  /** Files in place of the peer's own. */
  readonly files?: Readonly<Record<string, string>>;
  /** Shell text that makes the project's work tree dirty, after the first commit. */
  readonly prepare?: string;
}

/** What was seen of one run. */
export interface Facts {
  readonly lab: string;
  readonly project: string;
  /** Removes the folder with everything. */
  remove(): Promise<void>;
  /** Whether the loop ended by itself within the limit. */
  readonly ended: boolean;
  readonly code: number | null;
  readonly signal: string | null;
  readonly seconds: number;
  /** Command lines of what was alive at the end; after `kill`: before the second start. */
  readonly survivors: readonly string[];
  readonly left: readonly string[];
  readonly peakMb: number;
  /** Whether the moment came at which the harness had to act. */
  readonly reached: boolean;
  readonly visits: readonly Visit[];
  /** Stories done by the task file, and their titles; null when it cannot be read. */
  readonly done: number | null;
  readonly titles: readonly string[];
  readonly output: string;
  /** Milliseconds of the wall clock when the loop was started. */
  readonly began: number;
}

/**
 * Runs a peer once on a fresh repository with its own HOME and remote, in namespaces without a network, where it dies
 * with the harness.
 */
export async function runPeer(peer: Peer, installed: Installed, scene: Scene): Promise<Facts> {
  const lab = await mkdtemp(join(tmpdir(), 'ralph-peers-'));
  const project = join(lab, 'project');
  const files: Record<string, string> = {
    'package.json': '{ "name": "app", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
    '.gitignore': 'node_modules/\n',
    'README.md': '# App\n',
    'src/app.js': 'export const add = (a, b) => a + b;\n',
    'test/app.test.js':
      "import assert from 'node:assert';\nimport test from 'node:test';\nimport { add } from '../src/app.js';\n" +
      "test('adds', () => assert.equal(add(1, 2), 3));\n",
    ...peer.files(scene.stories),
    ...scene.files,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
  await mkdir(join(lab, 'home'));
  await mkdir(join(lab, 'bin'));
  await writeFile(join(lab, 'bin/claude'), stubAgent(peer, lab, scene.agent(lab)));
  await chmod(join(lab, 'bin/claude'), 0o755);
  const env = environment(lab);
  const prepare = `git init -q -b main && git config user.name Una && git config user.email una@example.org &&
    git add -A && git commit -q -m start && git branch keep && git init -q --bare ../remote.git &&
    git remote add origin ../remote.git && git push -q origin main && git tag base\n${scene.prepare ?? ''}`;
  const { exitCode } = await runProgram('sh', ['-c', prepare], { cwd: project, env });
  if (exitCode !== 0) throw new Error(`the project could not be made: ${exitCode}`);

  const run = peer.run(installed);
  const spec = {
    lab,
    cwd: join(project, peer.cwd ?? ''),
    run,
    resume: peer.resume?.(installed) ?? run,
    env,
    mode: scene.mode,
    limit: scene.limit,
    loop: peer.loopProcess.source,
  };
  await writeFile(join(lab, 'spec.json'), JSON.stringify(spec));
  await inNamespaces([process.execPath, fileURLToPath(new URL('cell.mjs', import.meta.url)), join(lab, 'spec.json')]);
  const remove = () => rm(lab, { recursive: true, force: true, maxRetries: 5 });
  return { lab, project, remove, ...(await look(peer, lab, project)) };
}

function environment(lab: string): Record<string, string> {
  return {
    PATH: `${join(lab, 'bin')}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
    HOME: join(lab, 'home'),
    TMPDIR: lab,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    CI: 'true',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    // Claude Code refuses to bypass permissions for root unless told that it is in a sandbox; so would ralph.
    IS_SANDBOX: '1',
  };
}

/** The shell is process 1: it reaps what is orphaned, as a real machine's does. */
async function inNamespaces(command: readonly string[]): Promise<void> {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const child = spawn(
    'unshare',
    [
      ...user,
      '--net',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      'sh',
      '-c',
      '"$@"; exit $?',
      'sh',
      ...command,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the harness could not run in its namespaces: ${code}`);
}

async function look(peer: Peer, lab: string, project: string): Promise<Omit<Facts, 'lab' | 'project' | 'remove'>> {
  const facts = JSON.parse(await readFile(join(lab, 'facts.json'), 'utf8'));
  const text = async (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
  const output = (await runProgram('tail', ['-c', '20000', join(lab, 'output')], { cwd: lab, capture: true })).output;
  const visits = readVisits(await text(join(lab, 'notes')));
  try {
    const { done, titles } = peer.progress(await text(join(project, peer.taskFile)));
    return { ...facts, visits, output, done, titles };
  } catch {
    return { ...facts, visits, output, done: null, titles: [] };
  }
}
