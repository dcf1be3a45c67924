import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_BEGIN, BLOCK_END } from './markdown.ts';
import { parseStatusBlock, readStatus } from './status-block.ts';

const block = (...lines: string[]) => [BLOCK_BEGIN, ...lines, BLOCK_END].join('\n');

describe('parseStatusBlock', () => {
  it('reads every field', () => {
    const text = block(
      'STATUS: COMPLETE',
      'TASKS_COMPLETED_THIS_LOOP: 1',
      'FILES_MODIFIED: 12',
      'TESTS_STATUS: PASSING',
      'WORK_TYPE: TESTING',
      'REVIEW: CHANGES_REQUESTED',
      'EXIT_SIGNAL: true',
      'RECOMMENDATION: go on: next story',
      'FEEDBACK: 1. a',
      '  2. b',
      'STATUS: not a field here',
    );
    expect(parseStatusBlock(`Done!\n\n${text}\nBye.`)).toEqual({
      status: 'COMPLETE',
      testsStatus: 'PASSING',
      workType: 'TESTING',
      review: 'CHANGES_REQUESTED',
      exitSignal: true,
      recommendation: 'go on: next story',
      feedback: '1. a\n  2. b\nSTATUS: not a field here',
      alreadyDone: null,
      evidence: [],
      acceptedFindings: [],
    });
  });

  it('reads what shows that nothing had to be changed', () => {
    const said = block('STATUS: COMPLETE', 'ALREADY_DONE: true', 'EVIDENCE: src/a.ts:12; test/a.test.ts ; 1a2b3c4');
    expect(parseStatusBlock(said)).toMatchObject({
      alreadyDone: true,
      evidence: ['src/a.ts:12', 'test/a.test.ts', '1a2b3c4'],
    });
  });

  it.each([
    ['1 the feature is gone; 2 moved to b.test.ts', [1, 'the feature is gone'], [2, 'moved to b.test.ts']],
    ['#1: gone; as the story says; 3) slow', [1, 'gone; as the story says'], [3, 'slow']],
    ['1; 2 -'],
    ['all of them are fine'],
  ])('reads accepted findings by their numbers, each with a reason: %s', (line, ...accepted) => {
    expect(parseStatusBlock(block('REVIEW: APPROVED', `ACCEPTED_FINDINGS: ${line}`))?.acceptedFindings).toEqual(
      accepted.map(([finding, reason]) => ({ finding, reason })),
    );
  });

  it('is null without a complete block', () => {
    for (const text of [
      '',
      'STATUS: COMPLETE',
      `${BLOCK_BEGIN}\nSTATUS: COMPLETE`,
      `STATUS: COMPLETE\n${BLOCK_END}`,
      `${BLOCK_END}\n${BLOCK_BEGIN}`,
    ]) {
      expect(parseStatusBlock(text)).toBeNull();
    }
  });

  it('takes the last complete block, also when another one was begun after it', () => {
    const text = `${block('STATUS: BLOCKED')}\n${block('STATUS: COMPLETE')}\n${BLOCK_BEGIN}\nSTATUS: BLOCKED`;
    expect(parseStatusBlock(text)?.status).toBe('COMPLETE');
    expect(parseStatusBlock(`${BLOCK_BEGIN}\nSTATUS: BLOCKED\n${block('EXIT_SIGNAL: false')}`)).toMatchObject({
      status: null,
      exitSignal: false,
    });
  });

  it('finds the block inside a fence, indented, and with CRLF', () => {
    expect(parseStatusBlock(`\`\`\`\n${block('STATUS: COMPLETE')}\n\`\`\``)?.status).toBe('COMPLETE');
    expect(parseStatusBlock(block('  STATUS:   COMPLETE  ').replace(/^/gm, '    '))?.status).toBe('COMPLETE');
    expect(parseStatusBlock(block('STATUS: COMPLETE', 'EXIT_SIGNAL: true').replaceAll('\n', '\r\n'))).toMatchObject({
      status: 'COMPLETE',
      exitSignal: true,
    });
  });

  it('leaves a field null when its value is unknown, so that an echoed template claims nothing', () => {
    const echoed = block(
      'STATUS: COMPLETE | IN_PROGRESS | BLOCKED',
      'EXIT_SIGNAL: true | false',
      'FILES_MODIFIED: <number>',
      'REVIEW: APPROVED | CHANGES_REQUESTED',
    );
    expect(parseStatusBlock(echoed)).toMatchObject({
      status: null,
      exitSignal: null,
      review: null,
    });
  });

  it.each([
    ['STATUS: in progress', 'EXIT_SIGNAL: No.'],
    ['status: IN-PROGRESS', 'exit_signal: FALSE'],
    ['**STATUS:** `IN_PROGRESS`', '**EXIT_SIGNAL**: *false*'],
    ['- STATUS: In_Progress', '* EXIT SIGNAL: "false", // later'],
    ['1. STATUS: IN_PROGRESS (two left)', '2. EXIT_SIGNAL: false # not yet'],
  ])('reads %j and %j as they are meant', (...lines) => {
    expect(parseStatusBlock(block(...lines))).toMatchObject({ status: 'IN_PROGRESS', exitSignal: false });
  });

  it('prefers a block of its own to one in a fence, whichever comes first', () => {
    const own = block('STATUS: IN_PROGRESS');
    const fenced = `\`\`\`\n${block('STATUS: COMPLETE')}\n\`\`\``;
    for (const text of [`${own}\n\n${fenced}`, `${fenced}\n\n${own}`]) {
      expect(parseStatusBlock(text)?.status).toBe('IN_PROGRESS');
    }
    expect(parseStatusBlock(`See:\n${fenced}`)?.status).toBe('COMPLETE');
    expect(parseStatusBlock(`${fenced}\nMore text.`)).toBeNull();
    expect(parseStatusBlock(fenced.replace(BLOCK_END, ''))).toBeNull();
  });

  it('tells a block that cannot be read from none', () => {
    for (const text of [BLOCK_BEGIN, block('STATUS: soon'), block('EXIT_SIGNAL:'), `${block()}\n${BLOCK_BEGIN}`]) {
      expect(readStatus(text).isUnreadable).toBe(true);
    }
    for (const text of ['', block(), block('STATUS: COMPLETE', 'WORK_TYPE: magic')]) {
      expect(readStatus(text).isUnreadable).toBe(false);
    }
  });

  it('never mistakes a mention of the markers for a block', () => {
    expect(
      parseStatusBlock(
        `I will end with ${BLOCK_BEGIN} and ${BLOCK_END}.\n> ${BLOCK_BEGIN}\n> STATUS: COMPLETE\n> ${BLOCK_END}`,
      ),
    ).toBeNull();
  });

  it('answers any text, and only with values it knows', () => {
    const piece = fc.oneof(
      fc.constantFrom(BLOCK_BEGIN, BLOCK_END, 'STATUS: COMPLETE', 'FEEDBACK:', 'EXIT_SIGNAL: false', '```', ''),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const parsed = parseStatusBlock(pieces.join('\n'));
        if (parsed === null) return;
        expect([null, 'COMPLETE', 'IN_PROGRESS', 'BLOCKED']).toContain(parsed.status);
        expect([null, true, false]).toContain(parsed.exitSignal);
      }),
    );
  });

  it('finds a block after any noise', () => {
    fc.assert(
      fc.property(fc.string(), (noise) => {
        expect(parseStatusBlock(`${noise}\n${block('STATUS: COMPLETE')}`)?.status).toBe('COMPLETE');
      }),
    );
  });

  it('stays linear on input made to be slow', () => {
    const inputs = [
      `${BLOCK_BEGIN}\n`.repeat(100_000),
      `${BLOCK_END}\n`.repeat(100_000),
      block(`FEEDBACK:${'\nFEEDBACK:'.repeat(100_000)}`),
      `${BLOCK_BEGIN}\n${' '.repeat(1_000_000)}`,
    ];
    for (const input of inputs) parseStatusBlock(input);
  });
});
