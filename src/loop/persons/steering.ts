import { appendSteering, followSteering, readSteering } from '../../adapters/workspace/records/steering-file.ts';
import type { EventBody } from '../../contracts/events.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import type { RunLimits } from '../../contracts/state/run-record.ts';
import type { SteeringEntry } from '../../contracts/state/steering.ts';
import { LIMIT_NAMES, limitText } from '../../rules/steering/limit-words.ts';
import { effectiveLimits, lowerLimits, type Steering, steeringOf } from '../../rules/steering/steering.ts';

/** What people told the run from outside, as it holds now. */
export interface SteeringDesk {
  readonly now: () => Steering;
  /** The configured limits with what a person changed since. */
  readonly limits: () => RunLimits;
  /** Reads what came in; the file is also looked at while the run waits and while an agent works. */
  readonly refresh: () => Promise<void>;
  /**
   * While an agent works that has the person's rights, because nothing isolates it, a limit is not raised: that waits
   * until the agent has ended. Lower limits, a pause and a stop hold at once.
   * @returns what ends that
   */
  readonly holdRaises: () => () => void;
  readonly close: () => void;
}

interface DeskInput {
  readonly stateDir: string;
  readonly run: string;
  /** Those that the run was first started with. */
  readonly limits: RunLimits;
  /** More iterations than this nobody can ask for. */
  readonly maxAllowedIterations: number;
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
  const { stateDir, run, ledger } = input;
  const told = new Set<string>();
  const onProblem = (text: string) => {
    if (told.has(text)) return;
    told.add(text);
    if (told.size > MOST_PROBLEMS) return;
    input.emit(0, { type: 'notice', level: 'warning', text, mend: SAY_IT_AGAIN });
  };
  let entries = await readSteering(stateDir, onProblem);
  let held: RunLimits | null = null;
  const known = new Set(entries.map(({ id }) => id));
  const now = () => steeringOf(entries, ledger, run);

  function limits(): RunLimits {
    const effective = effectiveLimits(input.limits, now());
    const capped = { ...effective, maxIterations: Math.min(effective.maxIterations, input.maxAllowedIterations) };
    return held === null ? capped : lowerLimits(held, capped);
  }

  function holdRaises(): () => void {
    held = limits();
    return () => {
      const before = held;
      held = null;
      const after = limits();
      if (JSON.stringify(before) === JSON.stringify(after)) return;
      input.emit(0, { type: 'limits', limits: after });
    };
  }

  function take(latest: readonly SteeringEntry[]): void {
    entries = latest;
    for (const entry of entries) {
      if (known.has(entry.id)) continue;
      known.add(entry.id);
      const text = announcement(entry, run);
      if (text === null) continue;
      const waits = held !== null && entry.kind === 'limits' ? '; higher ones hold once the agent has ended' : '';
      input.emit(0, { type: 'steering', request: entry.kind, text: `${text}${waits}` });
      if (entry.kind === 'limits' && held === null) input.emit(0, { type: 'limits', limits: limits() });
    }
    if (now().stop === 'now') input.onStopNow();
  }

  const follower = followSteering(stateDir, take, onProblem);
  return {
    now,
    limits,
    holdRaises,
    refresh: async () => take(await readSteering(stateDir, onProblem)),
    close: () => follower.close(),
  };
}

/** Lines that are refused and told of one by one; a file may hold thousands. */
const MOST_PROBLEMS = 20;
const SAY_IT_AGAIN =
  'what you said yourself, under another user, XDG_STATE_HOME or path of the project: say it again as `ralph` here; what you did not say, an agent may have written';

interface Resumed {
  readonly stateDir: string;
  readonly run: string;
  readonly ledger: readonly LedgerLine[];
  /** Limits that the command line names this time. */
  readonly given: Partial<RunLimits>;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * A person who starts a run again wants it to go on: a stop that was asked of its earlier life is taken back. Limits on
 * the command line win over those that it was started with and steered to.
 */
export async function startAgain({ stateDir, run, ledger, given, at }: Resumed): Promise<void> {
  const { stop } = steeringOf(await readSteering(stateDir), ledger, run);
  if (stop !== null) await appendSteering(stateDir, { kind: 'resume', run, at });
  if (Object.keys(given).length > 0) await appendSteering(stateDir, { kind: 'limits', run, at, limits: given });
}

/** What an entry does to this run; null when it is for another one. */
function announcement(entry: SteeringEntry, run: string): string | null {
  if ('run' in entry && entry.run !== run) return null;
  switch (entry.kind) {
    case 'note':
      return `the next prompt carries: ${entry.text}`;
    case 'pause':
      return 'pauses before the next iteration';
    case 'resume':
      return 'goes on';
    case 'stop':
      return entry.now ? 'ends now' : 'ends before the next iteration';
    case 'limits':
      return LIMIT_NAMES.flatMap((name) => {
        const value = entry.limits[name];
        return value === undefined ? [] : [limitText(name, value)];
      }).join(', ');
    case 'answer':
      return `${entry.question} was answered`;
    case 'circuit-reset':
      return 'the circuit breaker is closed before the next iteration';
    case 'story':
      return entry.decision === 'approve'
        ? `${entry.story} is approved by a person before the next iteration`
        : `${entry.story} is open again before the next iteration`;
    case 'block':
      return `${entry.story} is blocked by a person before the next iteration: ${entry.reason}`;
    case 'add':
      return `${entry.story.id} (${entry.story.title}) is added before the next iteration`;
    case 'waive':
      return `${entry.finding} of ${entry.story} is waived before the next iteration`;
  }
}
