import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { clientEnvironment } from '../support/client-environment.ts';
import { bash, toldIn } from '../support/client-talk.ts';
import { needs } from '../support/debian.ts';
import { startModelServer } from '../support/model-server.ts';
import { easySteps, makeProject, type Project } from '../support/project.ts';
import { listTree } from '../support/tree-listing.ts';

/* Agents that try to merge, or to reach the work trees of other streams. */

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);
const noBwrap = await needs('bwrap');

let project: Project;
let before: object;

/** Two PRDs; the second has its stream already, finished. */
beforeEach(async () => {
  project = await makeProject({
    backlog: { path: '.ralph/PRD-1/tasks.json', text: tasksOf(1) },
    files: { '.ralph/PRD-2/tasks.json': tasksOf(2), 'shop.txt': 'open\n' },
  });
  await scenario({ steps: easySteps('US-002') });
  const { code, stdout, stderr } = await project.ralph(['stream', 'start', '2', ...AGENT, '--max-iterations', '2']);
  expect(code, stdout + stderr).toBe(0);
  before = await others();
});
afterEach(() => project.remove());

const AGENT = ['--agent', 'scripted', '--scenario', '../outside/scenario.yaml'];
const ONCE = [...AGENT, '--max-iterations', '1'];

function tasksOf(prd: number): string {
  const story = { id: `US-00${prd}`, title: 'a story', priority: 1, acceptanceCriteria: ['it works'], passes: false };
  const reviews = { reviewStatus: null, reviewCount: 0, reviewFeedback: '' };
  return JSON.stringify({ project: 'test', branchName: `ralph/prd-${prd}`, userStories: [{ ...story, ...reviews }] });
}

const scenario = (content: object) => writeFile(project.scenario, stringify({ version: 1, ...content }));

/** All that is not the agent's: the other stream, its branch and main. */
async function others(): Promise<object> {
  const tree = join(project.root, '.ralph/worktrees/PRD-2');
  const [files, head, main, index] = await Promise.all([
    listTree(tree),
    project.git('rev-parse', 'ralph/prd-2'),
    project.git('rev-parse', 'main'),
    project.git('-C', tree, 'ls-files', '--stage'),
  ]);
  return { files, head, main, index };
}

/** What was denied in the last run of a work tree: rule and subject. */
async function denied(root: string): Promise<readonly (readonly [string, string])[]> {
  const { run } = JSON.parse(await readFile(join(root, '.ralph/status.json'), 'utf8'));
  const lines = (await readFile(join(root, `.ralph/runs/${run}/events.jsonl`), 'utf8')).trim().split('\n');
  const events = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'denied');
  return events.map(({ rule, subject }) => [rule, subject] as const);
}

/** An answer: one that says nothing would be asked again. */
const DONE = { say: 'I tried.' };

/** What an agent tries that works in `.ralph/worktrees/PRD-1`, or (`there`) in the project itself. */
const attempts = (there: string) => [
  ['streams/files', { run: `echo evil > ${there}/shop.txt` }],
  ['streams/files', { run: `rm -rf ${there}` }],
  ['path/stream', { write: { path: `${there}/evil.txt`, content: 'evil' } }],
  ['streams/elsewhere', { run: `cd ${there} && git commit --allow-empty -m evil` }],
  ['streams/elsewhere', { run: `git -C ${there} commit --allow-empty -m evil` }],
  ['streams/branches', { run: 'git branch -f ralph/prd-2 HEAD' }],
  ['streams/branches', { run: 'git cherry-pick main..ralph/prd-2' }],
  ['git-local/worktrees-and-tags', { run: `git worktree remove --force ${there}` }],
  ['git-local/rewrite', { run: 'git update-ref refs/heads/main HEAD' }],
  ['git-local/merge', { run: 'git merge ralph/prd-2' }],
  ['git-remote/push', { run: 'git push . HEAD:main' }],
  ['tampering/loop', { run: 'ralph stream merge 2' }],
  ['tampering/loop', { run: 'sh -c "ralph stream remove 2 --force"' }],
];

const stepsOf = (there: string) => [
  { when: { story: 'US-001' }, do: [...attempts(there).map(([, action]) => action), DONE] },
];

describe('an agent that asks the hooks', () => {
  test('of a stream is denied all of it', async () => {
    await scenario({ hooks: true, steps: stepsOf('../PRD-2') });
    await project.ralph(['stream', 'start', '1', ...ONCE]);
    const rules = (await denied(join(project.root, '.ralph/worktrees/PRD-1'))).map(([rule]) => rule);
    expect(rules).toEqual(attempts('').map(([rule]) => rule));
    expect(await others()).toEqual(before);
  });

  test('in the project itself is denied all of it', async () => {
    await scenario({ hooks: true, steps: stepsOf('.ralph/worktrees/PRD-2') });
    await project.ralph(['run', '--prd', '1', ...ONCE]);
    expect((await denied(project.root)).map(([rule]) => rule)).toEqual(attempts('').map(([rule]) => rule));
    expect(await others()).toEqual(before);
  });
});

describe.skipIf(noBwrap)('an agent that asks nobody, isolated', () => {
  const ISOLATED = { RALPH_ISOLATION_BACKEND: 'bwrap' };
  const steps = (there: string, project: string) => [
    {
      when: { story: 'US-001' },
      do: [
        { run: `echo evil > ${there}/shop.txt` },
        { run: `echo evil > ${there}/evil.txt` },
        { run: `rm -rf ${there}` },
        { run: `mv ${there} ${there}-gone` },
        { run: `echo evil > ${project}/.git/worktrees/PRD-2/HEAD` },
        { run: 'git update-ref refs/heads/main HEAD~1' },
        { run: 'git update-ref -d refs/heads/ralph/prd-2' },
        { run: `git worktree remove --force ${there}` },
        { run: `ls ${there} > seen.txt 2>&1; true` },
        { run: 'env -u RALPH_RUN_ID ralph stream merge 2' },
        DONE,
      ],
    },
  ];

  test('of a stream sees neither the project nor the others', async () => {
    await scenario({ steps: [...steps('../PRD-2', '../../..'), ...easySteps('US-002')] });
    await project.ralph(['stream', 'start', '1', ...ONCE], ISOLATED);
    expect(await others()).toEqual(before);
  });

  test('in the project itself changes nothing of them', async () => {
    await scenario({ steps: steps('.ralph/worktrees/PRD-2', '.') });
    await project.ralph(['run', '--prd', '1', ...ONCE], ISOLATED);
    expect(await others()).toEqual(before);
  });
});

describe.skipIf(!binary)('the real client', () => {
  test('in a stream is denied, and the model is told why', async () => {
    const tries = ['ralph stream merge 2', 'cd ../PRD-2 && echo evil > shop.txt', 'git -C ../PRD-2 commit -am evil'];
    const server = await startModelServer(({ turn }) => {
      const command = tries[turn - 1];
      return command === undefined ? 'I stop here.' : { tools: [bash(command)] };
    });
    try {
      const settings = { agent: 'claude', model: 'claude-sonnet-5-5', agents: { claude: { command: binary } } };
      await project.write('ralph.config.json', JSON.stringify(settings));
      const env = await clientEnvironment(project.outside, server.url);
      await project.ralph(['stream', 'start', '1', '--max-iterations', '1'], env);
      const told = server.requests.slice(1).map(toldIn);
      expect(told[0]).toMatch(/PreToolUse:Bash hook error.*Only the user runs the loop/);
      expect(told[1]).toMatch(/PreToolUse:Bash hook error.*another stream/);
      expect(told[2]).toMatch(/PreToolUse:Bash hook error.*another stream/);
      expect(await others()).toEqual(before);
    } finally {
      await server.close();
    }
  });
});
