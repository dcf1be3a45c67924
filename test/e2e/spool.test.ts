import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claude } from '../../src/adapters/agents/claude/adapter.ts';
import { startAgent } from '../../src/adapters/agents/index.ts';
import { noIsolation } from '../../src/adapters/isolation/choose.ts';
import {
  findWorkspace,
  hooksWereCalled,
  loadOrThrow,
  openSpool,
  readSpool,
  startMarker,
  writeBacklogSnapshot,
} from '../../src/adapters/workspace/index.ts';
import { realPath, systemClock } from '../../src/platform/index.ts';
import { testAgents, testConfig, testTask } from '../support/agent-task.ts';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { type ClientProject, makeClientProject } from '../support/client-project.ts';
import { bash, edit, toldIn } from '../support/client-talk.ts';
import type { ToolUse, Turn } from '../support/model-turn.ts';

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

const read = (file_path: string): ToolUse => ({ name: 'Read', input: { file_path } });

interface Session {
  readonly run: Awaited<ReturnType<typeof startAgent>>;
  /** What the model was told before each of its turns, the first left out. */
  readonly told: readonly string[];
  readonly calls: ReturnType<typeof readSpool>;
  readonly dir: string;
}

/** The real client as it runs where the control server cannot be reached: nobody listens at the address it is given. */
describe.skipIf(!binary)('the spool with the real client', () => {
  let made: ClientProject;
  afterEach(() => made.remove());

  /** @param prepare what else happens to the spool before the client starts */
  async function session(
    turns: (root: string) => readonly Turn[],
    prepare: (dir: string) => void = () => {},
  ): Promise<Session> {
    const script = (root: string) => {
      const all = turns(root);
      return ({ turn }: { turn: number }) => all[turn - 1] ?? 'I stop here.';
    };
    const options = { files: { 'notes.txt': 'first\n' }, stories: [{ id: 'US-001', title: 'Sum' }] };
    made = await makeClientProject(binary as string, script, options);
    const root = await realPath(made.project.root);
    const run = `spool-${process.pid}-${Math.random().toString(36).slice(2)}`;
    const defaults = testConfig();
    const config = { ...defaults, agents: testAgents({ claude: { command: binary as string } }) };
    const workspace = await findWorkspace({ root, cwd: root, flags: {}, env: {} });
    const { document: snapshot } = await loadOrThrow(workspace);
    await writeBacklogSnapshot(root, snapshot);
    const marker = await startMarker(root, { run, config, isolation: 'sbx', controlServer: null, clock: systemClock });
    const [story] = snapshot.backlog.stories;
    await marker.update(story ?? null, 'implement', snapshot.backlog.stories);
    const judged = { question: 'Q1', mode: 'implement', story: 'US-001', skipReview: false, reviewCap: 5 } as const;
    const { dir } = await openSpool(root, 1, { ...judged, toAnswer: [], failure: '', snapshot, workspace });
    prepare(dir);
    try {
      const task = testTask({
        cwd: root,
        tempDir: made.project.outside,
        run,
        model: 'claude-sonnet-5-5',
        env: made.env,
        config,
        control: { url: 'http://127.0.0.1:9', token: 'unused', spool: dir },
      });
      const agentRun = await startAgent(claude, task, {
        isolation: noIsolation(),
        clock: systemClock,
        timeoutMs: 300_000,
        idleTimeoutMs: 60_000,
        signal: new AbortController().signal,
        onEvent: () => {},
        onOutput: () => {},
      });
      return { run: agentRun, told: made.server.requests.slice(1).map(toldIn), calls: readSpool(dir), dir };
    } finally {
      await marker.remove();
    }
  }

  test('the command hooks decide as the server would, in the profile of a run', async () => {
    const { run, told, dir } = await session((root) => [
      { tools: [bash('git push --force origin main')] },
      { tools: [bash('echo fine')] },
      { tools: [read(join(root, 'ralph/prd.md'))] },
      { tools: [edit(join(root, 'ralph/prd.md'), 'What is wanted', 'Nothing')] },
      'I give up.',
    ]);
    expect(run.result).toMatchObject({ ok: true, text: 'I give up.' });
    expect(told[0]).toMatch(/PreToolUse:Bash hook error.*request_merge/);
    expect(told[1]).toContain('fine');
    expect(told[3]).toMatch(/PreToolUse:Edit hook error.*prd\.md/);
    expect(hooksWereCalled(dir)).toBe(true);
  });

  test('the tools are there from the first request; their calls lie in the spool afterwards', async () => {
    const { told, calls } = await session(() => [
      { tools: [{ name: 'mcp__ralph__get_story', input: {} }] },
      { tools: [{ name: 'mcp__ralph__complete_story', input: { status: 'success', summary: 'The sum is there.' } }] },
      { tools: [{ name: 'mcp__ralph__log_progress', input: { text: 'Sums are easy.' } }] },
      { tools: [{ name: 'mcp__ralph__submit_review', input: { verdict: 'approve' } }] },
      'Done.',
    ]);
    expect(made.server.requests[0]?.raw).toContain('mcp__ralph__complete_story');
    expect(told[0]).toContain('US-001: Sum');
    expect(told[1]).toContain('The loop runs the checks when you have ended');
    expect(told[3]).toMatch(/own work|no tool|not available|No such tool/i);
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ['complete_story', { status: 'success', summary: 'The sum is there.' }],
      ['log_progress', { text: 'Sums are easy.' }],
    ]);
  });

  test.each([
    { name: 'is gone', sabotage: (hook: string) => rmSync(hook) },
    { name: 'crashes', sabotage: (hook: string) => writeFileSync(hook, 'process.exit(1)') },
  ])('a guard that $name lets no command through', async ({ sabotage }) => {
    const { told } = await session(
      () => [{ tools: [bash('touch was-here')] }, 'I stop.'],
      (dir) => sabotage(join(dir, 'hook.cjs')),
    );
    expect(told[0]).toMatch(/PreToolUse:Bash hook error/);
    expect(existsSync(join(made.project.root, 'was-here'))).toBe(false);
  });

  test('the spool is protected from the agent as everything of the loop is', async () => {
    const { told, dir } = await session(() => [{ tools: [bash('rm .ralph/state/inside/1/hook.cjs')] }, 'I stop.']);
    expect(told[0]).toMatch(/hook error.*Only the loop or its user/);
    expect(existsSync(join(dir, 'hook.cjs'))).toBe(true);
  });
});
