import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addNotes, appendEntry, compact, initialProgress, isLoopLine, mergeAgentEntries } from './progress.ts';

type ProgressEntry = Parameters<typeof appendEntry>[1];

function anEntry(fields: Partial<ProgressEntry> = {}): ProgressEntry {
  return {
    iteration: 2,
    date: Date.UTC(2026, 10, 21, 23, 5),
    verdict: 'accepted',
    mode: 'implement',
    storyId: 'US-001',
    title: 'Add a greeting',
    reason: 'the story is finished',
    durationMs: 192_000,
    costUsd: 0.421,
    commits: 1,
    checks: [{ command: 'npm test', ok: true }],
    rescue: null,
    ...fields,
  };
}

const formatEntry = (entry: ProgressEntry): string => appendEntry('', entry).trimEnd();
const start = initialProgress('demo');

describe('an entry', () => {
  it('is one line with everything that matters', () => {
    expect(formatEntry(anEntry())).toBe(
      '[2026-11-21T23:05:00.000Z] #2 SUCCESS | accepted | implement | US-001 Add a greeting | 3m 12s | $0.42 | 1 commit | checks: npm test ok | the story is finished',
    );
    const failed = anEntry({
      verdict: 'rejected',
      costUsd: null,
      commits: 0,
      durationMs: 900,
      checks: [{ command: 'npm test', ok: false }],
      rescue: 'refs/x',
      reason: 'red:\n  npm',
    });
    expect(formatEntry(failed)).toBe(
      '[2026-11-21T23:05:00.000Z] #2 FAILED | rejected | implement | US-001 Add a greeting | 1s | cost unknown | 0 commits | checks: npm test FAILED | red: npm | kept at refs/x',
    );
    expect(formatEntry(anEntry({ verdict: 'timed-out', checks: [] }))).toMatch(
      / TIMEOUT \| timed-out .* \| no checks \|/,
    );
  });

  it('is recognised as a line of the loop', () => {
    expect(isLoopLine(formatEntry(anEntry()))).toBe(true);
    expect(isLoopLine('## 2026-11-21 US-001')).toBe(false);
  });
});

it('appendEntry adds a line at the end, in the line ends of the log', () => {
  const line = formatEntry(anEntry());
  expect(appendEntry(start, anEntry())).toBe(`${start}${line}\n`);
  expect(appendEntry('no newline', anEntry())).toBe(`no newline\n${line}\n`);
  expect(appendEntry('a\r\nb', anEntry())).toBe(`a\r\nb\r\n${line}\r\n`);
  expect(appendEntry('', anEntry())).toBe(`${line}\n`);
});

describe('compact', () => {
  const iteration = (n: number) =>
    `\n## Entry ${n}\n\n- learned ${n}\n- more\n\n${formatEntry(anEntry({ iteration: n }))}\n`;
  const log = start + [1, 2, 3, 4].map(iteration).join('');

  it('cuts entries older than the last few down to one line each and leaves the patterns alone', () => {
    const { text, cut } = compact(log, 2);
    expect(text.startsWith(start)).toBe(true);
    expect(text.endsWith(iteration(3) + iteration(4))).toBe(true);
    expect(text).toContain(`## Entry 1: learned 1\n${formatEntry(anEntry({ iteration: 1 }))}\n## Entry 2: learned 2\n`);
    expect(text.match(/- more/g)).toHaveLength(2);
    expect(cut).toBe('## Entry 1\n- learned 1\n- more\n## Entry 2\n- learned 2\n- more');
  });

  it('takes no heading inside a code block for an entry', () => {
    const fenced = `${start}\n## Mine\n\n\`\`\`\n## a comment\n---\n\`\`\`\n${formatEntry(anEntry())}\n`;
    const { text, cut } = compact(fenced, 0);
    expect(text).not.toContain('\n## a comment');
    expect(text.match(/^## /gm)).toHaveLength(2);
    expect(cut).toContain('## a comment');
  });

  it('changes nothing the second time, nor where there is nothing old', () => {
    const { text } = compact(log, 1);
    expect(compact(text, 1)).toEqual({ text, cut: '' });
    const bare = compact(`${start}one\nmore\n---\ntwo\n${formatEntry(anEntry())}\n`, 0).text;
    expect(bare).toContain('## one\n## two\n');
    expect(compact(bare, 0).text).toBe(bare);
    expect(compact(log, 4)).toEqual({ text: log, cut: '' });
    expect(compact(start, 0)).toEqual({ text: start, cut: '' });
  });

  it('keeps the newest 200 of those lines, and counts the others', () => {
    const many = Array.from({ length: 150 }, (_, at) => iteration(at + 1));
    const { text, cut } = compact(start + many.join(''), 2);
    expect(text.slice(start.length)).toMatch(
      /^## 96 earlier entries: see the history of this file\n## Entry 49: learned 49\n/,
    );
    expect(cut).toContain('## Entry 1: learned 1\n## Entry 2: learned 2\n');
    expect(cut).toContain('## Entry 148\n- learned 148\n- more');
    expect(compact(text, 2)).toEqual({ text, cut: '' });
    const next = compact(text + iteration(151), 2);
    expect(next.text.slice(start.length)).toMatch(/^## 98 earlier entries: .*\n## Entry 50: /);
    expect(next.cut).toBe('## Entry 49: learned 49\n## Entry 149\n- learned 149\n- more');
  });
});

describe('mergeAgentEntries', () => {
  const before = appendEntry(start, anEntry());

  it('keeps what was appended and what was done to the patterns', () => {
    const after = `${before.replace('## Codebase Patterns\n', '## Codebase Patterns\n\n- use tabs\n')}\n## Mine\n- found it\n`;
    expect(mergeAgentEntries({ before, after })).toEqual({
      text: after,
      kept: '## Mine\n- found it',
      rewritten: false,
    });
  });

  it('says nothing of an untouched log, also when only its last newline went', () => {
    const nothing = { text: before, kept: '', rewritten: false };
    expect(mergeAgentEntries({ before, after: before })).toEqual(nothing);
    expect(mergeAgentEntries({ before, after: before.trimEnd() })).toEqual(nothing);
    expect(mergeAgentEntries({ before, after: before.replaceAll('\n', '\r\n') })).toEqual(nothing);
  });

  it('puts rewritten entries back and keeps the new lines below them', () => {
    const after = `${before.replace('the story is finished', 'I did it all')}mine\n`;
    const merged = mergeAgentEntries({ before, after });
    expect(merged.rewritten).toBe(true);
    expect(merged.text.startsWith(before)).toBe(true);
    expect(merged.kept).toContain('I did it all');
    expect(merged.kept).toContain('mine');
  });

  it('restores a log that was emptied or replaced', () => {
    expect(mergeAgentEntries({ before, after: '' })).toMatchObject({ text: before, rewritten: true });
    expect(mergeAgentEntries({ before, after: 'all new\n' })).toMatchObject({
      text: `${before}all new\n`,
      rewritten: true,
    });
  });

  it('quotes lines made to look like the loop wrote them', () => {
    const forged = formatEntry(anEntry({ iteration: 3 }));
    expect(mergeAgentEntries({ before, after: `${before}${forged}\n` }).text).toBe(`${before}> ${forged}\n`);
  });

  it('takes a first log as it is, and one without patterns as entries only', () => {
    expect(mergeAgentEntries({ before: '', after: 'a\n---\nb\n' }).text).toBe('a\n---\nb\n');
    expect(mergeAgentEntries({ before: 'old\n', after: 'old\n---\nnew\n' })).toMatchObject({
      text: 'old\n---\nnew\n',
      rewritten: false,
    });
  });

  it('never loses a line of before, nor one the agent wrote', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', '---', '## h', '- x', ''), { maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const log = `${start}${old.map((line) => `${line}\n`).join('')}`;
        const { text, rewritten } = mergeAgentEntries({
          before: log,
          after: `${start}${now.map((line) => `${line}\n`).join('')}`,
        });
        expect(text.startsWith(log.trimEnd())).toBe(true);
        for (const line of now) expect(text.split('\n')).toContain(line);
        if (rewritten) expect(old.some((line) => line !== '')).toBe(true);
      }),
    );
  });
});

const heading = '2026-01-02 US-001 (implement)';

it('leaves a log alone that nothing is said about', () => {
  expect(addNotes('as it is', { heading, notes: [], patterns: [] })).toBe('as it is');
});

it('appends an entry below the last one', () => {
  const log = '# P\n\n---\n\n## old\nentry\n';
  expect(addNotes(log, { heading, notes: ['first\nsecond'], patterns: [] })).toBe(
    `# P\n\n---\n\n## old\nentry\n\n## ${heading}\n\nfirst\nsecond\n`,
  );
});

it('puts patterns above the separator, each once', () => {
  const once = addNotes(initialProgress('p'), { heading, notes: [], patterns: ['use ports'] });
  const twice = addNotes(once, { heading, notes: [], patterns: ['use ports', 'no classes'] });
  expect(twice.match(/^- .*$/gm)).toEqual(['- use ports', '- no classes']);
  expect(twice.indexOf('- no classes')).toBeLessThan(twice.indexOf('\n---\n'));
});

it('quotes lines that look like the own entries of the loop', () => {
  const line = '[2026-01-01T00:00:00.000Z] #1 SUCCESS | accepted';
  expect(addNotes('', { heading, notes: [line], patterns: [] })).toContain(`> ${line}`);
});

it('keeps the line ends of the log', () => {
  const log = addNotes('# P\r\n\r\n---\r\n', { heading, notes: ['a'], patterns: ['b'] });
  expect(log.replaceAll('\r\n', '')).not.toContain('\n');
});
