import { appendSteering, followSteering, readSteering } from '../../adapters/workspace/index.ts';
import type { EventBody, LedgerLine, RunLimits, SteeringEntry } from '../../contracts/index.ts';
import { effectiveLimits, LIMIT_NAMES, limitText, lowerLimits, steeringOf } from '../../rules/steering/index.ts';
import type { RunSteering } from '../ports.ts';

interface AgentSession {
  readonly stateDir: string;
  readonly run: string;
  /** The limits that the run was first started with. */
  readonly limits: RunLimits;
  /** Upper bound for the iterations that a person can ask for. */
  readonly maxAllowedIterations: number;
  /** Grows during the run. */
  readonly ledger: readonly LedgerLine[];
  readonly emit: (iteration: number, body: EventBody) => void;
  /** Called once when the run must not wait for the agent. */
  readonly onStopNow: () => void;
}

/**
 * Follows `steering.jsonl`. New entries during the run's life are announced once, as an event; entries from an earlier
 * life of the same run still apply and are not announced again.
 */
export async function openSteering(input: AgentSession): Promise<RunSteering> {
  const { stateDir, run, ledger } = input;
  const told = new Set<string>();
  const onProblem = (text: string) => {
    if (told.has(text)) return;
    told.add(text);
    if (told.size > MOST_PROBLEMS) return;
    input.emit(0, { type: 'notice', level: 'warning', text, fix: SAY_IT_AGAIN });
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
      const waits = held !== null && entry.kind === 'limits' ? '; raised limits apply once the agent has ended' : '';
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

/** Refused lines that are reported one by one; a file may hold thousands. */
const MOST_PROBLEMS = 20;
const SAY_IT_AGAIN =
  'if you sent it under another user, XDG_STATE_HOME or project path, send it again here; if not, an agent may have written it';

interface Resumed {
  readonly stateDir: string;
  readonly run: string;
  readonly ledger: readonly LedgerLine[];
  /** Limits on this call's command line. */
  readonly given: Partial<RunLimits>;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * A person who starts a run again wants it to continue: a stop requested in its earlier life is cancelled. Limits on
 * the command line override those that it was started with and those set by steering.
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
    case 'note': {
      const about = entry.story === undefined ? '' : ` of ${entry.story}`;
      return `the next prompt${about} contains: ${entry.text}`;
    }
    case 'pause':
      return 'pauses before the next iteration';
    case 'resume':
      return 'continues';
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
        ? `${entry.story} is approved by you before the next iteration`
        : `${entry.story} is open again before the next iteration`;
    case 'block':
      return `${entry.story} is blocked by you before the next iteration: ${entry.reason}`;
    case 'reject':
      return `changes in ${entry.story} are requested by you before the next iteration`;
    case 'add':
      return `${entry.story.id} (${entry.story.title}) is added before the next iteration`;
    case 'edit':
      return `${entry.story} is ${entry.fields === null ? 'removed' : 'changed'} before the next iteration`;
    case 'waive':
      return `${entry.finding} of ${entry.story} is waived before the next iteration`;
  }
}
