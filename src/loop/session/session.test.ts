import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { defaultConfig, findWorkspace, readDocument } from '../../adapters/workspace/index.ts';
import { systemClock } from '../../platform/index.ts';
import type { RunContext } from '../context.ts';
import type { AgentAtWork } from './record.ts';
import { openSession } from './session.ts';

const STORY = { id: 'A', title: 'A', acceptanceCriteria: ['x'], priority: 1, passes: false, reviewCount: 0 };

test('what a hook reports while a tool call waits for the checks is not forgotten', async () => {
  const { root, git } = await makeRepository({ 'ralph/tasks.json': JSON.stringify({ userStories: [STORY] }) });
  const workspace = await findWorkspace({ root, cwd: root, flags: {}, env: {} });
  const { document } = await readDocument(workspace);
  let startChecks = () => {};
  const context = {
    ...{ git, workspace, config: defaultConfig({}), env: {}, clock: systemClock, ledger: [], room: null, record: {} },
    ...{ emit: () => {}, agentTree: { soFar: async () => ({ changed: [{ path: 'a.txt', status: 'added' }] }) } },
    isolation: { coversGitDir: false },
    baseline: new Promise<void>((resolve) => {
      startChecks = resolve;
    }),
  } as unknown as RunContext;
  const story = document?.backlog.stories[0];
  const header = { iteration: 1, mode: 'implement', story: 'A' };
  const input = { header, story, snapshot: { document, progress: null }, windows: {} } as unknown as AgentAtWork;
  const session = openSession(context, input);

  const calling = session.tool('complete_story', { status: 'success', tests: 'passing', summary: 'done' });
  await session.hook({
    ...{ hook_event_name: 'PostToolUse', session_id: 's', cwd: root, tool_name: 'Bash' },
    tool_input: { command: 'npx vitest run' },
    tool_response: { stdout: ' Test Files  1 passed (1)\n      Tests  3 passed (3)\n', stderr: '' },
  });
  startChecks();
  expect(await calling).toMatchObject({ isError: false });
  expect(session.record()).toMatchObject({ hooked: true, claim: { kind: 'ready' }, tests: { passed: 3 } });
});
