import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { LedgerLine, RunLimits, SteeringEntry } from '../../contracts/index.ts';
import { aLine, aReset } from '../safeguards/ledger.fixture.ts';
import {
  effectiveLimits,
  LONGEST_NOTE,
  limitsOf,
  limitText,
  noteProblem,
  type Steering,
  steeringOf,
} from './steering.ts';

type Body = SteeringEntry extends infer Entry
  ? Entry extends unknown
    ? Omit<Entry, 'version' | 'id' | 'at'>
    : never
  : never;

/** Entries with ids `1`, `2`, … in this order. */
function said(...bodies: readonly Body[]): readonly SteeringEntry[] {
  return bodies.map((body, i) => ({ version: 1, id: String(i + 1), at: i, ...body }) as SteeringEntry);
}

const anAnswer = (question: string): LedgerLine => ({
  version: 1,
  kind: 'answer',
  question,
  story: 'A',
  text: 'yes',
  at: 0,
});

const NOTHING: Steering = {
  paused: false,
  stop: null,
  limits: {},
  notes: [],
  answers: [],
  decisions: [],
  additions: [],
  edits: [],
  waivers: [],
  circuitReset: null,
};

describe('steeringOf', () => {
  it('holds nothing while nobody has said anything', () => {
    expect(steeringOf([], [], 'r1')).toEqual(NOTHING);
  });

  it('pauses and resumes, the last word wins', () => {
    const pause = { kind: 'pause', run: 'r1' } as const;
    const resume = { kind: 'resume', run: 'r1' } as const;
    expect(steeringOf(said(pause), [], 'r1').paused).toBe(true);
    expect(steeringOf(said(pause, resume), [], 'r1').paused).toBe(false);
    expect(steeringOf(said(pause, resume, pause), [], 'r1').paused).toBe(true);
  });

  it('stops after the iteration or now, as was said last', () => {
    const stop = (now: boolean) => ({ kind: 'stop', run: 'r1', now }) as const;
    expect(steeringOf(said(stop(false)), [], 'r1').stop).toBe('after-iteration');
    expect(steeringOf(said(stop(false), stop(true)), [], 'r1').stop).toBe('now');
    expect(steeringOf(said(stop(true), stop(false)), [], 'r1').stop).toBe('after-iteration');
  });

  it('takes a stop back when it is resumed before it has happened', () => {
    const stop = { kind: 'stop', run: 'r1', now: false } as const;
    const resume = { kind: 'resume', run: 'r1' } as const;
    expect(steeringOf(said(stop, resume), [], 'r1').stop).toBeNull();
    expect(steeringOf(said(stop, resume, stop), [], 'r1').stop).toBe('after-iteration');
  });

  it('adds up limits, each as it was said last', () => {
    const limits = (changed: Partial<RunLimits>) => ({ kind: 'limits', run: 'r1', limits: changed }) as const;
    const entries = said(limits({ maxCost: 5, calls: 7 }), limits({ maxCost: 9 }), limits({ maxTokens: 1000 }));
    expect(steeringOf(entries, [], 'r1').limits).toEqual({ maxCost: 9, calls: 7, maxTokens: 1000 });
  });

  it('leaves alone what was said to another run', () => {
    const entries = said(
      { kind: 'pause', run: 'r0' },
      { kind: 'stop', run: 'r0', now: true },
      { kind: 'limits', run: 'r0', limits: { maxCost: 1 } },
    );
    expect(steeringOf(entries, [], 'r1')).toEqual(NOTHING);
  });

  it('keeps a note until an iteration that counts has carried it', () => {
    const entries = said({ kind: 'note', text: 'tabs' }, { kind: 'note', text: 'tests' });
    const ids = (ledger: readonly LedgerLine[]) => steeringOf(entries, ledger, 'r1').notes.map(({ id }) => id);
    expect(ids([])).toEqual(['1', '2']);
    expect(ids([aLine({ verdict: 'interrupted', steers: ['1', '2'] })])).toEqual(['1', '2']);
    expect(ids([aLine({ verdict: 'limited', steers: ['1'] }), aReset()])).toEqual(['1', '2']);
    expect(ids([aLine({ verdict: 'rejected', steers: ['1'] })])).toEqual(['2']);
    expect(ids([aLine({ run: 'r0', steers: ['1'] }), aLine({ steers: ['2'] })])).toEqual([]);
  });

  it('keeps the first answer to a question until the ledger has one', () => {
    const entries = said(
      { kind: 'answer', question: 'Q1', text: 'no' },
      { kind: 'answer', question: 'Q2', text: 'both' },
      { kind: 'answer', question: 'Q1', text: 'yes' },
    );
    expect(steeringOf(entries, [], 'r1').answers).toEqual([
      { question: 'Q1', text: 'no' },
      { question: 'Q2', text: 'both' },
    ]);
    expect(steeringOf(entries, [anAnswer('Q1')], 'r1').answers).toEqual([{ question: 'Q2', text: 'both' }]);
  });
});

describe('a wish to close the breaker', () => {
  const wish = (at: number): SteeringEntry => ({ version: 1, id: String(at), at, kind: 'circuit-reset' });
  const closed = (at: number): LedgerLine => ({ version: 1, kind: 'circuit-reset', at });
  const resetOf = (entries: readonly SteeringEntry[], ledger: readonly LedgerLine[]) =>
    steeringOf(entries, ledger, 'r1').circuitReset;

  it('holds for whichever run comes next, until the ledger has it', () => {
    expect(resetOf([wish(5)], [])).toBe(5);
    expect(resetOf([wish(5)], [closed(4)])).toBe(5);
    expect(resetOf([wish(5)], [closed(5)])).toBeNull();
    expect(resetOf([wish(5), wish(7)], [closed(6)])).toBe(7);
  });
});

it('effectiveLimits are those of the configuration, with what was changed', () => {
  const configured = limitsOf({
    maxIterations: 15,
    calls: 100,
    maxCost: null,
    maxTokens: null,
    maxDurationMs: null,
    storyMaxCost: null,
    storyMaxAttempts: 3,
  });
  expect(effectiveLimits(configured, { limits: { maxCost: 5 } })).toEqual({ ...configured, maxCost: 5 });
});

/* The model: every question is answered by looking through the whole history again, with nothing carried along. */

const RUNS = ['r1', 'r2'] as const;
const QUESTIONS = ['Q1', 'Q2', 'Q3'] as const;
const limit = fc.record({ maxIterations: fc.nat(9), maxCost: fc.option(fc.nat(9)) }, { requiredKeys: [] });
const body: fc.Arbitrary<Body> = fc.oneof(
  fc.record({ kind: fc.constant('note' as const), text: fc.string() }),
  fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const), run: fc.constantFrom(...RUNS) }),
  fc.record({ kind: fc.constant('stop' as const), run: fc.constantFrom(...RUNS), now: fc.boolean() }),
  fc.record({
    kind: fc.constant('limits' as const),
    run: fc.constantFrom(...RUNS),
    limits: limit,
  }) as fc.Arbitrary<Body>,
  fc.record({ kind: fc.constant('answer' as const), question: fc.constantFrom(...QUESTIONS), text: fc.string() }),
  fc.constant({ kind: 'circuit-reset' as const }),
  fc.record({
    kind: fc.constant('story' as const),
    story: fc.constantFrom('A', 'B'),
    decision: fc.constantFrom('approve' as const, 'reopen' as const),
  }),
);
const ledgerLine: fc.Arbitrary<LedgerLine> = fc.oneof(
  fc
    .record({
      run: fc.constantFrom(...RUNS),
      verdict: fc.constantFrom('accepted' as const, 'rejected' as const, 'interrupted' as const, 'limited' as const),
      steers: fc.subarray(['1', '2', '3', '4', '5', '6']),
    })
    .map(aLine),
  fc.constantFrom(...QUESTIONS).map(anAnswer),
  fc.record({ story: fc.constantFrom('A', 'B'), at: fc.nat(12) }).map((fields) => ({ ...aReset(), ...fields })),
  fc.nat(12).map((at): LedgerLine => ({ version: 1, kind: 'circuit-reset', at })),
);

function model(entries: readonly SteeringEntry[], ledger: readonly LedgerLine[], run: string): Steering {
  const own = entries.filter((entry) => (entry as { run?: string }).run === run);
  const last = (...kinds: readonly string[]) => own.filter(({ kind }) => kinds.includes(kind)).at(-1);
  const stop = last('stop', 'resume');
  const limits: Record<string, unknown> = {};
  for (const name of ['maxIterations', 'maxCost']) {
    const naming = own.filter((entry) => entry.kind === 'limits' && name in entry.limits).at(-1);
    if (naming?.kind === 'limits') limits[name] = (naming.limits as Record<string, unknown>)[name];
  }
  const isCarried = (id: string) =>
    ledger.some(
      (line) =>
        line.kind === 'iteration' &&
        ['accepted', 'rejected'].includes(line.verdict) &&
        (line.steers ?? []).includes(id),
    );
  const isAnswered = (id: string) => ledger.some((line) => line.kind === 'answer' && line.question === id);
  const isClosedSince = (at: number) => ledger.some((line) => line.kind === 'circuit-reset' && line.at >= at);
  const decided = entries.flatMap((entry) => (entry.kind === 'story' ? [entry.story] : []));
  const asked = entries.flatMap((entry) => (entry.kind === 'answer' ? [entry.question] : []));
  return {
    paused: last('pause', 'resume')?.kind === 'pause',
    stop: stop?.kind === 'stop' ? (stop.now ? 'now' : 'after-iteration') : null,
    limits,
    notes: entries.flatMap((entry) =>
      entry.kind === 'note' && !isCarried(entry.id) ? [{ id: entry.id, text: entry.text, at: entry.at }] : [],
    ),
    answers: asked
      .filter((question, i) => asked.indexOf(question) === i && !isAnswered(question))
      .map((question) => {
        const given = entries.filter((entry) => entry.kind === 'answer' && entry.question === question).at(0);
        return { question, text: given?.kind === 'answer' ? given.text : '' };
      }),
    decisions: decided
      .filter((story, i) => decided.indexOf(story, i + 1) === -1)
      .flatMap((story) => {
        const entry = entries.findLast((one) => one.kind === 'story' && one.story === story);
        const settled = ledger.some(
          (line) => line.kind === 'reset' && line.story === story && line.at >= (entry?.at ?? 0),
        );
        if (entry?.kind !== 'story' || settled) return [];
        return [{ story, decision: entry.decision, at: entry.at }];
      }),
    additions: [],
    edits: [],
    waivers: [],
    circuitReset: entries.findLast(({ kind, at }) => kind === 'circuit-reset' && !isClosedSince(at))?.at ?? null,
  };
}

describe('decisions about stories', () => {
  const approve = (story: string) => ({ kind: 'story', story, decision: 'approve' }) as const;
  const reopen = (story: string) => ({ kind: 'story', story, decision: 'reopen' }) as const;

  it('are for whichever run comes next, the last word about each story', () => {
    const entries = said(approve('A'), approve('B'), reopen('A'));
    expect(steeringOf(entries, [], 'r9').decisions).toEqual([
      { story: 'B', decision: 'approve', at: 1 },
      { story: 'A', decision: 'reopen', at: 2 },
    ]);
  });

  it('are settled by a later one in the ledger, of the same story', () => {
    const entries = said(approve('A'), approve('B'));
    expect(steeringOf(entries, [{ ...aReset('A'), at: 0 }], 'r1').decisions).toMatchObject([{ story: 'B' }]);
    expect(steeringOf(entries, [{ ...aReset('B'), at: 0 }], 'r1').decisions).toHaveLength(2);
    expect(steeringOf(entries, [{ ...aReset('B'), at: 9 }], 'r1').decisions).toMatchObject([{ story: 'A' }]);
  });
});

describe('stories that people add', () => {
  const add = (id: string) => ({ kind: 'add', folder: 'ralph', story: { id, title: id } }) as const;

  it('wait until the ledger names the word, whatever id they got', () => {
    const entries = said(add('US-004'), add('US-004'), add('US-005'));
    const heard = { version: 1, kind: 'addition', word: entries[0]?.id ?? '', story: 'US-009', at: 9 } as const;
    expect(steeringOf(entries, [], 'r9').additions.map(({ story }) => story.id)).toEqual([
      'US-004',
      'US-004',
      'US-005',
    ]);
    expect(steeringOf(entries, [heard], 'r9').additions).toMatchObject([
      { id: entries[1]?.id, folder: 'ralph', story: { id: 'US-004' } },
      { id: entries[2]?.id, story: { id: 'US-005' } },
    ]);
  });
});

describe('a story that a person blocks', () => {
  const block = (story: string, reason: string) => ({ kind: 'block', story, reason }) as const;
  const reopen = (story: string) => ({ kind: 'story', story, decision: 'reopen' }) as const;

  it('is a decision like the others: the last word holds, and the ledger settles it', () => {
    expect(steeringOf(said(block('A', 'x'), block('A', 'waits')), [], 'r1').decisions).toEqual([
      { story: 'A', decision: 'block', reason: 'waits', at: 1 },
    ]);
    expect(steeringOf(said(block('A', 'x'), reopen('A')), [], 'r1').decisions).toMatchObject([{ decision: 'reopen' }]);
    expect(steeringOf(said(block('A', 'x')), [{ ...aReset('A'), at: 5 }], 'r1').decisions).toEqual([]);
  });
});

describe('steeringOf against a model that looks through everything again', () => {
  const history = fc.tuple(fc.array(body, { maxLength: 12 }), fc.array(ledgerLine, { maxLength: 12 }));

  it('agrees on every history', () => {
    fc.assert(
      fc.property(history, fc.constantFrom(...RUNS), ([bodies, ledger], run) => {
        const entries = said(...bodies);
        expect(steeringOf(entries, ledger, run)).toEqual(model(entries, ledger, run));
      }),
    );
  });

  it('never brings back what a longer ledger has settled', () => {
    fc.assert(
      fc.property(history, ledgerLine, ([bodies, ledger], line) => {
        const entries = said(...bodies);
        const before = steeringOf(entries, ledger, 'r1');
        const after = steeringOf(entries, [...ledger, line], 'r1');
        expect(before.notes).toEqual(expect.arrayContaining([...after.notes]));
        expect(before.answers).toEqual(expect.arrayContaining([...after.answers]));
      }),
    );
  });
});

it('a waiver holds until the ledger has it, the last reason counts, and a later one is a new word', () => {
  const waive = (at: number, reason = '') =>
    ({ version: 1, id: String(at), at, kind: 'waive', story: 'A', finding: 'F-00000001', reason }) as const;
  const line = { version: 1, kind: 'waiver', story: 'A', finding: 'F-00000001', at: 5 } as const;
  const pending = (entries: readonly ReturnType<typeof waive>[], ledger: readonly (typeof line)[]) =>
    steeringOf(entries, ledger, 'r1').waivers.map(({ at, reason }) => `${at} ${reason}`);
  expect(pending([waive(1), waive(2, 'taste')], [])).toEqual(['2 taste']);
  expect(pending([waive(1)], [line])).toEqual([]);
  expect(pending([waive(1), waive(9, 'now')], [line])).toEqual(['9 now']);
});

test.each([
  ['one line', 'use tabs, not spaces'],
  ['several lines and a tab', 'first\n\n\tsecond'],
  ['other scripts and emoji', 'größer als 10 €? 日本語 👍🏽'],
  ['just as long as it may be', 'é'.repeat(LONGEST_NOTE / 2)],
])('%s may be passed on', (_, text) => {
  expect(noteProblem(text)).toBeNull();
});

test.each([
  ['nothing', '', 'is empty'],
  ['only white space', ' \n\t', 'is empty'],
  [
    'a byte too many',
    `é${'x'.repeat(LONGEST_NOTE - 1)}`,
    `has ${LONGEST_NOTE + 1} bytes; the maximum is ${LONGEST_NOTE}`,
  ],
  ['an escape sequence', 'red: \u001b[31m', 'contains the control character U+001B at position 6'],
  ['a null', 'a\u0000b', 'contains the control character U+0000 at position 2'],
  ['a carriage return', 'good\rbad', 'contains the control character U+000D at position 5'],
  ['a control of the upper range', 'a\u009b31m', 'contains the control character U+009B at position 2'],
  ['text that is shown in another order', 'ab\u202edc', 'contains the control character U+202E at position 3'],
])('%s is refused', (_, text, problem) => {
  expect(noteProblem(text)).toBe(problem);
});

test('whatever is printable may be passed on, and no control but tab and line break', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), fc.nat(0x9f), (text, code) => {
      const isControl = (code < 0x20 && code !== 0x09 && code !== 0x0a) || code > 0x7e;
      expect(noteProblem(`x${text}${String.fromCharCode(code)}y`) !== null).toBe(isControl);
    }),
  );
});

it.each([
  ['maxCost', 0.3, '--max-cost $0.30'],
  ['maxDurationMs', 7_200_000, '--max-duration 2h 00m'],
  ['calls', 200, '--calls 200 per hour'],
  ['maxTokens', null, '--max-tokens none'],
] as const)('%s %j reads as it is typed, with its amount', (limit, value, text) => {
  expect(limitText(limit, value)).toBe(text);
});
