import { appendSteering, followSteering, readSteering } from '../adapters/workspace/steering-file.ts';
import type { Config } from '../contracts/config.ts';
import type { EventBody } from '../contracts/events.ts';
import type { LedgerLine, RunLimits, SteeringEntry } from '../contracts/state.ts';
import { effectiveLimits, limitsOf, type Steering, steeringOf } from '../rules/steering/steering.ts';

/** What people told the run from outside, as it holds now. */
export interface SteeringDesk {
  readonly now: () => Steering;
  /** The configured limits with what a person changed since. */
  readonly limits: () => RunLimits;
  /** Reads what came in; the file is also looked at while the run waits and while an agent works. */
  readonly refresh: () => Promise<void>;
  readonly close: () => void;
}

interface DeskInput {
  readonly stateDir: string;
  readonly run: string;
  readonly config: Config;
  /** Grows as the run goes on. */
  readonly ledger: readonly LedgerLine[];
  readonly emit: (iteration: number, body: EventBody) => void;
  /** Called once when the agent must not be waited for. */
  readonly onStopNow: () => void;
}

/**
 * Follows `steering.jsonl`. Whatever comes in while the run lives is announced once, as an event; what an earlier
 * life of the same run was told still holds and is not announced again.
 */
export async function openSteering(input: DeskInput): Promise<SteeringDesk> {
  const { stateDir, run, config, ledger } = input;
  const onProblem = (text: string) => input.emit(0, { type: 'notice', level: 'warning', text });
  let entries = await readSteering(stateDir, onProblem);
  const known = new Set(entries.map(({ id }) => id));
  const now = () => steeringOf(entries, ledger, run);

  function take(latest: readonly SteeringEntry[]): void {
    entries = latest;
    for (const entry of entries) {
      if (known.has(entry.id)) continue;
      known.add(entry.id);
      const text = announcement(entry, run);
      if (text !== null) input.emit(0, { type: 'steering', request: entry.kind, text });
    }
    if (now().stop === 'now') input.onStopNow();
  }

  const follower = followSteering(stateDir, take, onProblem);
  return {
    now,
    limits() {
      const limits = effectiveLimits(limitsOf(config), now());
      return { ...limits, maxIterations: Math.min(limits.maxIterations, config.maxAllowedIterations) };
    },
    refresh: async () => take(await readSteering(stateDir)),
    close: () => follower.close(),
  };
}

interface Resumed {
  readonly stateDir: string;
  readonly run: string;
  readonly ledger: readonly LedgerLine[];
  /** The limits that the run was last started with; null when nobody wrote them down. */
  readonly before: RunLimits | null;
  readonly config: Config;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * A person who starts a run again wants it to go on: a stop that was asked of its earlier life is taken back, and limits
 * that were given differently this time win over those it was steered to.
 */
export async function startAgain({ stateDir, run, ledger, before, config, at }: Resumed): Promise<void> {
  const { stop } = steeringOf(await readSteering(stateDir), ledger, run);
  if (stop !== null) await appendSteering(stateDir, { kind: 'resume', run, at });
  const now = limitsOf(config);
  const changed = Object.entries(now).filter(([name, value]) => before && before[name as keyof RunLimits] !== value);
  if (changed.length === 0) return;
  await appendSteering(stateDir, { kind: 'limits', run, at, limits: Object.fromEntries(changed) });
}

/** What an entry does to this run; null when it is for another one. */
function announcement(entry: SteeringEntry, run: string): string | null {
  if ('run' in entry && entry.run !== run) return null;
  switch (entry.kind) {
    case 'note':
      return `the next prompt carries: ${entry.text}`;
    case 'pause':
      return 'paused after this iteration';
    case 'resume':
      return 'goes on';
    case 'stop':
      return entry.now ? 'stops now' : 'stops after this iteration';
    case 'limits':
      return Object.entries(entry.limits)
        .map(([name, value]) => `${name} is ${value ?? 'unlimited'} now`)
        .join(', ');
    case 'answer':
      return `${entry.question} was answered`;
  }
}
