import { describe, expect, it } from 'vitest';
import type { StreamStanding, WorkerStanding } from '../../contracts/index.ts';
import { plain } from '../../surfaces/terminal/index.ts';
import { conflictWith, isBusy, renderFleet } from './status.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

function stream(change: Partial<StreamStanding>): StreamStanding {
  return {
    stream: 'PRD-1',
    state: 'ready',
    turns: 2,
    attempts: 0,
    worker: null,
    until: null,
    text: '',
    costUsd: 0,
    ended: null,
    ...change,
  };
}

const WORKER: WorkerStanding = {
  worker: 'one',
  host: 'a',
  capacity: 2,
  streams: ['PRD-1'],
  state: 'working',
  since: NOW,
};

const NO_LIMITS = {
  concurrency: null,
  calls: null,
  maxCost: null,
  maxTokens: null,
  spentUsd: 0,
  spentTokens: 0,
  started: 0,
};

function lines(streams: readonly StreamStanding[], workers: readonly WorkerStanding[], width = 200): readonly string[] {
  return renderFleet({ streams, workers, figures: NO_LIMITS }, NOW, width, plain);
}

describe('ralph fleet status', () => {
  it('says what to do where nothing is', () => {
    expect(lines([], [])).toEqual([expect.stringContaining('ralph fleet submit')]);
    expect(lines([stream({})], []).join('\n')).toContain('no workers: `ralph worker`');
  });

  it('shows who works on what', () => {
    const text = lines([stream({ state: 'working', worker: 'one', attempts: 2, costUsd: 1.5 })], [WORKER]).join('\n');
    expect(text).toMatch(/PRD-1 +working +2 +\$1\.50 +one +attempt 2/);
    expect(text).toMatch(/one +working +a +1\/2 .*PRD-1/);
  });

  it('names the command for streams that wait for a person, and for those that are done', () => {
    const text = lines(
      [
        stream({ stream: 'PRD-1', state: 'failed', text: 'the disk is full' }),
        stream({ stream: 'PRD-2', state: 'later', text: 'paused' }),
        stream({ stream: 'PRD-3', state: 'later', until: NOW + 60_000 }),
        stream({ stream: 'PRD-4', state: 'done', ended: { reason: 'complete', exitCode: 0 } }),
        stream({ stream: 'PRD-5', state: 'ended', ended: { reason: 'circuit', exitCode: 3 } }),
      ],
      [],
    ).join('\n');
    expect(text).toContain('2 streams wait for you: ralph fleet retry PRD-1 PRD-2');
    expect(text).toMatch(/PRD-4 +done /);
    expect(text).toMatch(/PRD-5 +ended: circuit/);
    expect(text).toContain('ralph fleet retry --reset-circuit PRD-5');
    expect(text).toContain('1 stream done: git fetch, then ralph stream merge');
  });

  it('shows limits and what is used of them, and workers that are idle or paused', () => {
    const figures = { ...NO_LIMITS, concurrency: 3, maxCost: 5, spentUsd: 1.25 };
    const paused = { until: NOW + 60_000, text: 'the agent cannot be used' };
    const workers = [
      { ...WORKER, streams: [] },
      { ...WORKER, worker: 'two', streams: [], paused },
    ];
    const text = renderFleet({ streams: [stream({})], workers, figures }, NOW, 200, plain).join('\n');
    expect(text).toContain('limits: 3 turns at a time, $1.25 of $5.00 spent');
    expect(text).toMatch(/one +idle/);
    expect(text).toMatch(/two +paused .*the agent cannot be used/);
  });

  it('keeps what a database says on its line', () => {
    const text = lines([stream({ text: 'a\n\u001b[2Jb' })], []).join('\n');
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('a\n');
  });
});

const KNOWN = [
  { stream: 'PRD-1', state: 'later', branch: 'ralph/prd-1' },
  { stream: 'PRD-2', state: 'done', branch: 'ralph/prd-2' },
] as const;

it.each([
  ['PRD-1', 'ralph/prd-1', null],
  ['PRD-1', 'ralph/other', /works on it on ralph\/prd-1/],
  ['PRD-3', 'ralph/prd-1', /for PRD-1/],
  ['PRD-2', 'ralph/other', null],
  ['PRD-3', 'ralph/prd-2', null],
])('%s on %s: %s', (stream, branch, why) => {
  const found = conflictWith({ stream, branch }, KNOWN);
  if (why === null) expect(found).toBeNull();
  else expect(found).toMatch(why);
});

describe('isBusy', () => {
  it.each([
    ['ready', null, true],
    ['working', null, true],
    ['later', 1, true],
    ['later', null, false],
    ['done', null, false],
    ['cancelled', null, false],
    ['failed', null, false],
  ] as const)('of a stream that is %s until %s: %s', (state, until, busy) => {
    expect(isBusy({ state, until })).toBe(busy);
  });
});
