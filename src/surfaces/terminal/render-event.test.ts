import { describe, expect, test } from 'vitest';
import type { EventBody, RalphEvent } from '../../contracts/index.ts';
import { checkResult, eventAt, smallRun, usage } from './events.fixture.ts';
import { advance, INITIAL_STATE } from './log-state.ts';
import { coloured } from './paint.fixture.ts';
import { type Paint, plain } from './paint.ts';
import { renderEvent } from './render-event.ts';

function render(
  events: readonly RalphEvent[],
  { paint = plain as Paint, verbose = false, columns = 100 } = {},
): string {
  const lines: string[] = [];
  let state = INITIAL_STATE;
  for (const event of events) {
    lines.push(...renderEvent(event, state, { paint, verbose, columns }));
    state = advance(state, event);
  }
  return lines.join('\n');
}

const one = (body: EventBody, options = {}) => render([eventAt(0, 1, body)], options);

test('a check before the first iteration is told once, when it has run', () => {
  const results = [checkResult('npm test', true), checkResult('npm run lint', false)];
  const events = [
    ...results.map((result) => eventAt(1, 0, { type: 'check', baselineRed: false, result })),
    eventAt(2, 0, { type: 'baseline', checks: results }),
  ];
  expect(render(events)).toBe(
    [
      '  baseline  ✓ npm test 2.1s',
      '  baseline  ✗ npm run lint exit 1 2.1s · failed before the run: blocks no story until it has passed once',
    ].join('\n'),
  );
});

test('why a set-up failed is told once, not for each check that it stopped', () => {
  const setUp = { ok: false, exitCode: 127, notSetUp: 'uv sync', tail: 'uv: not found' };
  const results = ['ruff', 'pytest'].map((command) => ({ ...checkResult(command, false), ...setUp }));
  const said = render(results.map((result) => eventAt(1, 1, { type: 'check', baselineRed: true, result })));
  expect(said.match(/not run: `uv sync` failed/g)).toHaveLength(2);
  expect(said.match(/uv: not found/g)).toHaveLength(1);
});

test('a run reads as one block per iteration', () => {
  expect(render(smallRun)).toMatchInlineSnapshot(`
    "ralph 0.1.0 · run 20260101-100000-abcd · agent claude (opus) · isolation none · branch ralph/login
    ralph/tasks.json: 4 stories, 1 done, 1 blocked · at most 15 iterations
    estimate: about 5 iterations, about $3.20 for 2 stories; the limit is 15

    10:00:02 [1/15] implement · US-001 Add login
      says      I look around. Then I write.
      agent     45s · 2 tool calls · 33.1k tokens · $0.12
      check     ✗ npm test exit 1 2.1s
        │ not ok 1
        │   expected 3, got 4
      rule      transition/self-approval: US-001: only the loop sets passes
      verdict   rejected · npm test was green and is red
      rollback  3 files kept: ralph rescue show 20260101-100000-abcd/1-1

    10:00:52 [2/15] implement · US-001 Add login (attempt 2)
      agent     1.2s · no tools · 33.1k tokens · $0.08
      check     ✓ npm run lint 2.1s · failed before, passes now
      verdict   accepted · ready, checks green
      commit    3f2a9c1 feat(US-001): Add login (4 files)"
  `);
});

test.each([
  [1, 0, 15, '10:00:00 [1/15] implement · US-001 Add login'],
  [2, 1, 15, '10:00:00 [2/15] implement · US-001 Add login'],
  [3, 0, 1, '10:00:00 [3] implement · US-001 Add login · 0 of 1 used'],
  [16, 14, 30, '10:00:00 [16] implement · US-001 Add login · 14 of 30 used'],
])('iteration %i with %i of %i used: the number never runs ahead of the limit', (iteration, used, limit, text) => {
  const select = { type: 'select', mode: 'implement', story: 'US-001', title: 'Add login' } as const;
  expect(render([eventAt(0, iteration, { ...select, attempt: 1, reviewCount: 0, used, limit })])).toBe(`\n${text}`);
});

test('a verbose run also shows what the agent said and each tool', () => {
  expect(render([...smallRun.slice(0, 1), ...smallRun.slice(3, 12)], { verbose: true })).toMatchInlineSnapshot(`
    "ralph 0.1.0 · run 20260101-100000-abcd · agent claude (opus) · isolation none · branch ralph/login
    ralph/tasks.json: 4 stories, 1 done, 1 blocked · at most 15 iterations

    10:00:02 [1/15] implement · US-001 Add login
      start     checkpoint of abcdef1 in 31ms
      agent     claude (opus) started, pid 12
      says      I look around.
                Then I write.
      tool      Read src/app.ts
      tool      Bash npm test
                ✗ exit 1
      agent     45s · 2 tool calls: Read 1, Bash 1 · 33.1k tokens · $0.12
      added     about 2010 tokens by ralph: prompt 870, tools 1100, hooks 40; plus 90 for the story"
  `);
});

test('colours mark what is good and what is bad', () => {
  const verdicts = smallRun.filter((event) => event.type === 'verdict' || event.type === 'check');
  expect(JSON.stringify(render(verdicts, { paint: coloured })).replaceAll('\\u001b', '␛')).toMatchInlineSnapshot(
    `""  ␛[2mcheck     ␛[22m␛[31m✗␛[39m npm test ␛[31mexit 1␛[39m ␛[2m2.1s␛[22m\\n␛[2m    │ not ok 1␛[22m\\n␛[2m    │   expected 3, got 4␛[22m\\n  ␛[2mverdict   ␛[22m␛[31mrejected␛[39m · npm test was green and is red\\n  ␛[2mcheck     ␛[22m␛[32m✓␛[39m npm run lint ␛[2m2.1s␛[22m␛[32m · failed before, passes now␛[39m\\n  ␛[2mverdict   ␛[22m␛[32maccepted␛[39m · ready, checks green""`,
  );
});

describe('single events', () => {
  test('a resumed run on a detached HEAD says both', () => {
    const start = smallRun[0];
    if (start?.type !== 'run-start') throw new Error('the first event is the start');
    expect(render([{ ...start, resumed: true, branch: null, model: null }])).toContain(
      'resumes run 20260101-100000-abcd · agent claude · isolation none · no branch (detached HEAD)',
    );
  });

  test('backends that isolate better and were not taken are one line, for who asks', () => {
    const start = smallRun[0];
    if (start?.type !== 'run-start') throw new Error('the first event is the start');
    const isolationInstead = ['sbx: it is not installed', 'bwrap: it is not installed'];
    const below = (verbose: boolean) =>
      render([{ ...start, isolationInstead }], { verbose })
        .split('\n')
        .slice(2);
    expect(below(true)).toEqual(['  isolation not sbx: it is not installed; not bwrap: it is not installed']);
    expect(below(false)).toEqual([]);
  });

  test('a refused connection names the host, the reason, and how often it was tried', () => {
    const refused = { type: 'egress-refused', host: 'example.net', port: 443, reason: 'not on the list' } as const;
    expect(one({ ...refused, times: 1 })).toBe('  no access example.net:443\n            not on the list');
    expect(one({ ...refused, times: 12 })).toContain('example.net:443 (12 times)');
    const twice = [1, 4].map((times) => ({
      ts: '2026-01-01T10:00:00.000Z',
      run: 'r',
      iteration: 1,
      ...refused,
      times,
    }));
    expect(render(twice).match(/not on the list/g)).toHaveLength(1);
  });

  test('an estimate that does not suffice names the command that would', () => {
    expect(
      one({ type: 'estimate', storiesLeft: 9, iterationsNeeded: 20, limit: 15, costUsd: null, enough: false }),
    ).toBe('estimate: about 20 iterations for 9 stories; 15 will not be enough, try `ralph run 20`');
  });

  test('a recovery says what happened to the work', () => {
    expect(
      one({ type: 'recovered', phase: 'checkpointed', action: 'rolled-back', rescue: 'r/1-1', story: 'US-001' }),
    ).toBe(
      '  recovered an iteration on US-001 was cut off (checkpointed): it was rolled back; its work is kept: ralph rescue show r/1-1',
    );
  });

  test.each([
    [
      'an error',
      { error: { kind: 'network', message: 'refused' }, ok: false, stopped: null, exitCode: 1, signal: null },
      'network: refused',
    ],
    [
      'a stop by the loop',
      { error: null, ok: false, stopped: 'idle-timeout', exitCode: null, signal: 'SIGTERM' },
      'stopped by the loop: it was silent for too long',
    ],
    ['a signal', { error: null, ok: false, stopped: null, exitCode: null, signal: 'SIGKILL' }, 'ended by SIGKILL'],
    ['an exit code', { error: null, ok: false, stopped: null, exitCode: 3, signal: null }, 'ended with exit code 3'],
  ] as const)('an agent that ended with %s says so', (_name, end, text) => {
    expect(
      one({ type: 'agent-end', durationMs: 10, costUsd: null, usage, turns: null, ...end }, { verbose: true }).split(
        '\n',
      )[1],
    ).toContain(text);
  });

  test('a transient error names the wait', () => {
    expect(
      one({ type: 'transient', try: 1, retries: 3, reason: 'connection refused', delayMs: 5000, rescue: null }),
    ).toBe('  retry     retrying: connection refused (1 of 3, in 5.0s)');
  });

  test('a limit is shown even when not verbose, a warning as such', () => {
    const limit = (status: 'warning' | 'rejected') =>
      one({ type: 'agent', event: { type: 'limit', limit: { status, kind: 'five_hour', resetsAt: null } } });
    expect(limit('rejected')).toBe('  limit     5-hour usage limit reached');
    expect(limit('warning')).toBe('  limit     5-hour usage limit nearly reached');
  });

  test('a check that timed out and one that was killed are told apart from failures', () => {
    const check = (parts: object) =>
      one({
        type: 'check',
        baselineRed: false,
        result: { command: 'c', ok: false, exitCode: null, timedOut: false, durationMs: 5, tail: '', ...parts },
      });
    expect(check({ timedOut: true })).toContain('✗ c timed out 5ms');
    expect(check({})).toContain('✗ c killed 5ms');
  });

  test('only the end of a long check output is quoted, each line cut to the width', () => {
    const tail = Array.from({ length: 50 }, (_, i) => `line ${i} ${'x'.repeat(100)}`).join('\n');
    const lines = one(
      {
        type: 'check',
        baselineRed: false,
        result: { command: 'c', ok: false, exitCode: 1, timedOut: false, durationMs: 5, tail },
      },
      { columns: 30 },
    ).split('\n');
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe('    │ line 49 xxxxxxxxxxxxxxx…');
  });

  test('the same notice is told once, and counted at the end; an error is told each time', () => {
    const again = { type: 'notice', level: 'warning', text: 'main was moved', fix: 'kept under 1' } as const;
    const bad = { type: 'notice', level: 'error', text: 'no room' } as const;
    const bodies = [again, bad, { ...again, fix: 'kept under 2' }, again, bad];
    const text = render([...bodies.map((body, i) => eventAt(i, 1, body)), smallRun.at(-1)!]);
    expect(text.match(/warning {3}main was moved/g)).toHaveLength(1);
    expect(text).toContain('repeated 3 times: main was moved');
    expect(text.match(/no room/g)).toHaveLength(2);
  });

  test('a notice keeps its lines and its fix', () => {
    expect(one({ type: 'notice', level: 'warning', text: 'first\nsecond', fix: 'do this' })).toMatchInlineSnapshot(`
      "  warning   first
                  second
                  fix: do this"
    `);
  });
});

describe('what an iteration says of the end of the work', () => {
  test('a question comes with the command that answers it', () => {
    expect(one({ type: 'question', question: 'Q2', story: 'US-003', text: 'Net or gross?' })).toMatchInlineSnapshot(`
      "  question  Q2 on US-003: Net or gross?
                  waits for your answer; other stories continue: ralph answer Q2 "…""
    `);
  });

  test('the story that is blocked with it does not say it again', () => {
    const story = { type: 'story', story: 'US-003', from: 'null', to: 'blocked' } as const;
    expect(one({ ...story, reason: 'question Q2: Net or gross?' })).toBe('  story     US-003: to do → blocked');
    expect(one({ ...story, reason: '3 failed attempts; the last: red' })).toBe(
      '  blocked   US-003: 3 failed attempts; see `ralph stories show US-003`',
    );
  });

  test('a false completion says what is left', () => {
    expect(one({ type: 'false-completion', storiesLeft: 2, by: 'promise' })).toBe(
      '  claim     the agent says that everything is done (promise), but 2 stories are left',
    );
  });

  test.each([
    [{ done: true, completion: true, testOnly: false, confidence: 120 }, 'everything is done (confidence 120 %)'],
    [
      { done: false, completion: true, testOnly: true, confidence: 40 },
      'mentions completion, only tests (confidence 40 %)',
    ],
  ])('signals %o are told', (signals, text) => {
    expect(one({ type: 'signals', signals })).toBe(`  signals   ${text}`);
  });

  test('an answer without signals is worth no line', () => {
    const signals = { done: false, completion: false, testOnly: false, confidence: 20 };
    expect(one({ type: 'signals', signals })).toBe('');
  });
});

test('a cut through a test command leaves the colours whole', () => {
  const text = one(
    {
      type: 'test-result',
      command: 'npm test -- a very long way to call the tests of this project',
      outcome: 'pass',
      framework: null,
      passed: 3,
      failed: 0,
      confidence: 90,
    },
    { columns: 60, paint: coloured, verbose: true },
  );
  expect(text.replaceAll('\u001b', '␛')).toBe(
    '  ␛[2mtests     ␛[22m␛[2mthe agent reports pass, 3 passed␛[22m␛[2m · npm test -- …␛[22m',
  );
});

test('nothing that an agent wrote can move the cursor', () => {
  const nasty = '\u001b[2J\u001b]0;x\u0007evil\rover\u202e';
  const bodies: readonly EventBody[] = [
    { type: 'select', mode: 'implement', story: nasty, title: nasty, attempt: 1, reviewCount: 0 },
    { type: 'agent', event: { type: 'tool-call', id: nasty, name: nasty, summary: nasty } },
    { type: 'agent', event: { type: 'tool-result', id: nasty, ok: false, summary: nasty } },
    { type: 'agent', event: { type: 'text', text: nasty } },
    { type: 'agent', event: { type: 'notice', text: nasty } },
    { type: 'agent', event: { type: 'retry', attempt: 1, delayMs: null, reason: nasty } },
    {
      type: 'agent-end',
      exitCode: 1,
      signal: null,
      ok: false,
      error: { kind: 'api', message: nasty },
      stopped: null,
      durationMs: 1,
      costUsd: null,
      usage,
      turns: null,
    },
    {
      type: 'check',
      baselineRed: false,
      result: { command: nasty, ok: false, exitCode: 1, timedOut: false, durationMs: 1, tail: nasty },
    },
    {
      type: 'verdict',
      verdict: 'rejected',
      mode: 'implement',
      story: nasty,
      claim: nasty,
      reason: nasty,
      counts: 'bad',
      attempts: 1,
    },
    { type: 'commit', commit: 'abc', subject: nasty, files: 1, agentCommits: null },
    { type: 'violation', violation: { rule: 'transition/x', message: nasty } },
    { type: 'story', story: nasty, from: nasty, to: nasty, reason: nasty },
    { type: 'notice', level: 'error', text: nasty, fix: nasty },
    { type: 'question', question: 'Q1', story: nasty, text: nasty },
    { type: 'false-completion', storiesLeft: 1, by: nasty },
    { type: 'wait', why: 'limit', until: null, text: nasty },
    { type: 'circuit', from: 'closed', to: 'open', reason: nasty, evidence: [nasty], fix: [nasty] },
    { type: 'agent-switch', from: nasty, to: nasty, reason: nasty },
    { type: 'steering', request: 'note', text: nasty },
    { type: 'budget', overrun: { budget: 'cost', spent: 1, limit: 1 }, story: nasty },
  ];
  const text = render(
    bodies.map((body, i) => eventAt(i, 1, body)),
    { verbose: true },
  );
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(text).toContain('evil over');
});

test('a denial and a refused call are shown once for each process of an agent, and counted', () => {
  const denied = {
    type: 'denied',
    tool: 'Bash',
    rule: 'git/push',
    reason: 'Never push.',
    subject: 'git push',
  } as const;
  const refused = { type: 'tool-call', tool: 'complete_story', summary: '{}', refused: 'no status' } as const;
  const bodies: readonly EventBody[] = [denied, refused, denied, denied];
  const ends = smallRun.filter(({ type }) => type === 'agent-end').slice(0, 1);
  expect(render([...bodies.map((body, i) => eventAt(i, 1, body)), ...ends]).split('\n')).toEqual([
    '  denied    Bash git push',
    '            Never push. (git/push)',
    '  refused   complete_story: no status',
    '            3 times: Bash git push',
    '  agent     45s · no tools · 33.1k tokens · $0.12',
  ]);
});

test('the last message of an agent is shown as one line, without what machines read in it', () => {
  const says = (text: string) => eventAt(1, 1, { type: 'agent', event: { type: 'text', text } });
  const ends = smallRun.filter(({ type }) => type === 'agent-end').slice(0, 1);
  const block = '---RALPH_STATUS---\nSTATUS: COMPLETE\n---END_RALPH_STATUS---';
  const text = render([
    says('I look.'),
    says(`**Done:** a test is\nthere now.\n\nMore.\n${block}`),
    says(block),
    ...ends,
  ]);
  expect(text.split('\n')[0]).toBe('  says      Done: a test is there now.');
});

test('a test run that the agent reports several times is one line at the end of its process', () => {
  const run = (outcome: 'pass' | 'fail', passed: number): EventBody => ({
    ...{ type: 'test-result', command: 'npm test', outcome, framework: null, passed, failed: null, confidence: 90 },
  });
  const ends = smallRun.filter(({ type }) => type === 'agent-end').slice(0, 1);
  const events = [run('fail', 1), run('pass', 2)].map((body, i) => eventAt(i, 1, body));
  expect(render([...events, ...ends]).split('\n')[0]).toBe(
    '  tests     the agent reports pass, 2 passed (the last of 2 runs) · npm test',
  );
});

test.each([
  ['accepted', 'review', 'changes_requested', null, 'the review requested changes', 'changes requested'],
  ['accepted', 'review', 'approved', null, 'the review approved the story', 'approved'],
  [
    'accepted',
    'implement',
    'needs_review',
    null,
    'implemented; goes to review',
    'accepted · implemented; goes to review',
  ],
  [
    'accepted',
    'implement',
    'blocked',
    null,
    'the agent is blocked: question Q1: Net?',
    'blocked · Q1 waits for your answer',
  ],
  ['limited', 'implement', null, 'auth', 'invalid key', 'login refused · invalid key'],
  ['limited', 'implement', null, null, 'resets at 10', 'usage limit · resets at 10'],
] as const)('%s of %s that makes a story %s (%s) is told in words', (verdict, mode, claim, kind, reason, text) => {
  const end = smallRun.find(({ type }) => type === 'agent-end');
  if (end?.type !== 'agent-end') throw new Error('no agent ends');
  const events = [
    { ...end, error: kind && { kind, message: '' } },
    eventAt(2, 1, { type: 'verdict', verdict, mode, story: 'US-001', claim, reason, counts: 'good', attempts: 0 }),
  ];
  expect(render(events).split('\n').at(-1)).toBe(`  verdict   ${text}`);
});

test('a stop that is refused again for the same reasons is shown once, and counted', () => {
  const refused = (refusal: number, reason: string) =>
    eventAt(refusal, 1, { type: 'stop-refused', refusal, reasons: [reason, 'and more'] });
  const events = [
    refused(1, 'no'),
    refused(2, 'no'),
    refused(3, 'other'),
    ...smallRun.filter(({ type }) => type === 'agent-end'),
  ];
  expect(render(events).split('\n').slice(0, 5)).toEqual([
    '  refused   stopping: no',
    '            and 1 more',
    '  refused   stopping: other',
    '            and 1 more',
    '            2 times: stopping: no',
  ]);
});

test('one iteration in full says what ralph itself put into the context of its agent', () => {
  const ends = smallRun.filter(({ type }) => type === 'agent-end').slice(0, 1);
  expect(render(ends, { verbose: true })).toContain(
    '  added     about 2010 tokens by ralph: prompt 870, tools 1100, hooks 40; plus 90 for the story',
  );
});
