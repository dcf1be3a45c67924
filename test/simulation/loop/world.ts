import * as fc from 'fast-check';
import type { Fault } from '../machine/machine.ts';

/** What an agent does in one process. */
export const DEEDS = [
  'finish',
  'finish-by-backlog',
  'finish-by-tool',
  'partial',
  'idle',
  'lie',
  'break',
  'illegal',
  'corrupt',
  'delete-backlog',
  'delete-state',
  'commit',
  'overwrite',
  'block',
  'limit',
  'crash',
  'network',
  'silent',
  'hang',
  'absurd',
  'request-changes',
  'progress',
] as const;
export type Deed = (typeof DEEDS)[number];

/** What a person does, minutes after the world began. */
export interface PersonAct {
  readonly minute: number;
  readonly what:
    | 'note'
    | 'pause'
    | 'stop'
    | 'stop-now'
    | 'more-iterations'
    | 'new-file'
    | 'approve'
    | 'reopen'
    | 'block'
    | 'add-story'
    | 'circuit-reset'
    | 'interrupt'
    | 'clock-forward'
    | 'clock-back';
}

/** Everything that decides how a world goes; the same description goes the same way, always. */
export interface World {
  /** For chances that the description leaves open: what a power cut takes, names of temporary files. */
  readonly seed: number;
  readonly stories: number;
  /** Every story depends on the one before. */
  readonly chained: boolean;
  readonly hasCheck: boolean;
  readonly request: 'all' | 'once' | 'until' | 'only' | 'turns';
  readonly settings: {
    readonly skipReview: boolean;
    readonly maxIterations: number;
    readonly storyMaxAttempts: number;
    readonly reviewCap: number;
    readonly onReviewCap: 'approve' | 'block';
    readonly noProgress: number;
    /** Minutes; null: it stays open. */
    readonly cooldown: number | null;
    readonly calls: number;
    readonly maxCost: number | null;
    readonly maxTokens: number | null;
    readonly onUsageLimit: 'wait' | 'fallback' | 'stop' | null;
    readonly agents: 1 | 2;
    readonly rollback: 'iteration-end' | 'never';
    readonly commits: 'squash' | 'keep';
    readonly dirty: 'refuse' | 'keep';
    readonly retries: number;
  };
  /** What the agents do, process after process; after the last one they finish what they are asked to. */
  readonly deeds: readonly Deed[];
  readonly people: readonly PersonAct[];
  readonly faults: readonly Fault[];
}

const or = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const fault: fc.Arbitrary<Fault> = fc
  .record({
    step: fc.nat({ max: 700 }),
    kind: or<Fault['kind']>('kill', 'kill', 'kill', 'power', 'power', 'ENOSPC', 'EIO', 'EROFS', 'git'),
    lasts: or(1, 1, 1, 2, 5, 25),
  })
  .map((one) => (one.kind === 'kill' || one.kind === 'power' ? { ...one, lasts: 1 } : one));

/** Simple first: what is found shrinks to few stories, diligent agents, nobody around, and one fault. */
export const worlds: fc.Arbitrary<World> = fc.record({
  seed: fc.nat({ max: 2 ** 31 }),
  stories: fc.integer({ min: 1, max: 4 }),
  chained: fc.boolean(),
  hasCheck: fc.boolean(),
  request: or<World['request']>('all', 'all', 'all', 'turns', 'turns', 'once', 'until', 'only'),
  settings: fc.record({
    skipReview: or(true, true, false),
    maxIterations: or(12, 30, 1, 3),
    storyMaxAttempts: or(3, 1, 2, 5),
    reviewCap: or(3, 1),
    onReviewCap: or<'approve' | 'block'>('approve', 'block'),
    noProgress: or(3, 2, 1),
    cooldown: or(null, 5, 30),
    calls: or(100, 100, 100, 2),
    maxCost: or<number | null>(null, null, 0.25, 1),
    maxTokens: or<number | null>(null, null, null, 5000),
    onUsageLimit: or<World['settings']['onUsageLimit']>(null, 'wait', 'fallback', 'stop'),
    agents: or<1 | 2>(1, 2),
    rollback: or<'iteration-end' | 'never'>('iteration-end', 'iteration-end', 'iteration-end', 'never'),
    commits: or<'squash' | 'keep'>('squash', 'squash', 'keep'),
    dirty: or<'refuse' | 'keep'>('refuse', 'keep'),
    retries: or(2, 0),
  }),
  deeds: fc.array(or(...DEEDS), { maxLength: 8 }),
  people: fc.array(
    fc.record({
      minute: fc.nat({ max: 60 }),
      what: or<PersonAct['what']>(
        'note',
        'pause',
        'stop',
        'stop-now',
        'more-iterations',
        'new-file',
        'new-file',
        'approve',
        'reopen',
        'block',
        'add-story',
        'circuit-reset',
        'interrupt',
        'clock-forward',
        'clock-back',
      ),
    }),
    { maxLength: 2 },
  ),
  faults: fc.array(fault, { maxLength: 3 }),
});
