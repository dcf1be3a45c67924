import { afterEach, describe, expect, test } from 'vitest';
import { plainText } from '../support/plain-text.ts';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { APPROVED, write } from '../support/says.ts';

let project: Project;
afterEach(() => project?.remove());

/** One iteration with two rescues: a reviewer changes files and breaks off, twice; the third try is accepted. */
async function twiceRescued(): Promise<string> {
  project = await makeProject({
    files: {
      'kept.txt': 'kept\n',
      'src/third.txt': 'three\n',
      'ralph.config.json': '{ "transient": { "retries": 2, "delay": "10ms" } }\n',
    },
    stories: [{ id: 'US-001', reviewStatus: 'needs_review' }],
    steps: [
      { when: { try: 1 }, do: [write('kept.txt', 'first try\n'), write('src/first.txt', 'one\n'), { empty: true }] },
      {
        when: { try: 2 },
        do: [
          write('kept.txt', 'second try\n'),
          write('src/second.txt', 'two\n'),
          { fail: { kind: 'network', message: 'no route' } },
        ],
      },
      { do: [APPROVED] },
    ],
  });
  const { stdout } = await project.run(['--once']);
  const [line] = await ledgerOf(project);
  expect(line?.verdict, stdout).toBe('accepted');
  return line?.run ?? '';
}

const isMissing = async (path: string) => expect(project.read(path)).rejects.toThrow('ENOENT');

describe('two rescues of one iteration', () => {
  test('are both listed, newest first, with what to do about them', async () => {
    const run = await twiceRescued();
    const { code, stdout } = await project.ralph(['rescue', 'list']);
    expect(code).toBe(0);
    expect(stdout).toContain('ralph rescue restore NAME');
    const listed = JSON.parse((await project.ralph(['rescue', '--json'])).stdout);
    expect(listed.map(({ name }: { name: string }) => name).toSorted()).toEqual([`${run}/1-1`, `${run}/1-2`]);
    for (const { name, subject } of listed) {
      expect(stdout).toContain(name);
      expect(subject).toContain('US-001');
    }
  });

  test('are shown as a diff that git can apply', async () => {
    const run = await twiceRescued();
    const { stdout } = await project.ralph(['rescue', 'show', `${run}/1-1`]);
    expect(stdout).toContain('+first try');
    expect(stdout).not.toContain('second');
    await project.git('switch', '-q', 'main');
    await project.write('rescue.patch', stdout);
    await project.git('apply', 'rescue.patch');
    expect(await project.read('kept.txt')).toBe('first try\n');
    expect(await project.read('src/first.txt')).toBe('one\n');
  });

  test('are both restorable, and stay afterwards', async () => {
    const run = await twiceRescued();
    expect(await project.read('kept.txt')).toBe('kept\n');
    await isMissing('src/first.txt');

    const first = await project.ralph(['rescue', 'restore', `${run}/1-1`]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('src/first.txt');
    expect(await project.read('kept.txt')).toBe('first try\n');
    expect(await project.read('src/first.txt')).toBe('one\n');
    await isMissing('src/second.txt');

    await project.git('checkout', '--', 'kept.txt');
    const second = await project.ralph(['rescue', 'restore', `${run}/1-2`]);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(await project.read('kept.txt')).toBe('second try\n');
    expect(await project.read('src/second.txt')).toBe('two\n');
    expect(await project.read('src/third.txt')).toBe('three\n');
    expect(JSON.parse((await project.ralph(['rescue', '--json'])).stdout)).toHaveLength(2);
  });

  test('are not put over files that were changed since, unless forced', async () => {
    const run = await twiceRescued();
    await project.write('kept.txt', 'my own words\n');
    const refused = await project.ralph(['rescue', 'restore', `${run}/1-2`]);
    expect(refused.code).toBe(2);
    expect(plainText(project, refused.stderr)).toMatchInlineSnapshot(`
      "Error: the rescue <run>/1-2 would overwrite kept.txt
        where: <root>
        why:   these files differ from HEAD and from the rescue: their current contents exist nowhere else
        fix:   commit or stash them first
        fix:   ralph rescue restore <run>/1-2 --force
      "
    `);
    expect(await project.read('kept.txt')).toBe('my own words\n');
    await isMissing('src/second.txt');

    const forced = await project.ralph(['rescue', 'restore', `${run}/1-2`, '--force']);
    expect(forced.code).toBe(0);
    expect(await project.read('kept.txt')).toBe('second try\n');
  });

  test('give single files, and complain about paths they do not have', async () => {
    const run = await twiceRescued();
    expect((await project.ralph(['rescue', 'restore', `${run}/1-1`, 'src/first.txt'])).code).toBe(0);
    expect(await project.read('src/first.txt')).toBe('one\n');
    expect(await project.read('kept.txt')).toBe('kept\n');
    const { code, stderr } = await project.ralph(['rescue', 'restore', `${run}/1-1`, 'src/second.txt']);
    expect(code).toBe(2);
    expect(plainText(project, stderr)).toMatchInlineSnapshot(`
      "Error: the rescue <run>/1-1 contains no change to src/second.txt
        fix:   ralph rescue show <run>/1-1
      "
    `);
  });

  test('go only when somebody prunes, by age', async () => {
    await twiceRescued();
    const counts = async () => JSON.parse((await project.ralph(['rescue', '--json'])).stdout).length;
    expect((await project.ralph(['rescue', 'prune', '--older-than', '1d'])).stdout).toBe('0 rescues deleted\n');
    expect(await counts()).toBe(2);
    expect((await project.ralph(['rescue', 'prune', '--older-than', '1ms', '--dry-run'])).stdout).toContain(
      '2 rescues would be deleted',
    );
    expect(await counts()).toBe(2);
    expect((await project.ralph(['rescue', 'prune', '--older-than', '1ms'])).stdout).toContain('2 rescues deleted');
    expect((await project.ralph(['rescue'])).stdout).toBe('no rescues\n');
  });
});

test('ralph rescue names the nearest rescue for a mistyped name, and asks for an age before it prunes', async () => {
  const run = await twiceRescued();
  const mistyped = await project.ralph(['rescue', 'show', `${run}/1-3`]);
  expect(mistyped.code).toBe(2);
  expect(plainText(project, mistyped.stderr)).toMatchInlineSnapshot(`
    "Error: there is no rescue '<run>/1-3'; did you mean <run>/1-2?
      fix:   \`ralph rescue list\` lists them
    "
  `);
  const ageless = await project.ralph(['rescue', 'prune']);
  expect(ageless.code).toBe(2);
  expect(ageless.stderr).toMatchInlineSnapshot(`
    "Error: ralph rescue prune needs --older-than: give the age of the rescues to delete
      fix:   ralph rescue prune --older-than 30d --dry-run
    "
  `);
});
