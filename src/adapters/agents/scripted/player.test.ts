import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testConfig, testTask } from '../../../../test/support/agent-task.ts';
import type { AgentEvent } from '../../../contracts/index.ts';
import { runCommand, systemClock } from '../../../platform/index.ts';
import { noIsolation } from '../../isolation/choose.ts';
import { startAgent } from '../start.ts';
import { scripted } from './adapter.ts';

let dir = '';
const work = (path = '') => join(dir, 'work', path);
const content = (path: string) => readFile(work(path), 'utf8');

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralph-player-')));
  await mkdir(work('ralph'), { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Plays actions, one a line, in the work folder; `head` goes above the steps. */
async function play(actions: readonly string[], options: { head?: string; prompt?: string } = {}) {
  const scenario = join(dir, 'scenario.yaml');
  const list = actions.map((action) => `      - ${action.replaceAll('\n', '\n        ')}\n`).join('');
  await writeFile(scenario, `version: 1\n${options.head ?? ''}\nsteps:\n  - do:\n${list}`);
  const events: AgentEvent[] = [];
  const task = testTask({
    cwd: work(),
    tempDir: dir,
    run: `player-${process.pid}`,
    prompt: options.prompt ?? '',
    config: testConfig({ scripted: { scenario } }),
  });
  const { result } = await startAgent(scripted, task, {
    isolation: noIsolation(),
    clock: systemClock,
    timeoutMs: 300_000,
    idleTimeoutMs: 20_000,
    signal: new AbortController().signal,
    onEvent: (event) => events.push(event),
    onOutput: () => undefined,
  });
  return { result, events };
}

describe('the scripted player', () => {
  it('writes, appends, edits and deletes files and keeps their mode', async () => {
    await writeFile(work('run.sh'), 'echo old $& old\n');
    await chmod(work('run.sh'), 0o755);
    const { result, events } = await play([
      'write: { path: a/b.txt, content: "one\\n" }',
      'append: { path: a/b.txt, content: "two\\n" }',
      'edit: { path: run.sh, replace: old, with: "$& new" }',
      'write: { path: gone.txt, content: x }',
      'delete: gone.txt',
      'say: done',
    ]);
    expect(result).toMatchObject({ ok: true, text: 'done', turns: 6 });
    expect(await content('a/b.txt')).toBe('one\ntwo\n');
    expect(await content('run.sh')).toBe('echo $& new $& old\n');
    expect((await stat(work('run.sh'))).mode & 0o777).toBe(0o755);
    await expect(stat(work('gone.txt'))).rejects.toThrow();
    expect(events.filter((event) => event.type === 'tool-result').every((event) => event.ok)).toBe(true);
  });

  it('runs commands with the environment of the run and goes on after a failure', async () => {
    const { result, events } = await play(['run: "echo $RALPH_STORY_ID >id.txt; exit 3"', 'say: went on']);
    expect(result).toMatchObject({ ok: true, text: 'went on' });
    expect(await content('id.txt')).toBe('US-001\n');
    expect(events).toContainEqual({ type: 'tool-result', id: 'call-1', ok: false, summary: 'exit 3' });
  });

  it.each([
    ['run: { command: "exit 1", expect: ok }', 'expected to succeed'],
    ['run: { command: "exit 0", expect: fail }', 'expected to fail'],
    ['edit: { path: ralph/x, replace: a, with: b }', 'ralph/x does not exist'],
    ['story: { id: US-404, set: { passes: true } }', 'has no story US-404'],
    ['tick: no such line', "has no open box with 'no such line'"],
    ['expect-prompt: swordfish', "the prompt does not say 'swordfish'"],
    ['commit: nothing here', 'git commit failed'],
  ])('fails by name when the script does not fit: %s', async (action, message) => {
    await writeFile(work('ralph/tasks.json'), '{"userStories":[]}');
    const { result } = await play(['say: hello', action, 'say: never']);
    expect(result).toMatchObject({ ok: false, exitCode: 1, text: 'hello', error: { kind: 'crash' } });
    expect(result.error?.message).toMatch(/^action 2 \(/);
    expect(result.error?.message).toContain(message);
  });

  it('sets and increases fields of the story under work, or of another', async () => {
    const stories = {
      project: 'p',
      userStories: [
        { id: 'US-001', reviewCount: 1 },
        { id: 'US-002', passes: false },
      ],
    };
    await writeFile(work('ralph/tasks.json'), JSON.stringify(stories));
    await play([
      'story: { set: { reviewStatus: approved, notes: ok }, increase: { reviewCount: 1 } }',
      'story: { id: US-002, set: { passes: true } }',
      'say: done',
    ]);
    expect(JSON.parse(await content('ralph/tasks.json'))).toEqual({
      project: 'p',
      userStories: [
        { id: 'US-001', reviewCount: 2, reviewStatus: 'approved', notes: 'ok' },
        { id: 'US-002', passes: true },
      ],
    });
  });

  it('ticks a box of a Markdown plan and appends to the progress log', async () => {
    await writeFile(work('plan.md'), '# Plan\n\n- [x] US-001 old\n- [ ] US-001: Parse\n- [ ] Print it\n');
    await writeFile(work('log.md'), '# Log');
    await play(['tick: true', 'tick: Print', 'progress: "- learned a thing"', 'say: done'], {
      head: 'backlog: plan.md\nprogress: log.md',
    });
    expect(await content('plan.md')).toBe('# Plan\n\n- [x] US-001 old\n- [x] US-001: Parse\n- [x] Print it\n');
    expect(await content('log.md')).toBe('# Log\n- learned a thing\n');
  });

  it('says a status block with its fields in order', async () => {
    const { result } = await play([
      'say: Finished.',
      'status: { STATUS: COMPLETE, EXIT_SIGNAL: false, FILES_MODIFIED: 2 }',
    ]);
    expect(result.text).toBe(
      'Finished.\n\n---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: false\nFILES_MODIFIED: 2\n---END_RALPH_STATUS---',
    );
  });

  it('commits everything by itself', async () => {
    await runCommand('git', ['init', '-q'], { cwd: work() });
    await play(['write: { path: a.txt, content: a }', 'commit: "mine; $(touch pwned)"', 'say: done']);
    const log = await runCommand('git', ['log', '--format=%s'], { cwd: work() });
    expect(log.stdout.toString()).toBe('mine; $(touch pwned)\n');
  });

  it('looks at the prompt', async () => {
    const { result } = await play(['expect-prompt: previous attempt failed', 'say: seen'], {
      prompt: 'The previous attempt failed: 1 test.',
    });
    expect(result.ok).toBe(true);
  });

  it('adds usage and cost up', async () => {
    const { result, events } = await play([
      'usage: { input: 5, cost: 0.5, context: 900 }',
      'usage: { output: 2, cost: 0.25 }',
      'say: done',
    ]);
    expect(result).toMatchObject({ costUsd: 0.75, usage: { inputTokens: 5, outputTokens: 2 } });
    expect(events).toContainEqual(expect.objectContaining({ type: 'usage', contextTokens: 900 }));
  });

  it('waits for a file', async () => {
    const played = play(['wait-for-file: go', 'say: gone']);
    await systemClock.sleep(600);
    await writeFile(work('go'), '');
    expect((await played).result.text).toBe('gone');
  });

  it('ends at a rejection but not at a warning', async () => {
    const { result, events } = await play([
      'limit: { status: warning, kind: seven_day }',
      "limit: { kind: five_hour, resetsAt: '2030-01-01T00:00:00Z' }",
      'say: never',
    ]);
    const limit = { status: 'rejected', kind: 'five_hour', resetsAt: Date.UTC(2030, 0, 1) };
    expect(result).toMatchObject({ ok: false, exitCode: 1, text: '', limit, error: { kind: 'limit' } });
    expect(events.filter((event) => event.type === 'limit')).toHaveLength(2);
  });

  it('ends with a failure of any kind, or with nothing to say', async () => {
    expect((await play(['fail: { kind: network, message: connection reset }'])).result.error).toEqual({
      kind: 'network',
      message: 'connection reset',
    });
    expect((await play(['say: forgotten', 'empty: true'])).result).toMatchObject({
      ok: false,
      exitCode: 0,
      text: '',
      error: { kind: 'empty' },
    });
  });
});

describe('the scripted adapter', () => {
  it('is detected with a good scenario and says what is wrong with a bad or missing one', async () => {
    const scenario = join(dir, 's.yaml');
    await writeFile(scenario, 'version: 1\nsteps: []\n');
    expect(await scripted.detect(testConfig({ scripted: { scenario } }))).toMatchObject({ ok: true });
    await writeFile(scenario, 'version: 1\n');
    await expect(scripted.detect(testConfig({ scripted: { scenario } }))).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ line: 1 }],
    });
    await expect(scripted.detect(testConfig())).rejects.toThrow('the scripted agent needs a scenario');
  });
});
