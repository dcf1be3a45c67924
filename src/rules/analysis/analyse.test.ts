import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse, announcesEverything } from './analyse.ts';
import { BLOCK_BEGIN, BLOCK_END } from './markdown.ts';

const TAG = '<promise>COMPLETE</promise>';
const block = (...lines: string[]): string => [BLOCK_BEGIN, ...lines, BLOCK_END].join('\n');

/** Changed sources, no tests run; each test says what is different. */
function analysed(text: string, facts: Partial<Parameters<typeof analyse>[1]> = {}) {
  return analyse(text, { promise: 'COMPLETE', changedFiles: ['src/a.ts'], ranTests: false, ...facts });
}

describe('analyse, who decides', () => {
  it.each([
    ['exit-signal', block('EXIT_SIGNAL: true')],
    ['exit-signal', block('STATUS: COMPLETE', 'EXIT_SIGNAL: true')],
    ['exit-signal', block('STATUS: IN_PROGRESS', 'EXIT_SIGNAL: true')],
    ['exit-signal', `${TAG}\n${block('EXIT_SIGNAL: true')}`],
    ['exit-signal', `Two stories remain.\n${block('EXIT_SIGNAL: true')}`],
    ['promise', TAG],
    ['promise', `${TAG}\n\n${block('STATUS: COMPLETE')}`],
    ['promise', `${TAG}\n\n${block('WORK_TYPE: TESTING')}`],
    ['promise', `All tasks are complete.\n\n${TAG}`],
    ['status', block('STATUS: COMPLETE')],
    ['exit-signal', block('**STATUS:** Complete', '- exit_signal: `True`')],
    ['exit-signal', `\`\`\`text\n${block('EXIT_SIGNAL: yes')}\n\`\`\``],
  ] as const)('believes the %s of %j, with a confidence of 100', (by, text) => {
    const { claimsCompletion, signals } = analysed(text);
    expect(claimsCompletion).toEqual({ by });
    expect(signals).toMatchObject({ done: true, completion: true, confidence: 100, testOnly: false });
  });

  it.each([
    block('EXIT_SIGNAL: false'),
    block('STATUS: COMPLETE', 'EXIT_SIGNAL: false'),
    `${TAG}\n\n${block('EXIT_SIGNAL: false')}`,
    `All tasks are complete. Nothing is left to do. No changes are needed.\n${block('EXIT_SIGNAL: false')}`,
    block('STATUS: IN_PROGRESS'),
    `${TAG}\n\n${block('STATUS: IN_PROGRESS')}`,
    `The project is complete.\n${block('STATUS: IN_PROGRESS', 'EXIT_SIGNAL: false')}`,
    block('STATUS: BLOCKED', 'EXIT_SIGNAL: true'),
    `${TAG}\n\n${block('STATUS: BLOCKED')}`,
    block('STATUS: COMPLETE', 'EXIT_SIGNAL: False'),
    block('STATUS: COMPLETE', 'EXIT_SIGNAL: no (tests to come)'),
    `${TAG}\n\n${block('- **Status**: _in progress_.')}`,
    `${TAG}\n\n${block('status: blocked')}`,
    `${TAG}\n\n**${BLOCK_BEGIN}**\nEXIT_SIGNAL: false\n**${BLOCK_END}**`,
    `${TAG}\n\n\`\`\`\n${block('EXIT_SIGNAL: false')}\n\`\`\``,
    `\`\`\`\n${block('EXIT_SIGNAL: false')}\n\`\`\`\n\n${TAG}`,
    `${TAG}\n\n${block('STATUS: IN_PROGRESS')}\n\nThe docs now show:\n\n\`\`\`\n${block('EXIT_SIGNAL: true')}\n\`\`\``,
    // What cannot be read is not permission to stop.
    `${TAG}\n\n${BLOCK_BEGIN}\nSTATUS: COMPLETE\nEXIT_SIGNAL: true`,
    `${block('EXIT_SIGNAL: true')}\nOne more thing.\n${BLOCK_BEGIN}\nSTATUS: IN_PROG`,
    `Hm.\n${block('STATUS: COMPLETE', 'EXIT_SIGNAL: true | false')}`,
    `${TAG}\n\n${block('STATUS: COMPLETE', 'EXIT_SIGNAL: perhaps')}`,
    `${TAG}\n\n${block('STATUS: COMPLETE', 'EXIT_SIGNAL: true (once the review is over)')}`,
    `The project is complete. Nothing is left to do.\n${block('STATUS: almost')}`,
  ])('lets nothing beat the block of %j', (text) => {
    expect(analysed(text).claimsCompletion).toBeNull();
    expect(analysed(text).signals).toEqual({ done: false, completion: false, testOnly: false, confidence: 20 });
    expect(analysed(text, { changedFiles: [] }).signals.confidence).toBe(0);
  });

  it('takes the last block of several, and none of an echoed template', () => {
    expect(analysed(`${block('EXIT_SIGNAL: false')}\n${block('EXIT_SIGNAL: true')}`).signals.done).toBe(true);
    expect(analysed(`${block('EXIT_SIGNAL: true')}\n${block('EXIT_SIGNAL: false')}`).signals.done).toBe(false);
    const template = block('STATUS: COMPLETE | IN_PROGRESS | BLOCKED', 'EXIT_SIGNAL: true | false');
    expect(analysed(template)).toMatchObject({ claimsCompletion: null, signals: { done: false, completion: false } });
  });

  it.each([
    block('STATUS: COMPLETE', 'TESTS_STATUS: FAILING', 'EXIT_SIGNAL: true'),
    `${TAG}\n\n${block('TESTS_STATUS: failing')}`,
    `All tasks are complete. Nothing is left to do.\n${block('TESTS_STATUS: FAILING (2 of 9)')}`,
  ])('calls nothing done while tests fail: %j', (text) => {
    expect(analysed(text)).toMatchObject({ claimsCompletion: null, signals: { done: false, completion: true } });
    expect(analysed(text).signals.confidence).toBe(20);
    expect(analysed(text, { changedFiles: [] }).signals.confidence).toBe(0);
  });

  it('believes no block in a block quote, and none in a fence that more text follows', () => {
    const done = block('STATUS: COMPLETE', 'EXIT_SIGNAL: true');
    for (const text of [
      done.replace(/^/gm, '> '),
      `The format is\n\n\`\`\`\n${done}\n\`\`\`\n\nThe chapter on tools comes next.`,
      `${done.replace(BLOCK_END, '')}`,
    ]) {
      expect(analysed(text)).toMatchObject({ claimsCompletion: null, signals: { done: false, completion: false } });
    }
  });

  it('tells a promise that was said from one that decides', () => {
    expect(analysed(`${TAG}\n\n${block('EXIT_SIGNAL: false')}`)).toMatchObject({
      promise: true,
      claimsCompletion: null,
    });
    expect(analysed(`I will write ${TAG} later.`)).toMatchObject({ promise: false, claimsCompletion: null });
  });
});

describe('analyse, by words alone', () => {
  it.each([
    [0, 'I renamed a function.', []],
    [20, 'I renamed a function.', ['src/a.ts']],
    [15, 'Done.', ['src/a.ts']],
    [15, 'Done. The task is complete.', []],
    [50, 'All tasks are complete.', []],
    [50, 'All stories of the backlog are complete.', []],
    [50, 'All tasks are complete. Every story is finished. Everything is done.', []],
    [65, 'All tasks are complete. Done.', []],
    [100, 'All tasks are complete. Nothing is left to do.', []],
    [95, 'The project is complete and ready for release. No changes are needed. Done.', []],
    [120, 'All tasks are complete. Nothing is left to do. No changes are needed.', []],
    [150, 'All tasks are complete. The project is finished. There is nothing left to do.', ['a.ts']],
    [100, '🎉 All stories complete! The app is finished.', []],
    [100, 'Your request is implemented. I cannot think of anything else to add.', []],
    [50, 'All tasks are complete. Nothing is left to do. The project is finished. Two stories remain.', []],
    [50, 'All tasks are complete. Nothing is left to do. But 3 tests fail.', []],
    [50, 'All tasks are complete. Nothing is left to do. I am stuck.', []],
  ] as const)('has a confidence of %i in %j', (confidence, text, changedFiles) => {
    const { signals } = analysed(text, { changedFiles });
    expect(signals.confidence).toBe(confidence);
    expect(signals.done).toBe(confidence >= 100);
  });

  it('names the words as the source of a claim', () => {
    expect(analysed('All tasks are complete.').claimsCompletion).toEqual({ by: 'keywords' });
    expect(analysed('The task is complete.').claimsCompletion).toBeNull();
  });
});

describe('analyse, tests only', () => {
  it.each([
    ['the block says so', block('WORK_TYPE: TESTING', 'STATUS: IN_PROGRESS'), [], false, true],
    ['the block says so, a source says no', block('WORK_TYPE: TESTING'), ['src/a.ts'], false, false],
    ['the block says so of tests that changed', block('WORK_TYPE: TESTING'), ['test/a.ts'], false, true],
    ['more tests are to come', block('WORK_TYPE: TESTING', 'EXIT_SIGNAL: false'), ['test/a.ts'], true, false],
    ['more is to come, in words', 'I added tests. Next, I will add the parser.', ['test/a.ts'], true, false],
    ['the block says that tests fail', block('WORK_TYPE: TESTING', 'TESTS_STATUS: FAILING'), [], true, false],
    ['tests fail, in words', 'I ran the tests: 2 of 9 failed.', [], true, false],
    ['failing tests were written first', 'I added failing tests for the parser.', ['test/a.ts'], true, false],
    ['none failed', 'I ran the tests: 9 passed, 0 failed.', [], true, true],
    ['it is stuck', 'I ran the tests. I am stuck.', [], true, false],
    ['it is blocked', block('WORK_TYPE: TESTING', 'STATUS: BLOCKED'), [], true, false],
    ['snapshots beside tests', 'Ok.', ['a.test.ts', '__snapshots__/a.snap', 'testdata/a.json'], true, true],
    ['fixtures beside no test', 'Ok.', ['app/fixtures/seed.json'], true, false],
    ['a document in a folder of tests', 'Ok.', ['spec/loop.md'], true, false],
    ['tests ran and nothing changed, without a word of it', 'Ok.', [], true, false],
    ['tests ran and only tests changed', 'Ok.', ['src/a.test.ts', 'tests/b.py', 'pkg/c_test.go'], true, true],
    ['it says that it ran tests', 'I ran the full test suite.', [], true, true],
    ['it only says that it ran tests', 'I ran the full test suite.', [], false, false],
    ['it says that it wrote tests', 'I added more unit tests.', ['test/a.ts'], false, true],
    ['it says that tests pass', 'All 12 tests pass.', [], true, true],
    ['a source changed as well', 'I added tests.', ['src/a.ts', 'src/a.test.ts'], true, false],
    ['nothing tells of tests', 'I read the code.', [], false, false],
    ['the block names other work', block('WORK_TYPE: IMPLEMENTATION'), ['src/a.ts'], true, false],
  ] as const)('%s', (_, text, changedFiles, ranTests, expected) => {
    expect(analysed(text, { changedFiles, ranTests }).signals.testOnly).toBe(expected);
  });

  it('is never said of an iteration that is done', () => {
    const text = `All tests pass.\n\n${TAG}\n\n${block('WORK_TYPE: TESTING')}`;
    expect(analysed(text, { changedFiles: [], ranTests: true }).signals).toMatchObject({ done: true, testOnly: false });
  });
});

describe('analyse, stuck', () => {
  it.each([
    [block('STATUS: BLOCKED', 'RECOMMENDATION: no key for the API'), 'no key for the API'],
    [block('STATUS: BLOCKED'), 'STATUS: BLOCKED'],
    ["I tried to build it.\n\nI'm stuck on the linker.", "i'm stuck on the linker."],
    ['I am unable to continue without the schema.', 'i am unable to continue without the schema.'],
    ['This requires manual intervention.', 'this requires manual intervention.'],
    ['I keep going around in circles.', 'i keep going around in circles.'],
    ['The build keeps failing. I do not know why it breaks.', 'the build keeps failing.'],
    ['There is no network access. I cannot install the packages.', 'there is no network access.'],
  ])('hears it in %j', (text, expected) => {
    expect(analysed(text).stuck).toBe(expected);
  });

  it.each([
    'The parser rejects an error.',
    'I am not stuck.',
    'I was stuck, but no longer am stuck.',
    'If you get stuck, ask.',
    'Am I stuck?',
    'The user is unable to delete the last row, as the spec has it.',
    'The dialog says "I am stuck".',
    'Fixed: the importer kept failing.',
    'The request failed with status 404, which the test expects.',
    'The form requires user input.',
    'I added a check for missing credentials.',
  ])('hears nothing of the kind in %j', (text) => {
    expect(analysed(text).stuck).toBeNull();
  });
});

describe('announcesEverything', () => {
  it.each([
    TAG,
    `${TAG}\n\n${block('STATUS: COMPLETE', 'EXIT_SIGNAL: true')}`,
    'All stories are done.',
    'Every story in the backlog is complete.',
    'There are no stories left.',
    'No more user stories remain.',
    'The whole backlog is finished.',
    'The project is complete.',
    'That was the last open story.',
    '12/12 stories are done.',
    'With ST-12 every story of the backlog is done.',
    'All stories in `plan/prd.json` are done.',
  ])('hears it in %j', (text) => {
    expect(announcesEverything(text, 'COMPLETE', 'implement')).toBe(true);
  });

  it.each([
    '',
    'Done.',
    'The story is done.',
    'All tasks are complete.',
    'All acceptance criteria are met.',
    'Everything is done.',
    'There is nothing left to do.',
    block('STATUS: COMPLETE', 'EXIT_SIGNAL: true'),
    block('STATUS: COMPLETE'),
    `${TAG}\n\n${block('STATUS: COMPLETE', 'EXIT_SIGNAL: false')}`,
    `${TAG}\n\n${block('STATUS: BLOCKED')}`,
    `When all stories are done I will write ${TAG}.`,
    `\`${TAG}\``,
    'All stories will be done soon.',
    'All stories but one are done.',
    'All stories are done. Two bugs are still open.',
    'Are all stories done?',
    'No story is done.',
    `${TAG}\n\n${BLOCK_BEGIN}\nSTATUS: COMPLETE`,
    `${TAG}\n\n${block('EXIT_SIGNAL: nearly')}`,
    'All stories under the epic "search" are done.',
    'All stories in the "search" group are done; "export" is next to nothing.',
    'Two more screens, and the project is complete.',
    'Another day and all stories are done.',
    'All stories are ticked off as done, but that is premature.',
    'All stories are marked as done, though falsely.',
    'All stories are done => the loop ends',
    'All stories done: no',
    'All stories done — not really',
    'All stories are done (title of the dialog)',
    'All stories complete:\n- login ✅\n- logout 🚧',
    'All stories complete:\n- [x] login\n- [ ] logout',
  ])('hears nothing of the kind in %j', (text) => {
    expect(announcesEverything(text, 'COMPLETE', 'implement')).toBe(false);
  });

  it('listens to a reviewer only for the promise', () => {
    expect(announcesEverything('All stories are done.', 'COMPLETE', 'review')).toBe(false);
    expect(announcesEverything(TAG, 'COMPLETE', 'review')).toBe(true);
    expect(announcesEverything('All stories are done.', 'COMPLETE', 'review-fix')).toBe(true);
  });
});

describe('analyse, any text', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      TAG,
      'All tasks are complete.',
      'The project is finished.',
      'Nothing is left to do.',
      'Two tasks remain.',
      'Done.',
      'I ran the tests.',
      '',
      '```',
      block('STATUS: COMPLETE'),
      block('STATUS: IN_PROGRESS'),
      'EXIT_SIGNAL: true',
    ),
    fc.string({ unit: 'binary' }),
  );
  const text = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join('\n'));
  const facts = fc.record({
    promise: fc.constant('COMPLETE'),
    changedFiles: fc.subarray(['src/a.ts', 'test/a.test.ts']),
    ranTests: fc.boolean(),
  });

  it('is answered, with signals that agree with one another', () => {
    fc.assert(
      fc.property(text, facts, (said, known) => {
        const { signals, claimsCompletion } = analyse(said, known);
        expect(signals.done).toBe(signals.confidence >= 100);
        expect(signals.done && signals.testOnly).toBe(false);
        expect(signals.confidence).toBeGreaterThanOrEqual(0);
        if (claimsCompletion !== null) expect(signals.completion).toBe(true);
        if (signals.done) expect(signals.completion).toBe(true);
      }),
    );
  });

  it('never finishes against EXIT_SIGNAL: false at its end', () => {
    fc.assert(
      fc.property(text, facts, (said, known) => {
        const { signals, claimsCompletion } = analyse(`${said}\n${block('EXIT_SIGNAL: false')}`, known);
        expect(claimsCompletion).toBeNull();
        expect(signals).toMatchObject({ done: false, completion: false });
      }),
    );
  });

  it('always finishes with EXIT_SIGNAL: true at its end', () => {
    fc.assert(
      fc.property(text, facts, (said, known) => {
        // A fence without an end would make it an example.
        const calm = said.replace(/[`~]{3,}/g, '');
        expect(analyse(`${calm}\n${block('EXIT_SIGNAL: true')}`, known).claimsCompletion).toEqual({
          by: 'exit-signal',
        });
      }),
    );
  });

  it('gains nothing from fenced, quoted or commented text', () => {
    const hidings: readonly ((hidden: string) => string)[] = [
      (hidden) => `\`\`\`\`\`\n${hidden}\n\`\`\`\`\``,
      (hidden) => hidden.replace(/^/gm, '> '),
      (hidden) => `<!--\n${hidden}\n-->`,
      (hidden) => hidden.replace(/^/gm, '      '),
    ];
    const sentence = fc.constantFrom(
      TAG,
      'All tasks are complete.',
      'The project is finished.',
      'Done.',
      '',
      '- Done.',
    );
    fc.assert(
      fc.property(
        fc.array(sentence, { maxLength: 6 }),
        fc.constantFrom(...hidings),
        fc.constantFrom('', 'I renamed a function.'),
        (hidden, hide, around) => {
          const { claimsCompletion, signals } = analysed(`${around}\n\n${hide(hidden.join('\n'))}\n\n${around}`);
          expect(claimsCompletion).toBeNull();
          expect(signals.completion).toBe(false);
        },
      ),
    );
  });
});
