// @module-tag long
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../src/platform/index.ts';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { makeClientProject } from '../support/client-project.ts';
import { bash, edit, toldIn } from '../support/client-talk.ts';
import type { Turn } from '../support/model-turn.ts';
import { type Loaded, type OwnSession, openOwnSession } from '../support/own-session.ts';
import { type PackedPackage, packPackage } from '../support/packed.ts';
import { RALPH } from '../support/project.ts';

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

/** Always-on hooks in a person's own sessions with the real Claude Code, where no run of ralph is. */
describe.skipIf(!binary)('in an ordinary session of the real client', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await packPackage();
  });
  afterAll(() => packed?.remove());

  let own: OwnSession;
  afterEach(() => own?.remove());

  async function open(turns: (repo: string) => readonly Turn[] = () => []): Promise<void> {
    own = await openOwnSession(binary as string, ({ turn }) => turns(own.repo)[turn - 1] ?? 'I stop here.');
  }

  /** One session: what the client had loaded, and what the model was told before each of its turns but the first. */
  async function session(): Promise<{ readonly loaded: Loaded; readonly told: readonly string[] }> {
    const before = own.requests.length;
    const loaded = await own.prompt();
    return { loaded, told: own.requests.slice(before + 1).map(toldIn) };
  }

  async function installPlugin(marketplace = packed.folder): Promise<void> {
    for (const args of [
      ['marketplace', 'add', marketplace],
      ['install', 'ralph@ralph-loop'],
    ]) {
      expect(await own.claude('plugin', ...args)).toMatchObject({ exitCode: 0 });
    }
  }

  const TURNS = (repo: string): readonly Turn[] => [
    { tools: [bash('git commit -q --amend -m "another start" && git push --force origin main')] },
    { tools: [bash('rm -rf /')] },
    { tools: [bash('git commit -q --allow-empty -m more && git push origin main')] },
    { tools: [edit(join(repo, 'README.md'), '# project', '# changed')] },
    { tools: [bash('cat README.md ralph/prd.md')] },
  ];

  /** The turns above: what destroys is denied with a way out, everything else is the person's business. */
  async function expectGuarded([forced, removed, pushed, edited, failed]: readonly string[]): Promise<void> {
    expect(forced).toMatch(/PreToolUse:Bash hook error.*overwrites or deletes history.*Commit on top/);
    expect(removed).toMatch(/PreToolUse:Bash hook error.*`rm -rf \/`.*Delete only inside/);
    expect(pushed).not.toContain('hook error');
    expect(await own.git('--git-dir', own.remote, 'log', '--format=%s', 'main')).toBe('more\nstart');
    expect(edited).not.toContain('hook error');
    expect(failed).toContain('# changed');
    expect(failed).not.toContain('hook');
    expect(await readFile(join(own.repo, 'README.md'), 'utf8')).toBe('# changed\n');
  }

  test('the packed plugin and its marketplace are valid by the strictest reading', async () => {
    await open();
    for (const folder of [packed.folder, join(packed.folder, 'plugin')]) {
      const { exitCode, stdout } = await own.claude('plugin', 'validate', '--strict', folder);
      expect(exitCode, stdout).toBe(0);
    }
  });

  test('the plugin from the local marketplace guards, and writes nothing into the repository', async () => {
    await open(TURNS);
    await installPlugin();
    const { loaded, told } = await session();
    expect(loaded.plugins).toContainEqual(expect.objectContaining({ name: 'ralph' }));
    expect(loaded.plugin_errors).toBeUndefined();
    await expectGuarded(told);
    // The model's own edit is all that happened to the repository.
    expect(await own.git('status', '--porcelain', '--ignored', '-uall')).toBe(' M README.md');
  });

  test('the model hears once how full its context is', async () => {
    const usage = { cache_read_input_tokens: 160_000 };
    await open(() => [
      { tools: [bash('ls')], usage },
      { tools: [bash('ls')], usage },
      { text: 'Done.', usage },
    ]);
    await installPlugin();
    const [first, second] = (await session()).told;
    expect(first).toContain('[ralph: context warning] 80 % of the context is used (160015 of 200000 tokens).');
    expect(second).not.toContain('ralph: context');
    expect(await own.git('status', '--porcelain', '--ignored')).toBe('');
  });

  const ralph = (...args: readonly string[]) =>
    runCommand(process.execPath, [RALPH, ...args], { cwd: own.repo, env: own.env });

  test('`ralph hooks install` does the same through the project’s settings, and `uninstall` leaves no trace', async () => {
    await open(TURNS);
    await mkdir(join(own.repo, '.claude'));
    const file = join(own.repo, '.claude/settings.local.json');
    const trap = join(own.env['TMPDIR'] as string, 'called');
    const theirs = { matcher: 'Bash', hooks: [{ type: 'command', command: `echo called >> ${trap}` }] };
    // Odd blanks on purpose, and no newline at the end.
    const original = `{ "env" : {"A":"1"},\r\n\t"hooks": {"PreToolUse": [ ${JSON.stringify(theirs)} ]} }`;
    await writeFile(file, original);
    expect(await ralph('hooks', 'install')).toMatchObject({ exitCode: 0 });
    expect(await readFile(file, 'utf8')).not.toBe(original);

    await expectGuarded((await session()).told);
    // The person's own hook went on working beside ours.
    expect((await readFile(trap, 'utf8')).trim().split('\n')).toHaveLength(4);
    expect(await ralph('hooks', 'uninstall')).toMatchObject({ exitCode: 0 });
    expect(await readFile(file, 'utf8')).toBe(original);
    expect(await own.git('status', '--porcelain', '--ignored', '-uall')).toBe(
      ' M README.md\n?? .claude/settings.local.json',
    );
  });

  test('`ralph hooks install` makes the settings where there are none, and `uninstall` removes them', async () => {
    await open(() => [{ tools: [bash('git push --force origin main')] }]);
    await ralph('hooks', 'install');
    expect((await session()).told[0]).toMatch(/PreToolUse:Bash hook error/);
    await ralph('hooks', 'uninstall');
    expect(await own.git('status', '--porcelain', '--ignored', '-uall')).toBe('');
    expect((await session()).told[0]).toContain('Everything up-to-date');
  });

  test('in a run the plugin of the user stays outside: everything is decided once', async () => {
    const made = await makeClientProject(
      binary as string,
      () =>
        ({ turn }) =>
          turn === 1 ? { tools: [bash('git push --force origin main')] } : 'I stop here.',
      { stories: [{ id: 'US-001' }] },
    );
    const spied = await packPackage();
    try {
      // The plugin that is installed tells of every call, and then does what it always does.
      const calls = join(made.project.outside, 'calls');
      const script = join(spied.folder, 'plugin/hook.cjs');
      await rename(script, join(spied.folder, 'plugin/real.cjs'));
      await writeFile(
        script,
        `require('node:fs').appendFileSync(${JSON.stringify(calls)}, 'called\\n'); require('./real.cjs');\n`,
      );
      await writeFile(calls, '');
      const claude = (...args: readonly string[]) =>
        runCommand(binary as string, args, { cwd: made.project.root, env: made.env });
      await claude('plugin', 'marketplace', 'add', spied.folder);
      expect(await claude('plugin', 'install', 'ralph@ralph-loop')).toMatchObject({ exitCode: 0 });

      const { stdout } = await made.project.ralph(['run', '--once'], made.env);
      const [, answer] = made.server.requests.map(toldIn);
      expect(answer?.match(/PreToolUse:Bash hook error/g)).toHaveLength(1);
      expect((await made.events()).filter(({ type }) => type === 'denied')).toHaveLength(1);
      expect(stdout).toContain('git push --force origin main');
      expect(await readFile(calls, 'utf8')).toBe('');

      // The same plugin, in a session of the person's own beside it.
      await claude('-p', 'Go on.', '--model', 'claude-sonnet-5-5', '--dangerously-skip-permissions');
      expect(await readFile(calls, 'utf8')).toContain('called');
    } finally {
      await spied.remove();
      await made.remove();
    }
  });
});
