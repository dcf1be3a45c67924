import { Gauge, Registry } from 'prom-client';
import {
  type ProjectInfo,
  type RunState,
  type StreamStanding,
  type StreamState,
  VERDICTS,
  type WorkerStanding,
} from '../../contracts/index.ts';
import { BREAKER_TONE, STATE_TONE } from '../../rules/text/index.ts';
import { needsOf, type RunView } from '../../rules/view/index.ts';

export interface MetricRun {
  readonly project: Pick<ProjectInfo, 'id' | 'name'>;
  readonly state: RunState;
  readonly view: RunView;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A metric of a run or of a fleet. The values of its label are few and fixed. */
type Metric<T> = readonly [name: string, help: string, samples: (of: T) => readonly Sample[], label?: string];

const STATES: readonly RunState[] = ['running', 'waiting', 'paused', 'between', 'ended', 'cut-off'];
const LABELS = ['project', 'project_id', 'run'];

/** The metrics of a run for Prometheus. All are gauges: they are read from its log, and an older log may replace it. */
const METRICS: readonly Metric<MetricRun>[] = [
  ['ralph_run_state', '1 for the state the run is in.', ({ state }) => counts('state', STATES, [state]), 'state'],
  [
    'ralph_run_needs_person',
    '1 while the run needs you: answer, resume, reset.',
    ({ view, state }) => value(needsOf(view, state) === null ? 0 : 1),
  ],
  [
    'ralph_run_start_time_seconds',
    'When the run was started.',
    ({ view }) => (view.startedAt === null ? [] : value(view.startedAt / 1000)),
  ],
  ['ralph_run_last_event_time_seconds', 'When something last happened.', ({ view }) => value(view.lastEventAt / 1000)],
  ['ralph_iterations', 'Iterations that were started.', ({ view }) => value(view.iterations.length)],
  ['ralph_iterations_used', 'Iterations that count against the limit.', ({ view }) => value(view.used)],
  ['ralph_iterations_max', 'Iterations that the run may use.', ({ view }) => value(view.maxIterations)],
  [
    'ralph_verdicts',
    'Iterations by verdict.',
    ({ view }) => counts('verdict', VERDICTS, pluck(view.iterations, 'verdict')),
    'verdict',
  ],
  [
    'ralph_stories',
    'Stories by state.',
    ({ view }) => counts('state', Object.keys(STATE_TONE), pluck(view.stories, 'state')),
    'state',
  ],
  ['ralph_cost_usd', 'US dollars that agents said they cost.', ({ view }) => value(view.costUsd)],
  [
    'ralph_tokens',
    'Tokens that agents said they used.',
    ({ view }) => Object.entries(view.usage).map(([kind, amount]) => [{ kind }, amount]),
    'kind',
  ],
  [
    'ralph_calls_last_hour',
    'Agent processes started within the hour before the last event.',
    ({ view }) => value(view.calls.length),
  ],
  [
    'ralph_calls_per_hour_max',
    'Agent processes that may be started in an hour.',
    ({ view }) => (view.limits === null ? [] : value(view.limits.calls)),
  ],
  [
    'ralph_breaker_state',
    '1 for the state the circuit breaker is in.',
    ({ view }) => counts('state', Object.keys(BREAKER_TONE), [view.breaker.state]),
    'state',
  ],
  ['ralph_denials', 'Tool calls that hooks denied.', ({ view }) => value(view.denials.count)],
  ['ralph_test_runs', 'Test runs that agents reported.', ({ view }) => value(view.tests.count)],
  ['ralph_checks', 'Checks that the loop ran.', ({ view }) => value(view.checks.count)],
  ['ralph_questions', 'Questions that agents asked.', ({ view }) => value(view.questions.length)],
  ['ralph_waited_seconds', 'How long the run waited.', ({ view }) => value(view.waitedMs / 1000)],
  ['ralph_exit_code', 'How the run ended.', ({ view }) => (view.ended === null ? [] : value(view.ended.exitCode))],
];

interface MetricFleet {
  readonly streams: readonly Pick<StreamStanding, 'state'>[];
  readonly workers: readonly Pick<WorkerStanding, 'state'>[];
  /** Why it cannot be reached now; null when it can. */
  readonly problem: string | null;
}

const STREAM_STATES: readonly StreamState[] = ['ready', 'working', 'later', 'done', 'ended', 'cancelled', 'failed'];
const WORKER_STATES: readonly WorkerStanding['state'][] = ['working', 'draining', 'gone'];

const FLEET_METRICS: readonly Metric<MetricFleet>[] = [
  [
    'ralph_fleet_up',
    '1 while the database of the fleet answers; else the other figures are the last ones it told.',
    ({ problem }) => value(problem === null ? 1 : 0),
  ],
  [
    'ralph_fleet_streams',
    'Streams of the fleet by state.',
    ({ streams }) => counts('state', STREAM_STATES, pluck(streams, 'state')),
    'state',
  ],
  [
    'ralph_fleet_workers',
    'Workers of the fleet by state.',
    ({ workers }) => counts('state', WORKER_STATES, pluck(workers, 'state')),
    'state',
  ],
];

/** Runs, and the fleet where there is one, in Prometheus' text format. */
export async function renderMetrics(
  runs: readonly MetricRun[],
  fleet: MetricFleet | null,
): Promise<{ readonly type: string; readonly text: string }> {
  const registry = new Registry();
  gauge(registry, METRICS, runs, ({ project, view }) => ({
    project: project.name,
    project_id: project.id,
    run: view.run,
  }));
  if (fleet !== null) gauge(registry, FLEET_METRICS, [fleet], () => ({}));
  return { type: registry.contentType, text: await registry.metrics() };
}

/** @param nameOf labels that tell one from the others */
function gauge<T>(
  registry: Registry,
  metrics: readonly Metric<T>[],
  all: readonly T[],
  nameOf: (one: T) => Readonly<Record<string, string>>,
): void {
  for (const [name, help, samples, label] of metrics) {
    const labelNames = [...LABELS, ...(label === undefined ? [] : [label])];
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const one of all) for (const [own, amount] of samples(one)) gauge.set({ ...nameOf(one), ...own }, amount);
  }
}

function value(amount: number): readonly Sample[] {
  return [[{}, amount]];
}

function counts(label: string, all: readonly string[], found: readonly (string | null)[]): readonly Sample[] {
  return all.map((one) => [{ [label]: one }, found.filter((each) => each === one).length]);
}

function pluck<T, K extends keyof T>(rows: readonly T[], key: K): readonly T[K][] {
  return rows.map((row) => row[key]);
}
