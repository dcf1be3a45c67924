/**
 * What ralph's git work costs per iteration, against the bare git commands it needs ("the git floor").
 * Usage: node --import tsx bench/git-floor.ts [files] [rounds]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGit } from '../src/adapters/git/index.ts';
import { checkpointFloor, gitFloor, rollbackFloor } from './support/git-floor.ts';
import { ms, ratio, report } from './support/statistics.ts';

const files = Number(process.argv[2] ?? 300);
const rounds = Number(process.argv[3] ?? 30);
const root = mkdtempSync(join(tmpdir(), 'ralph-bench-'));
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });

function makeRepository(): void {
  for (let at = 0; at < files; at += 1) {
    const dir = join(root, at < 10 ? '' : `dir-${at % 30}`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `file-${at}.txt`), `contents of ${at}\n`.repeat(20));
  }
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@localhost');
  git('config', 'gc.auto', '0');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
}

const samples = new Map<string, number[]>();

async function timed<T>(name: string, action: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await action();
  samples.set(name, [...(samples.get(name) ?? []), performance.now() - start]);
  return result;
}

function median(name: string): number {
  const sorted = [...(samples.get(name) ?? [])].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function iteration(repo: Awaited<ReturnType<typeof openGit>>, round: number): Promise<void> {
  const start = performance.now();
  const checkpoint = await timed('checkpoint', () => repo.checkpoint('bench'));
  writeFileSync(join(root, 'file-1.txt'), `ours ${round}\n`);
  const after = await timed('after', () => repo.after(checkpoint));
  const paths = after.changed.map(({ path }) => path);
  const message = { subject: 'work', body: '', trailers: [], date: Date.now(), hooks: true, sign: false };
  const runHook = () => Promise.reject(new Error('this repository has no hooks'));
  const made = await timed('prepareCommit', () =>
    repo.prepareCommit({ checkpoint, paths, files: {}, ...message, runHook, guestHooks: false }),
  );
  if (made.kind !== 'prepared') throw new Error(made.kind);
  await timed('applyCommit', () => repo.applyCommit({ checkpoint, commit: made.commit, agentHead: after.head }));
  samples.set('accepted iteration', [...(samples.get('accepted iteration') ?? []), performance.now() - start]);
}

async function rejected(repo: Awaited<ReturnType<typeof openGit>>, round: number): Promise<void> {
  const checkpoint = await repo.checkpoint('bench');
  writeFileSync(join(root, 'file-2.txt'), `rejected ${round}\n`);
  const after = await repo.after(checkpoint);
  const rescue = {
    run: 'bench',
    iteration: round,
    tree: after.tree,
    parents: [checkpoint.head],
    subject: 'x',
    date: Date.now(),
  };
  // One step: the floor keeps what it is about to remove, too.
  await timed('rollback', async () => {
    await timed('rescue, as a part of a rollback', () => repo.rescue(rescue));
    await repo.rollback(checkpoint);
  });
}

try {
  makeRepository();
  const repo = await openGit(root);
  await repo.refuseUncheckable();
  execFileSync('sh', ['-c', gitFloor, 'sh', 'warm-up'], { cwd: root });
  for (let round = 0; round < rounds; round += 1) {
    await timed('git floor', () => execFileSync('sh', ['-c', gitFloor, 'sh', `floor ${round}`], { cwd: root }));
    await timed('checkpoint floor', () => execFileSync('sh', ['-c', checkpointFloor], { cwd: root }));
    await iteration(repo, round);
    const before = execFileSync('sh', ['-c', checkpointFloor], { cwd: root, encoding: 'utf8' }).trim();
    if (round % 3 === 0) {
      const head = git('rev-parse', 'HEAD').toString().trim();
      await rejected(repo, round);
      writeFileSync(join(root, 'file-2.txt'), `rejected ${round}\n`);
      await timed('rollback floor', () =>
        execFileSync('sh', ['-c', rollbackFloor, 'sh', before, 'refs/heads/main', head], { cwd: root }),
      );
    }
    await timed('snapshotTrust', () => repo.snapshotTrust().then((snapshot) => repo.restoreTrust(snapshot)));
  }
  process.stdout.write(`${files} files, ${rounds} rounds, medians in ms\n`);
  for (const name of samples.keys()) report(name, ms(median(name)));
  for (const name of ['checkpoint', 'rollback']) {
    report(`${name} by its floor`, ms(median(name)), ratio(median(name) / median(`${name} floor`), 1.5));
  }
  const overall = median('accepted iteration');
  report('accepted iteration by the git floor', ms(overall), ratio(overall / median('git floor'), 2));
} finally {
  rmSync(root, { recursive: true, force: true });
}
