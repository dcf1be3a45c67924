import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../src/platform/index.ts';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { clientEnvironment } from '../support/client-environment.ts';
import { status } from '../support/client-talk.ts';
import { needs } from '../support/debian.ts';
import { settleClientIn } from '../support/known-client.ts';
import { type ModelRequest, type ModelServer, startModelServer, textOf } from '../support/model-server.ts';
import type { Turn } from '../support/model-turn.ts';
import { packTarball } from '../support/packed.ts';
import { PLANNED_PRD, plannedTasks } from '../support/planned.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';

const missing = await needs('tmux');
const binary = await claudeBinary();
if (missing) console.warn(`The journey is not made: ${missing}`);
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

/** The project of somebody who has never heard of ralph. */
const SHOP = {
  'package.json': '{ "name": "shop", "private": true, "scripts": { "test": "sh test.sh" } }\n',
  'test.sh': 'for part in src/*.txt; do grep -q . "$part" || exit 1; done\n',
  'src/cart.txt': 'a cart\n',
};

/**
 * From an account with nothing but Node, git and a client that its owner has used before, to an archived loop: typed
 * into one terminal, whose whole output is recorded. Only the model is scripted.
 */
describe.skipIf(missing || !binary)('the first day', () => {
  let base: string;
  let repo: string;
  let server: ModelServer;
  let terminal: Terminal;
  let env: Record<string, string>;

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'ralph-journey-'));
    repo = join(base, 'shop');
    server = await startModelServer((request) => answer(request, repo));
    env = await account(base, server.url);
    for (const [path, text] of Object.entries(SHOP)) {
      await mkdir(dirname(join(repo, path)), { recursive: true });
      await writeFile(join(repo, path), text);
    }
    await settleClientIn(repo, env);
    await git('init', '-q', '-b', 'main');
    await git('add', '-A');
    await git('commit', '-q', '-m', 'a shop');
    terminal = await openTerminal(repo, { ...env, TERM: 'xterm-256color' }, { columns: 110, rows: 50 });
    await terminal.record(join(base, 'recording'));
  });
  afterEach(async () => {
    await terminal.close();
    await server.close();
    await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  async function git(...args: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await runCommand('git', args, { cwd: repo, env, timeoutMs: 300_000 });
    if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.toString('utf8').trimEnd();
  }

  let typed = 0;
  /** Types a command on a clean screen. @returns the screen when it has ended as expected */
  async function type(command: string, exitCode = 0, meanwhile: () => Promise<void> = async () => {}): Promise<string> {
    typed += 1;
    await terminal.type(`clear; ${command}; echo "step ${typed} ended with $?"`);
    await terminal.press('Enter');
    await meanwhile();
    const screen = await terminal.shows(new RegExp(`^step ${typed} ended with \\d+`, 'm'));
    expect(screen).toMatch(new RegExp(`^step ${typed} ended with ${exitCode}$`, 'm'));
    return screen;
  }

  test('install, doctor, init, plan, run, report, archive', async () => {
    const tarball = await packTarball(base);
    await type(`npm install --global --prefix ~/.local --no-audit --no-fund --loglevel=error ${tarball}`);
    expect(await type('ralph --version')).toMatch(/^\d+\.\d+\.\d+$/m);

    const ill = await type('ralph doctor', 2);
    expect(ill).toMatch(/✗ spec folder/);
    expect(ill).toContain('ralph init');
    expect(await type('ralph init --name coupons')).toMatch(/npm test[\s\S]*ralph plan/);

    const planned = await type('ralph plan', 0, async () => {
      await terminal.shows('Who may redeem a coupon');
      await terminal.type('Every customer, once for each cart.');
      await terminal.shows('once for each cart.');
      await terminal.press('Enter');
      await terminal.shows('Both files are ready.');
      await terminal.type('/exit');
      await terminal.press('Enter');
    });
    expect(planned).toContain('✓ the plan: no remarks');
    expect(await type('ralph doctor')).toContain('a run can start');

    const run = await type('ralph run --max-cost 5 --max-duration 1h');
    expect(run).toContain('COMPLETE');
    expect(await git('log', '--format=%s', 'main..ralph/coupons')).toMatch(
      /^review\(US-002\): approved\nfeat\(US-002\): .+\nreview\(US-001\): approved\nfeat\(US-001\): /m,
    );

    expect(await type('ralph stories show US-001')).toContain('npm test');
    await type('ralph report --output morning.html');
    expect(await readFile(join(repo, 'morning.html'), 'utf8')).toContain('US-002');
    await type('rm morning.html; ralph archive --label coupons');
    const [archive = ''] = await readdir(join(repo, 'ralph-archive'));
    expect(archive).toMatch(/^\d{4}-\d\d-\d\d-coupons$/);
    expect(await readFile(join(repo, 'ralph-archive', archive, 'summary.md'), 'utf8')).toContain('US-001');
    expect(JSON.parse(await readFile(join(repo, 'ralph/tasks.json'), 'utf8')).userStories).toEqual([]);
    expect(await git('status', '--porcelain')).toBe('');

    const recording = await readFile(join(base, 'recording'), 'utf8');
    const said = ['a run cannot start', 'no remarks', 'a run can start', 'COMPLETE', 'ralph-archive/'];
    const places = said.map((words) => recording.indexOf(words));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    // Nothing was asked for that a person would have to know: no trace of a crash, no unknown placeholder.
    expect(recording).not.toMatch(/\bat .+\.js:\d+:\d+|\{\{[A-Z_]+\}\}|undefined/);
  });
});

/** A home with a client that its owner has used before in this folder, and where global packages of their own go. */
async function account(base: string, modelServer: string): Promise<Record<string, string>> {
  const plain = await clientEnvironment(base, modelServer);
  const home = plain['HOME'] as string;
  const [bin, temp] = [join(home, '.local/bin'), join(base, 'tmp')];
  await Promise.all([bin, temp].map((folder) => mkdir(folder, { recursive: true })));
  await symlink(binary as string, join(bin, 'claude'));
  await writeFile(join(home, '.gitconfig'), '[user]\n\tname = Una\n\temail = una@example.org\n');
  return {
    ...plain,
    PATH: `${bin}:${dirname(process.execPath)}:${plain['PATH']}`,
    TMPDIR: temp,
    CLAUDE_CODE_TMPDIR: temp,
    DISABLE_AUTOUPDATER: '1',
    RALPH_ISOLATION_BACKEND: 'none',
    ...(await whereFromPackages()),
    npm_config_cache: join(base, 'cache'),
    npm_config_update_notifier: 'false',
  };
}

/** Registry, certificates and proxies are the machine's own affair; `npm --prefix` would no longer find them. */
async function whereFromPackages(): Promise<Record<string, string>> {
  const found = Object.entries(process.env).filter(([name]) => /^(NODE_EXTRA_CA_CERTS|\w+_proxy)$/i.test(name));
  const settings = await Promise.all(
    ['globalconfig', 'userconfig'].map(async (name) => {
      const { stdout } = await runCommand('npm', ['config', 'get', name], { cwd: tmpdir(), timeoutMs: 300_000 });
      return [`npm_config_${name}`, stdout.toString('utf8').trim()] as const;
    }),
  );
  return { ...(Object.fromEntries(found) as Record<string, string>), ...Object.fromEntries(settings) };
}

/** What the model says: a planning session, then for each story an implementation and a review. */
function answer(request: ModelRequest, repo: string): Turn {
  const prompt = textOf(request);
  const mode = /Mode: \*\*([a-z-]+)\*\*/.exec(prompt)?.[1];
  if (mode === undefined) return PLANNING(repo)[request.turn - 1] ?? 'Both files are ready.';
  // The client tells the model of the last commits, too.
  const story = /Work on (US-00\d)/.exec(prompt)?.[1] ?? '';
  if (mode === 'implement') {
    const file_path = join(repo, 'src', `${story}.txt`);
    const turns: readonly Turn[] = [
      { tools: [{ name: 'Write', input: { file_path, content: 'a coupon\n' } }] },
      { tools: [{ name: 'Bash', input: { command: 'npm test' } }] },
    ];
    return turns[request.turn - 1] ?? status('TESTS_STATUS: PASSING');
  }
  const look: Turn = { tools: [{ name: 'Bash', input: { command: 'npm test' } }] };
  return request.turn === 1 ? look : status('REVIEW: APPROVED', 'RECOMMENDATION: every criterion holds');
}

const PLANNING = (repo: string): readonly Turn[] => {
  const [prd, tasks] = ['prd.md', 'tasks.json'].map((name) => join(repo, 'ralph', name));
  return [
    'Who may redeem a coupon, and how often?',
    { tools: [prd, tasks].map((file_path) => ({ name: 'Read', input: { file_path } })) },
    {
      tools: [
        { name: 'Write', input: { file_path: prd, content: PLANNED_PRD } },
        { name: 'Write', input: { file_path: tasks, content: plannedTasks() } },
      ],
    },
    { tools: [{ name: 'Bash', input: { command: 'ralph validate --plan' } }] },
  ];
};
