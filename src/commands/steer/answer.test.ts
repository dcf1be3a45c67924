import { beforeEach, describe, expect, test } from 'vitest';
import { backlogText, freshRepository, type Repository } from '../../../test/support/command-repository.ts';
import { appendSteering, readLedger } from '../../adapters/workspace/index.ts';
import { anAsked, saidTo, startLiveRun, stateDirOf, writeLedger } from '../shared/live-run.fixture.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await freshRepository({ 'ralph/tasks.json': backlogText });
});

/** US-002 and US-003 wait for an answer each. */
async function asked(): Promise<void> {
  await repo.ralph('stories', 'block', 'US-002', 'question Q1: Euro or dollar?');
  await repo.ralph('stories', 'block', 'US-003', 'question Q2: In coins?\nOr in notes?');
  await writeLedger(
    repo,
    anAsked('question Q1: Euro or dollar?', 'US-002', 1),
    anAsked('question Q2: In coins?\nOr in notes?', 'US-003', 2),
  );
}

const storyNow = async (id: string) => JSON.parse((await repo.ralph('stories', 'show', id, '--json')).out).story;
const without = (out: string) => out.replaceAll(/asked [\d-]+ [\d:]+/g, 'asked TIME');

describe('ralph questions', () => {
  test('lists what is open, and how to answer it', async () => {
    await asked();
    const { code, out } = await repo.ralph('questions');
    expect(code).toBe(0);
    expect(without(out)).toMatchInlineSnapshot(`
      "Q1  open · US-002 Sum up · asked TIME
          Euro or dollar?

      Q2  open · US-003 Give change · asked TIME
          In coins?
          Or in notes?

      answer with: ralph answer Q1 "…"
      "
    `);
  });

  test('leaves out what is settled, unless it is asked for all', async () => {
    await asked();
    await repo.ralph('answer', 'Q1', 'euros');
    await repo.ralph('stories', 'reset', 'US-003');
    expect((await repo.ralph('questions')).out).toBe('no open questions; the old ones: ralph questions --all\n');
    const { questions } = JSON.parse((await repo.ralph('questions', '--all', '--json')).out);
    expect(questions).toMatchObject([
      { id: 'Q1', state: 'answered', story: 'US-002', title: 'Sum up', answer: 'euros', iteration: 1 },
      { id: 'Q2', state: 'moot', story: 'US-003', title: 'Give change', answer: null, iteration: 2 },
    ]);
  });

  test('open ones come first', async () => {
    await asked();
    await repo.ralph('answer', 'Q1', 'euros');
    const { questions } = JSON.parse((await repo.ralph('questions', '--all', '--json')).out);
    expect(questions.map(({ id, state }: Record<string, string>) => `${id} ${state}`)).toEqual([
      'Q2 open',
      'Q1 answered',
    ]);
  });

  test('works while an agent has the backlog in pieces', async () => {
    await asked();
    await repo.write('ralph/tasks.json', '{ "userStories": [');
    const { code, out } = await repo.ralph('questions', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out).questions).toMatchObject([
      { id: 'Q1', state: 'open', title: null },
      { id: 'Q2', state: 'open' },
    ]);
  });

  test('says when nobody asked', async () => {
    expect(await repo.ralph('questions')).toEqual({ code: 0, out: 'no questions yet\n', err: '' });
  });
});

describe('ralph answer', () => {
  test('without a run frees the story at once and puts the answer into the ledger', async () => {
    await asked();
    const { code, out } = await repo.ralph('answer', 'q1', 'euros', 'only');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'Q1 is answered; US-002 is unblocked, and its prompts contain the answer. Continue with: ralph run\n',
    });
    expect(await storyNow('US-002')).toMatchObject({ state: 'needs review' });
    expect(await storyNow('US-003')).toMatchObject({ state: 'blocked' });
    expect((await readLedger(stateDirOf(repo))).at(-1)).toMatchObject({
      kind: 'answer',
      question: 'Q1',
      story: 'US-002',
      text: 'euros only',
    });
    expect((await saidTo(repo)).at(-1)).toEqual({ kind: 'answer', question: 'Q1', text: 'euros only' });
  });

  test('during a run is left for it to take', async () => {
    await asked();
    await startLiveRun(repo);
    const { code, out } = await repo.ralph('answer', 'Q2', 'coins');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'Q2 is answered: the current run uses it before its next iteration on US-003\n',
    });
    expect((await saidTo(repo)).at(-1)).toEqual({ kind: 'answer', question: 'Q2', text: 'coins' });
    expect((await readLedger(stateDirOf(repo))).at(-1)).not.toMatchObject({ kind: 'answer' });
    expect(await storyNow('US-003')).toMatchObject({ state: 'blocked' });
    expect((await repo.ralph('questions')).out).toContain('answered, from the next iteration on');
  });

  test('leaves a story alone that does not wait for it any more', async () => {
    await asked();
    await repo.ralph('stories', 'block', 'US-002', 'out of scope');
    expect((await repo.ralph('answer', 'Q1', 'euros')).code).toBe(0);
    expect(await storyNow('US-002')).toMatchObject({ blocked: 'out of scope' });
    expect((await readLedger(stateDirOf(repo))).at(-1)).toMatchObject({ kind: 'answer', question: 'Q1' });
  });

  test.each([
    ['one that nobody asked', ['Q3', 'x'], "there is no question 'Q3'; did you mean"],
    ['nothing', ['Q1', ''], 'the answer is empty'],
    ['what no prompt should carry', ['Q1', '\u001b]0;x'], 'U+001B'],
  ])('refuses %s', async (_, line, message) => {
    await asked();
    const { code, err } = await repo.ralph('answer', ...line);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect((await readLedger(stateDirOf(repo))).filter(({ kind }) => kind === 'answer')).toEqual([]);
  });

  test('takes one answer to a question, be it applied or only said', async () => {
    await asked();
    await repo.ralph('answer', 'Q1', 'euros');
    await appendSteering(stateDirOf(repo), { kind: 'answer', question: 'Q2', text: 'coins', at: 0 });
    for (const [id, text] of [
      ['Q1', 'euros'],
      ['Q2', 'coins'],
    ] as const) {
      const { code, err } = await repo.ralph('answer', id, 'something else');
      expect(code).toBe(2);
      expect(err).toContain(`${id} was already answered: "${text}"`);
      expect(err).toContain('ralph steer');
    }
  });

  test('is data with --json', async () => {
    await asked();
    const { out } = await repo.ralph('answer', 'Q1', 'euros', '--json');
    expect(JSON.parse(out)).toEqual({ question: 'Q1', story: 'US-002', applied: true, unawaited: null });
  });

  test.each([
    [['approve', 'US-002'], 'it is done'],
    [['reset', 'US-002'], 'it is already unblocked'],
    [['block', 'US-002', 'the shop is shut'], 'it is blocked for another reason (the shop is shut)'],
  ])('that nobody waits for since `ralph stories %s` say so', async (decision, why) => {
    await asked();
    await repo.ralph('stories', ...decision);
    const { code, out } = await repo.ralph('answer', 'Q1', 'euros');
    expect({ code, out }).toEqual({
      code: 0,
      out: `Q1 is answered, but US-002 no longer waits for it: ${why}\n`,
    });
  });

  test('that are left to a run say so where the story was approved since', async () => {
    await asked();
    await startLiveRun(repo);
    await repo.ralph('stories', 'approve', 'US-002');
    expect((await repo.ralph('answer', 'Q1', 'euros')).out).toContain('it is approved by then');
  });
});
