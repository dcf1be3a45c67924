import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../src/platform/index.ts';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { bash, toldIn } from '../support/client-talk.ts';
import { inOrder, type ModelRequest, textOf } from '../support/model-server.ts';
import type { ToolUse, Turn } from '../support/model-turn.ts';
import { type OwnSession, openOwnSession } from '../support/own-session.ts';
import { type PackedPackage, packPackage } from '../support/packed.ts';
import { linkRalph, PLANNED_PRD, plannedTasks } from '../support/planned.ts';

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

/** The plugin's skills as the real Claude Code expands them, with a scripted model. */
describe.skipIf(!binary)('the planning skill in the real client', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await packPackage();
  });
  afterAll(() => packed?.remove());

  let own: OwnSession;
  afterEach(() => own?.remove());

  const inRepo = (path: string) => join(own.repo, path);
  const read = (path: string): ToolUse => ({ name: 'Read', input: { file_path: inRepo(path) } });
  const write = (path: string, content: string): ToolUse => ({
    name: 'Write',
    input: { file_path: inRepo(path), content },
  });

  /** A session of its own each time, or the last one gone on with. */
  async function say(prompt: string, ...more: readonly string[]): Promise<string> {
    const asks = ['-p', prompt, '--plugin-dir', join(packed.folder, 'plugin'), '--model', 'claude-sonnet-5-5'];
    const { exitCode, stdout, stderr } = await own.claude(...asks, '--dangerously-skip-permissions', ...more);
    expect(exitCode, stderr + stdout).toBe(0);
    return stdout;
  }

  /** A repository after `ralph init`, and a model that takes these turns. */
  async function open(turns: () => readonly [Turn, ...Turn[]]): Promise<void> {
    let script: ReturnType<typeof inOrder> | undefined;
    own = await openOwnSession(binary as string, (request) => {
      script ??= inOrder(...turns());
      return script(request);
    });
    // The first folder of its path is the session's own.
    await linkRalph(own.env['PATH']?.split(':')[0] as string, packed.folder);
    await writeFile(inRepo('package.json'), '{"scripts":{"test":"node --test"}}\n');
  }

  const ralph = (...args: readonly string[]) => runCommand('ralph', args, { cwd: own.repo, env: own.env });

  /** What the validator says about the files that the model wrote. */
  async function judged() {
    const { exitCode, stdout } = await ralph('validate', '--plan', '--json');
    return { exitCode, ...JSON.parse(stdout.toString('utf8')) };
  }

  const requestAt = (index: number) => own.requests[index] as ModelRequest;

  test('without a PRD it interviews, writes both files, and fixes what `ralph validate --plan` remarks', async () => {
    const vague = ['coupons work correctly'];
    await open(() => [
      'Who may redeem a coupon, and how often?',
      { tools: [read('ralph/prd.md'), read('ralph/tasks.json')] },
      { tools: [write('ralph/prd.md', PLANNED_PRD), write('ralph/tasks.json', plannedTasks(vague))] },
      { tools: [bash('ralph validate --plan')] },
      { tools: [write('ralph/tasks.json', plannedTasks())] },
      { tools: [bash('ralph validate --plan')] },
      'Both files are ready: see `ralph run --dry-run`.',
    ]);
    await ralph('init');
    const asked = await say('/ralph:ralph-plan interview spec=ralph prd=ralph/prd.md backlog=ralph/tasks.json');
    expect(asked).toContain('Who may redeem a coupon');

    const skill = textOf(requestAt(0));
    expect(skill).toContain('# Plan for ralph');
    expect(skill).toContain('Arguments: interview spec=ralph prd=ralph/prd.md backlog=ralph/tasks.json');
    const examples = /Read `(\/[^`]+stories\.md)`/.exec(skill)?.[1] ?? '';
    expect(existsSync(examples), examples).toBe(true);

    const ready = await say('Every customer, once for each cart.', '--continue');
    expect(ready).toContain('Both files are ready');
    expect(toldIn(requestAt(4))).toMatch(/criteria\/vague.*better: say what goes in/s);
    expect(toldIn(requestAt(6))).toContain('the plan: no remarks');
    expect(await judged()).toMatchObject({ exitCode: 0, ok: true, stories: 2, problems: [], remarks: [] });
    expect(await readFile(inRepo('ralph/prd.md'), 'utf8')).toBe(PLANNED_PRD);
  });

  test('with a PRD it derives the stories and leaves the PRD as it is', async () => {
    await open(() => [
      { tools: [read('ralph/prd.md'), read('ralph/tasks.json')] },
      { tools: [write('ralph/tasks.json', plannedTasks())] },
      { tools: [bash('ralph validate --plan')] },
      'Two stories.',
    ]);
    await ralph('init');
    await writeFile(inRepo('ralph/prd.md'), PLANNED_PRD);
    await say('/ralph:ralph-plan derive spec=ralph prd=ralph/prd.md backlog=ralph/tasks.json');
    expect(textOf(requestAt(0))).toContain('Keep the PRD: change it only where the person agrees.');
    expect(toldIn(requestAt(1))).toContain('Customers redeem coupons in the cart.');
    expect(await judged()).toMatchObject({ exitCode: 0, ok: true, stories: 2, problems: [], remarks: [] });
    expect(await readFile(inRepo('ralph/prd.md'), 'utf8')).toBe(PLANNED_PRD);
  });

  test('the model finds the skills by what a person says, but starts no run and no archive by itself', async () => {
    await open(() => [{ tools: [{ name: 'Skill', input: { skill: 'ralph:ralph-status' } }] }, 'Nothing runs.']);
    await say('How is ralph doing?');
    const known = requestAt(0).raw;
    for (const skill of ['ralph-plan', 'ralph-init', 'ralph-status']) expect(known).toContain(`ralph:${skill}:`);
    for (const skill of ['ralph-run', 'ralph-archive']) expect(known).not.toContain(`ralph:${skill}:`);
    expect(toldIn(requestAt(1))).toContain('How the loop stands');
  });

  test('each skill opens by its name, and the words behind it arrive', async () => {
    await open(() => ['Understood.']);
    for (const skill of ['init', 'run', 'status', 'archive', 'plan']) {
      await say(`/ralph:ralph-${skill} some words`);
      expect(textOf(own.requests.at(-1) as ModelRequest), skill).toMatch(/(Arguments|Asked for): some words/);
    }
  });
});
