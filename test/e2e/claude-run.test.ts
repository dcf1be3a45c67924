import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { clientEnvironment } from '../support/client-environment.ts';
import { status } from '../support/client-talk.ts';
import { type ModelRequest, type ModelServer, type Script, startModelServer, textOf } from '../support/model-server.ts';
import type { Turn } from '../support/model-turn.ts';
import { markedProcesses } from '../support/processes.ts';
import { makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { until } from '../support/until.ts';

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

const FILES = {
  'greet.txt': 'hello\n',
  'check.sh': 'grep -q . greet.txt\n',
  'CLAUDE.md': 'Greetings are plain text.\n',
};
const OPTIONS: ProjectOptions = {
  files: FILES,
  verifyCommands: ['sh check.sh'],
  stories: [{ id: 'US-001', title: 'Greet the world' }],
};

/** `ralph run` with the real Claude Code binary; only the model behind it is scripted. */
describe.skipIf(!binary)('ralph run with the real client', () => {
  let project: Project;
  let server: ModelServer;
  afterEach(async () => {
    await server.close();
    await project.remove();
  });

  async function prepare(script: Script, options: ProjectOptions = OPTIONS): Promise<Record<string, string>> {
    project = await makeProject(options);
    server = await startModelServer(script);
    const config = {
      agent: 'claude',
      model: 'claude-sonnet-5-5',
      agents: { claude: { command: binary } },
      transient: { delay: '10ms' },
    };
    await writeFile(join(project.root, 'ralph.config.json'), JSON.stringify(config));
    await project.git('add', '-A');
    await project.git('commit', '-q', '-m', 'configuration');
    return clientEnvironment(project.outside, server.url);
  }

  const ledger = async () =>
    (await project.read('.git/ralph/ledger.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('implements, is sent back by the review, fixes, is approved: COMPLETE', { tags: ['promise'] }, async () => {
    const env = await prepare(wholeStory(() => project.root));
    const { code, stdout, stderr } = await project.ralph(['run'], env);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(await project.read('greet.txt')).toBe('hello world!\n');
    expect((await ledger()).map(({ mode, verdict, state }) => [mode, verdict, state])).toEqual([
      ['implement', 'accepted', 'needs_review'],
      ['review', 'accepted', 'changes_requested'],
      ['review-fix', 'accepted', 'needs_review'],
      ['review', 'accepted', 'approved'],
    ]);
    const [story] = await project.stories();
    expect(story).toMatchObject({ passes: true, reviewStatus: 'approved', reviewCount: 2 });
    expect(await project.git('status', '--porcelain')).toBe('');
    // Memory of the project reaches every process although all other settings are left out; each is a session of its own.
    expect(server.requests.every((request) => request.raw.includes('Greetings are plain text.'))).toBe(true);
    expect(new Set(server.requests.map((request) => request.session)).size).toBe(4);
    expect((await ledger()).every(({ costUsd }) => costUsd > 0)).toBe(true);
  });

  test('a stream that hangs is stopped by the idle timeout and rolled back', async () => {
    const env = await prepare(({ turn }) =>
      turn === 1
        ? { tools: [{ name: 'Write', input: { file_path: join(project.root, 'greet.txt'), content: 'half' } }] }
        : { fault: 'hang' },
    );
    const { code } = await project.ralph(['run', '--once', '--idle-timeout', '3'], env);
    expect(code).toBe(1);
    expect(await ledger()).toMatchObject([{ verdict: 'timed-out', counts: 'bad' }]);
    expect(await project.read('greet.txt')).toBe('hello\n');
    await expectNobodyLeft(project);
  });

  test('an error of the provider is recorded as the agent’s, with its text', async () => {
    const env = await prepare(() => ({ status: 400, message: 'the request is bad' }));
    const { code } = await project.ralph(['run', '--once'], env);
    expect(code).toBe(1);
    const [line] = await ledger();
    expect(line).toMatchObject({ verdict: 'agent-error', counts: 'bad' });
    expect(line.reason).toContain('the request is bad');
  });

  test('an empty answer is tried again in the same iteration', async () => {
    const story = wholeStory(() => project.root);
    let empty = 0;
    const env = await prepare((request) => {
      if (empty < 2) {
        empty += 1; // the client itself asks once more before it gives up
        return { fault: 'empty' };
      }
      return story(request);
    });
    const { code, stdout } = await project.ralph(['run', '--once'], env);
    expect(code, stdout).toBe(1);
    expect(stdout).toContain('retrying: the agent ended without saying anything (1 of 3');
    expect(await ledger()).toMatchObject([{ iteration: 1, verdict: 'accepted' }]);
  });

  test('a connection that breaks is waited for, in words that name the cause, and charged to nobody', async () => {
    const story = wholeStory(() => project.root);
    let dropped = 0;
    const env = await prepare((request) => {
      if (dropped < 2) {
        dropped += 1; // the client itself asks once more before it gives up
        return { fault: 'drop' };
      }
      return story(request);
    });
    const args = ['run', '--once'];
    const quick = { RALPH_TRANSIENT_RETRIES: '0', RALPH_TRANSIENT_MAX_WAIT: '6m' };
    const { code, stdout } = await project.ralph(args, { ...env, ...quick });
    expect(code, stdout).toBe(1);
    expect(stdout).toMatch(/waits .+claude cannot reach its provider: .*(ECONNRESET|Connection)/);
    const verdicts = (await ledger()).map(({ verdict }) => verdict);
    expect(verdicts[0]).toBe('limited');
    expect(verdicts.at(-1)).toBe('accepted');
  });

  test('a usage limit of the subscription ends the run with 5 where that is asked for, its reset time told', async () => {
    const resets = Math.floor(Date.now() / 1000) + 3600;
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(resets),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-status': 'rejected',
      'anthropic-ratelimit-unified-5h-reset': String(resets),
      'anthropic-ratelimit-unified-5h-utilization': '1.0',
    };
    const env = await prepare(() => ({ status: 429, message: 'limit reached', headers }));
    const { ANTHROPIC_API_KEY: _, ...rest } = env;
    const { code, stdout } = await project.ralph(['run', '--on-usage-limit', 'stop'], {
      ...rest,
      CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-made-up',
    });
    expect(code, stdout).toBe(5);
    expect(stdout).toContain('5-hour usage limit');
    expect(await ledger()).toMatchObject([{ verdict: 'limited', counts: 'ignored' }]);
  });

  test('Ctrl-C in the middle leaves no process, none in the background either, and no trace in the tree', async () => {
    const background =
      'node -e "setInterval(() => {}, 1000)" & setsid node -e "setInterval(() => {}, 1000)" & echo started > busy.txt';
    const env = await prepare(({ turn }) =>
      turn === 1 ? { tools: [{ name: 'Bash', input: { command: background } }] } : { fault: 'hang' },
    );
    const { child, ended } = project.start(['run'], env);
    await until(() => project.read('busy.txt').then(Boolean, () => false));
    const { run } = JSON.parse(await project.read('.ralph-active'));
    // A process that is starting shows no environment.
    await until(async () => (await markedProcesses(run)).length > 2);
    child.kill('SIGINT');
    const { code } = await ended;
    expect(code).toBe(130);
    expect(await markedProcesses(run)).toEqual([]);
    await expect(project.read('busy.txt')).rejects.toThrow();
    expect(await ledger()).toMatchObject([{ verdict: 'interrupted', counts: 'ignored' }]);
    expect(await project.git('status', '--porcelain')).toBe('');
  });
});

async function expectNobodyLeft(project: Project): Promise<void> {
  const { run } = JSON.parse(await project.read('.ralph/status.json'));
  expect(await markedProcesses(run)).toEqual([]);
}

/** What the model says over the life of one story, by the mode its prompt names and the turn of its session. */
function wholeStory(root: () => string): Script {
  let reviews = 0;
  return (request) => {
    const mode = /Mode: \*\*([a-z-]+)\*\*/.exec(textOf(request))?.[1];
    const greet = join(root(), 'greet.txt');
    if (mode === 'implement') return implement(request, greet, join(root(), 'ralph/tasks.json'));
    if (mode === 'review-fix') return reviewFix(request, greet);
    if (request.turn === 1) return { tools: [{ name: 'Read', input: { file_path: greet } }] };
    if (request.turn === 2) return { tools: [{ name: 'Bash', input: { command: 'sh check.sh' } }] };
    reviews += 1;
    return reviews === 1
      ? status('REVIEW: CHANGES_REQUESTED', 'FEEDBACK: greet.txt:1 must end with an exclamation mark')
      : status('REVIEW: APPROVED', 'RECOMMENDATION: every criterion holds');
  };
}

function implement({ turn }: ModelRequest, greet: string, tasks: string): Turn {
  const turns: readonly Turn[] = [
    {
      text: 'First I look.',
      tools: [
        { name: 'Read', input: { file_path: greet } },
        { name: 'Read', input: { file_path: tasks } },
      ],
    },
    { tools: [{ name: 'Edit', input: { file_path: greet, old_string: 'hello', new_string: 'hello world' } }] },
    {
      tools: [
        { name: 'Write', input: { file_path: `${greet}.note`, content: 'why\n' } },
        { name: 'Bash', input: { command: 'sh check.sh && git add -A && git commit -q -m "greet the world"' } },
      ],
    },
    {
      tools: [
        {
          name: 'Edit',
          input: { file_path: tasks, old_string: '"reviewStatus": null', new_string: '"reviewStatus": "needs_review"' },
        },
      ],
    },
    status('TESTS_STATUS: PASSING', 'RECOMMENDATION: ready for review'),
  ];
  return turns[turn - 1] ?? 'done';
}

function reviewFix({ turn }: ModelRequest, greet: string): Turn {
  const turns: readonly Turn[] = [
    { tools: [{ name: 'Read', input: { file_path: greet } }] },
    { tools: [{ name: 'Edit', input: { file_path: greet, old_string: 'hello world', new_string: 'hello world!' } }] },
    { tools: [{ name: 'Bash', input: { command: 'git commit -qam "an exclamation mark"' } }] },
    status('TESTS_STATUS: PASSING', 'RECOMMENDATION: fixed'),
  ];
  return turns[turn - 1] ?? 'done';
}
