// @module-tag long
import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { BINARY, GOOD, open, project, refusals } from '../support/bad-input.ts';

describe("the loop's own state", () => {
  const withRun = async (): Promise<void> => {
    await open(GOOD);
    await project.run(['2']);
  };

  test('a damaged journal is kept aside, and the next start goes on', async () => {
    await withRun();
    const journal = await project.read('.git/ralph/journal/lane-0.json');
    expect(
      await refusals('.git/ralph/journal/lane-0.json', {
        empty: '',
        truncated: journal.slice(0, 60),
        binary: BINARY,
        'wrong types': journal.replace('"iteration":2', '"iteration":"two"'),
        'unknown phase': journal.replace('"phase":"done"', '"phase":"begun"'),
        'later version': journal.replace('"version":1', '"version":2'),
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   it is empty; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-1
        fix:   \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run continues without this journal

      # truncated
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   it is not a complete JSON object; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-2
        fix:   \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run continues without this journal

      # binary
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   it is not a complete JSON object; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-3
        fix:   \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run continues without this journal

      # wrong types
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   its 'iteration' is missing or of the wrong type; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-4
        fix:   \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run continues without this journal

      # unknown phase
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   its 'phase' is missing or of the wrong type; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-5
        fix:   \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run continues without this journal

      # later version
      Error: the journal was written by a later version of ralph
        where: <root>/.git/ralph/journal/lane-0.json
        why:   it has format version 2; this ralph knows up to 1 and would misread it
        fix:   update ralph, then start again
      "
    `);
    await project.write('.git/ralph/journal/lane-0.json', '{');
    await project.run();
    expect((await project.run()).code).toBe(0);
  });

  test('a damaged ledger stops every start until a person fixed it', async () => {
    await withRun();
    const ledger = await project.read('.git/ralph/ledger.jsonl');
    const [first, second] = ledger.trimEnd().split('\n');
    expect(
      await refusals('.git/ralph/ledger.jsonl', {
        binary: `${first}\n${Buffer.from(BINARY).toString('latin1').replaceAll('\n', '')}\n${second}\n`,
        'half a line in the middle': `${first?.slice(0, 40)}\n${second}\n`,
        'wrong types': `${first}\n${second?.replace('"iteration":2', '"iteration":"two"')}\n`,
        'later version': `${first?.replace('"version":1', '"version":2')}\n`,
      }),
    ).toMatchInlineSnapshot(`
      "# binary
      Error: the ledger cannot be read
        where: <root>/.git/ralph/ledger.jsonl:2
        why:   the line is not a JSON object; attempts and budgets are counted from it, so ralph does not guess
        fix:   delete or repair that one line (keep a copy); the iterations on the other lines still count

      # half a line in the middle
      Error: the ledger cannot be read
        where: <root>/.git/ralph/ledger.jsonl:1
        why:   the line is not a JSON object; attempts and budgets are counted from it, so ralph does not guess
        fix:   delete or repair that one line (keep a copy); the iterations on the other lines still count

      # wrong types
      Error: the ledger cannot be read
        where: <root>/.git/ralph/ledger.jsonl:2
        why:   its 'iteration' is missing or of the wrong type; attempts and budgets are counted from it, so ralph does not guess
        fix:   delete or repair that one line (keep a copy); the iterations on the other lines still count

      # later version
      Error: the ledger was written by a later version of ralph
        where: <root>/.git/ralph/ledger.jsonl:1
        why:   it has format version 2; this ralph knows up to 1 and would misread it
        fix:   update ralph, then start again
      "
    `);
  });

  test('a torn last line of the ledger was never acknowledged: the run goes on without it', async () => {
    await withRun();
    const ledger = await project.read('.git/ralph/ledger.jsonl');
    await project.write('.git/ralph/ledger.jsonl', `${ledger}{"version":1,"kind":"itera`);
    const { code, stderr } = await project.run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      (await project.read('.git/ralph/ledger.jsonl'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).kind),
    ).toEqual(Array(4).fill('iteration'));
  });

  test('a damaged run record is kept aside, and the next start begins a new run', async () => {
    await withRun();
    const record = await project.read('.git/ralph/run.json');
    expect(
      await refusals('.git/ralph/run.json', {
        empty: '',
        truncated: record.slice(0, 60),
        binary: BINARY,
        'wrong types': record.replace(/"pid":\d+/, '"pid":"me"'),
        'later version': record.replace('"version":1', '"version":2'),
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: the run record cannot be read
        where: <root>/.git/ralph/run.json
        why:   it is empty; it is kept as <root>/.git/ralph/run.json.bad-1
        fix:   start again: a new run begins; commits, ledger and rescues of the old one are untouched

      # truncated
      Error: the run record cannot be read
        where: <root>/.git/ralph/run.json
        why:   it is not a complete JSON object; it is kept as <root>/.git/ralph/run.json.bad-2
        fix:   start again: a new run begins; commits, ledger and rescues of the old one are untouched

      # binary
      Error: the run record cannot be read
        where: <root>/.git/ralph/run.json
        why:   it is not a complete JSON object; it is kept as <root>/.git/ralph/run.json.bad-3
        fix:   start again: a new run begins; commits, ledger and rescues of the old one are untouched

      # wrong types
      Error: the run record cannot be read
        where: <root>/.git/ralph/run.json
        why:   its 'pid' is missing or of the wrong type; it is kept as <root>/.git/ralph/run.json.bad-4
        fix:   start again: a new run begins; commits, ledger and rescues of the old one are untouched

      # later version
      Error: the run record was written by a later version of ralph
        where: <root>/.git/ralph/run.json
        why:   it has format version 2; this ralph knows up to 1 and would misread it
        fix:   update ralph, then start again
      "
    `);
    await project.write('.git/ralph/run.json', '{');
    await project.run();
    expect((await project.run()).code).toBe(0);
  });

  test('missing altogether, it is begun again: stories and commits stand', async () => {
    await withRun();
    await rm(`${project.root}/.git/ralph`, { recursive: true });
    await rm(`${project.root}/.ralph`, { recursive: true });
    const { code, stdout, stderr } = await project.run();
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect((await project.stories()).map(({ passes }) => passes)).toEqual([true, true]);
  });
});
