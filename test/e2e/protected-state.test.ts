import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';

/** The loop decides by what it knows, whatever an agent does to the files in which it is written down. */

let project: Project;
afterEach(() => project?.remove());

const LEDGER = '.git/ralph/ledger.jsonl';
const FORGED = '{"version":1,"kind":"circuit-reset","at":1}';
const MISCHIEF = [
  ['deletes the folder', 'rm -rf .git/ralph', '.git/ralph'],
  ['puts a file in its place', 'rm -rf .git/ralph && touch .git/ralph', '.git/ralph'],
  ['forges a line', `echo '${FORGED}' >> ${LEDGER}`, LEDGER],
  ['truncates the ledger', `: > ${LEDGER}`, LEDGER],
  ['leads the ledger elsewhere', `mkdir -p ../x && touch ../x/l; ln -sf ../../../x/l ${LEDGER}`, LEDGER],
  ['edits the run record', 'sed -i.old s/maxIterations/max/ .git/ralph/run.json', '.git/ralph/run.json'],
] as const;

describe.each(MISCHIEF)('an agent that %s', (_, run, field) => {
  test('and does nothing else trips the breaker in the same iteration as ever', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }], steps: [{ do: [{ run }, { say: 'tidied up' }] }] });
    const { code, stdout, stderr } = await project.run(['--story-max-attempts', '9']);
    expect({ code, stderr }, stdout).toEqual({ code: 3, stderr: '' });
    const lines = await ledgerOf(project);
    expect(lines.map(({ kind, verdict }) => kind + verdict)).toEqual(Array(3).fill('iterationno-progress'));
    for (const { violations } of lines) expect(violations).toMatchObject([{ rule: 'protected-state', field }]);
    expect(stdout).toContain('protected-state');
    expect((await project.stories())[0]).not.toMatchObject({ passes: true });
    expect((await project.run()).code).toBe(3);
  });

  test('and fails is rolled back as ever', { tags: ['long'] }, async () => {
    const steps = [{ do: [{ write: { path: 'README.md', content: 'broken\n' } }, { run }, { crash: { exit: 3 } }] }];
    project = await makeProject({ stories: [{ id: 'US-001' }], steps });
    const readme = await project.read('README.md');
    const { code, stderr } = await project.run(['--once']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(await project.read('README.md')).toBe(readme);
    expect(await project.git('status', '--porcelain')).toBe('');
    const [line] = await ledgerOf(project);
    expect(await project.git('show', `${line?.rescue}:README.md`)).toBe('broken');
  });
});

test('an agent that does its work and deletes the folder gets it committed, and nothing is left over', async () => {
  const work = { write: { path: 'new.txt', content: 'new\n' } };
  const ready = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    files: { 'check.sh': 'rm -rf .git/ralph\n' },
    verifyCommands: ['sh check.sh'],
    steps: [{ do: [work, { run: 'rm -rf .git/ralph' }, ready] }],
  });
  const { code, stdout, stderr } = await project.run(['--once']);
  expect({ code, stderr }, stdout).toEqual({ code: 1, stderr: '' });
  expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted', violations: [{ rule: 'protected-state' }] }]);
  expect(await project.git('show', 'HEAD:new.txt')).toBe('new');
  expect(await project.git('status', '--porcelain')).toBe('');
});

test('what stood in the ledger instead is kept', async () => {
  const steps = [{ do: [{ run: `echo '${FORGED}' >> ${LEDGER}` }, { say: 'tidied up' }] }];
  project = await makeProject({ stories: [{ id: 'US-001' }], steps });
  expect((await project.run(['--once'])).code).toBe(1);
  expect(await project.read(`${LEDGER}.bad-1`)).toBe(`${FORGED}\n`);
  expect(existsSync(`${project.root}/${LEDGER}.bad-2`)).toBe(false);
});

test('a check that deletes the state forges nothing either', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    files: { 'check.sh': 'true\n' },
    verifyCommands: ['sh check.sh'],
    steps: [
      {
        do: [
          { write: { path: 'check.sh', content: 'rm -rf "$HOME/../repo/.git/ralph"; exit 1\n' } },
          { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
        ],
      },
    ],
  });
  const { code, stdout, stderr } = await project.run(['--story-max-attempts', '9']);
  expect(code, stdout + stderr).toBe(3);
  expect(stdout).toContain('A check or a commit hook changed');
  expect(await ledgerOf(project)).toHaveLength(3);
});

test('what people said stays said', async () => {
  const steps = [{ do: [{ run: ': > .git/ralph/steering.jsonl' }, { say: 'tidied up' }] }];
  project = await makeProject({ stories: [{ id: 'US-001' }], steps });
  expect((await project.ralph(['steer', 'use tabs'])).code).toBe(0);
  const said = await project.read('.git/ralph/steering.jsonl');
  expect((await project.run(['--once'])).code).toBe(1);
  expect(await project.read('.git/ralph/steering.jsonl')).toBe(said);
});

test('what an agent reports while the folder is out of use ends nothing', async () => {
  const inTheWay = { run: 'rm -rf .git/ralph && touch .git/ralph' };
  const report = { usage: { input: 10, cost: 0.5 } };
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [{ do: [inTheWay, report, { sleep: '2500ms' }, { say: 'still here' }] }],
  });
  const { code, stderr } = await project.run(['--once']);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(await ledgerOf(project)).toMatchObject([{ verdict: 'no-progress', costUsd: 0.5 }]);
});
