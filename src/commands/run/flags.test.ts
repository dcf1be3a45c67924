import { expect, it, test } from 'vitest';
import type { RawFlags } from '../shared/flags.ts';
import { lanesAsked, parseRunFlags } from './flags.ts';

const parse = (args: readonly string[], flags: RawFlags = {}) => parseRunFlags(args, flags, '/project');

test('without flags nothing is overridden', () => {
  expect(parse([])).toEqual({
    place: {},
    task: null,
    config: {},
    request: { only: null, until: null, once: false, turn: false, resetCircuit: false, limits: {} },
    dashboard: null,
    tui: false,
    dryRun: false,
    worktree: false,
    verbose: false,
    json: false,
  });
});

test('a dashboard is taken with and without a port, and a number of iterations is not taken for one', () => {
  expect(parse([], { dashboard: true }).dashboard).toEqual({ port: null });
  expect(parse([], { dashboard: '0' }).dashboard).toEqual({ port: 0 });
  expect(parse([], { dashboard: '8080' }).dashboard).toEqual({ port: 8080 });
  for (const dashboard of ['20', 'x', '70000'])
    expect(() => parse([], { dashboard })).toThrow(/--dashboard does not take/);
});

test('every flag reaches its setting, durations in milliseconds', () => {
  const flags = {
    agent: 'claude, scripted',
    model: 'opus',
    skipReview: true,
    reviewCap: '2',
    timeout: '1h30m',
    idleTimeout: '90',
    storyMaxAttempts: '4',
    calls: '50',
    maxCost: '$7.5',
    maxTokens: '900000',
    maxDuration: '8h',
    storyMaxCost: '0.75',
    onUsageLimit: 'stop',
    keepAwake: true,
    resetCircuit: true,
    rollback: 'never',
    dirty: 'keep',
    branch: false,
    verify: false,
    requireGreen: true,
    prd: '2',
    ralphDir: 'spec',
    projectDir: '..',
  };
  expect(parse(['20'], flags)).toMatchObject({
    place: { prd: '2', ralphDir: 'spec', projectDir: '..' },
    config: {
      agent: ['claude', 'scripted'],
      model: 'opus',
      maxIterations: 20,
      skipReview: true,
      reviewCap: 2,
      timeoutMs: 5_400_000,
      idleTimeoutMs: 90_000,
      calls: 50,
      maxCost: 7.5,
      maxTokens: 900_000,
      maxDurationMs: 28_800_000,
      storyMaxCost: 0.75,
      onUsageLimit: 'stop',
      keepAwake: true,
      storyMaxAttempts: 4,
      rollback: 'never',
      dirty: 'keep',
      branch: false,
      commit: { verify: false },
      requireGreen: true,
    },
    request: { resetCircuit: true, limits: { maxIterations: 20, calls: 50, maxCost: 7.5, maxDurationMs: 28_800_000 } },
  });
});

test.each(['0', '-1', 'five', '1,5'])('a budget of %s dollars is refused', (text) => {
  expect(() => parse([], { maxCost: text })).toThrow('an amount in US dollars');
});

test('the number of iterations may be given twice when it agrees', () => {
  expect(parse(['7'], { maxIterations: '7' }).config.maxIterations).toBe(7);
  expect(() => parse(['7'], { maxIterations: '8' })).toThrow(
    '7 iterations as the argument and 8 as --max-iterations cannot be used together',
  );
});

test('a scenario is found from the current directory and names its agent', () => {
  expect(parse([], { scenario: 'plays/a.yaml' }).config).toEqual({
    agent: ['scripted'],
    scripted: { scenario: '/project/plays/a.yaml' },
  });
  expect(parse([], { scenario: '/x.yaml', agent: 'scripted,claude' }).config.agent).toEqual(['scripted', 'claude']);
  expect(() => parse([], { scenario: 'a.yaml', agent: 'claude' })).toThrow(
    '--scenario is for the agent scripted, but --agent is claude',
  );
});

test('a run on one story cannot wait for another', () => {
  expect(() => parse([], { story: 'US-001', until: 'US-002' })).toThrow('cannot be used together');
  expect(parse([], { story: 'US-001', until: 'US-001' }).request).toEqual({
    only: 'US-001',
    until: 'US-001',
    once: false,
    turn: false,
    resetCircuit: false,
    limits: {},
  });
});

test('the old name of --dry-run still works', () => {
  expect(parse([], { commit: false }).dryRun).toBe(true);
  expect(parse([], { dryRun: true }).dryRun).toBe(true);
});

test('an empty name in a list of agents is refused', () => {
  expect(() => parse([], { agent: 'claude,' })).toThrow("--agent does not take 'claude,'");
});

test.each([
  ['nothing', undefined, undefined],
  ['--sandbox', true, { required: true }],
  ['--sandbox=bwrap', 'bwrap', { backend: 'bwrap', required: true }],
  ['--sandbox=auto', 'auto', { backend: 'auto', required: true }],
  ['--no-sandbox', false, { backend: 'none', required: false }],
])('%s', (_, sandbox, settings) => {
  expect(parse([], { sandbox }).config.isolation).toEqual(settings);
});

test('a backend that there is not is refused, with the nearest one', () => {
  expect(() => parse([], { sandbox: 'contaner' }).config.isolation).toThrow(
    "--sandbox does not take 'contaner'; accepted: auto, sbx, container, bwrap, srt (did you mean container?)",
  );
});

test('a number of iterations that was taken for the backend is told where it goes', () => {
  expect(() => parse([], { sandbox: '20' }).config.isolation).toThrow(/put the number of iterations before it/);
});

const whole = { only: null, once: false };

it('takes a number of lanes, and one when none is given', () => {
  expect(lanesAsked({}, whole)).toBe(1);
  expect(lanesAsked({ parallel: '3' }, whole)).toBe(3);
  expect(() => lanesAsked({ parallel: '33' }, whole)).toThrow('1 to 32');
});

it('says that the number is missing where the next flag was taken for it', () => {
  expect(() => lanesAsked({ parallel: '--no-sandbox' }, whole)).toThrow('needs a number of stories');
});

it('refuses flags that leave nothing to do beside it', () => {
  expect(() => lanesAsked({ parallel: '2' }, { only: 'US-001', once: false })).toThrow('cannot be used together');
  expect(() => lanesAsked({ parallel: '2' }, { only: null, once: true })).toThrow('cannot be used together');
});
