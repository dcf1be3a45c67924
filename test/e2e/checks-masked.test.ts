import { afterEach, describe, expect, test } from 'vitest';
import { type Ended, makeProject, type Project } from '../support/project.ts';
import { commitsOf, ledgerOf } from '../support/records.ts';
import { READY, write } from '../support/says.ts';
import { BREAK_THE_CODE, TESTED_CODE } from '../support/tested-code.ts';

/** Checks whose exit code does not tell what their tests did: the output counts as well, where it leaves no doubt. */

let project: Project;
afterEach(() => project?.remove());

async function iteration(
  check: string,
  actions: readonly object[],
  files: Readonly<Record<string, string>> = TESTED_CODE,
): Promise<Ended> {
  project = await makeProject({
    files,
    verifyCommands: [check],
    stories: [{ id: 'US-001' }],
    steps: [{ do: [...actions, READY] }],
  });
  return project.run(['--once']);
}

/** The runner's own reporter depends on its version; this one ends with the figures in each of them. */
const TAP = {
  ...TESTED_CODE,
  'package.json': String(TESTED_CODE['package.json']).replace('--test', '--test --test-reporter=tap'),
};

describe('a check that hides the exit code of its tests', () => {
  test.each([
    ['npm test | tail -5', TAP],
    ['npm test 2>&1 | tee /dev/null', TESTED_CODE],
    ['npm test || true', TESTED_CODE],
    ['npm test; echo done', TESTED_CODE],
  ])('`%s` is red when one of them fails: told so, and the work rolled back', async (check, files) => {
    const { code, stdout } = await iteration(check, [BREAK_THE_CODE, write('more.js', 'export {};\n')], files);
    expect(code).toBe(1);
    expect(stdout).toContain(`✗ ${check} exit 0, but its tests failed`);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'rejected', counts: 'bad' }]);
    const [line] = await ledgerOf(project);
    expect(line?.reason).toBe(
      `a check that passed before fails now: \`${check}\` ended with exit code 0, but its output says that 1 of its tests failed`,
    );
    expect(await project.read('cart.js')).toBe(TESTED_CODE['cart.js']);
    expect(await project.git('show', `${line?.rescue}:cart.js`)).toContain('sum - price');
    expect(await commitsOf(project)).toEqual([]);
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('is green when they pass', async () => {
    const check = 'npm test | tail -8';
    const { stdout } = await iteration(check, [write('more.js', 'export {};\n')], TAP);
    expect(stdout).toContain(`✓ ${check}`);
    expect(stdout).toContain('2 tests');
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted' }]);
  });

  test('what it said reaches the next prompt of the story', async () => {
    project = await makeProject({
      files: TESTED_CODE,
      verifyCommands: ['npm test || true'],
      stories: [{ id: 'US-001' }],
      steps: [
        { when: { attempt: 1 }, do: [BREAK_THE_CODE, READY] },
        {
          when: { attempt: 2 },
          do: [
            { 'expect-prompt': 'ended with exit code 0, but its output says that 1 of its tests failed' },
            { 'expect-prompt': 'the total is the sum of the prices' },
            write('more.js', 'export {};\n'),
            READY,
          ],
        },
      ],
    });
    await project.run(['--once']);
    await project.run(['--once']);
    expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(['rejected', 'accepted']);
  });
});

test.each(['echo "1 failed"', 'cat notes.txt'])('a check that talks of tests, `%s`, stays green', async (check) => {
  const files = { 'notes.txt': 'FAIL sum.test.js\nTests: 1 failed, 3 passed, 4 total\n' };
  const { stdout } = await iteration(check, [write('more.js', 'export {};\n')], files);
  expect(stdout).toContain(`✓ ${check}`);
  expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted', counts: 'good' }]);
});

test('a check that prints a passing summary and ends with 1 is red', async () => {
  const summary = '# tests 3\\n# pass 3\\n# fail 0\\n';
  const files = { 'check.sh': `test ! -e broken.txt && exit 0; printf '${summary}'; exit 1\n` };
  const { stdout } = await iteration('sh check.sh', [write('broken.txt', 'x\n')], files);
  expect(stdout).toContain('✗ sh check.sh exit 1');
  const [line] = await ledgerOf(project);
  expect(line).toMatchObject({ verdict: 'rejected' });
  expect(line?.reason).toContain('`sh check.sh` failed with exit code 1');
  await expect(project.read('broken.txt')).rejects.toThrow();
});
