import { Gauge, Registry } from 'prom-client';
import type {
  ProjectInfo,
  RunState,
  StoryState,
  StreamStanding,
  StreamState,
  Verdict,
  WorkerStanding,
} from '../../contracts/index.ts';
import { needsOf, type RunView } from '../../rules/view/index.ts';

/** A run that metrics describe. */
export interface MetricRun {
  readonly project: Pick<ProjectInfo, 'id' | 'name'>;
  readonly state: RunState;
  readonly view: RunView;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

interface Metric {
  readonly name: string;
  readonly help: string;
  /** Labels besides project, project_id and run. Their values are few and fixed. */
  readonly labels?: readonly string[];
  readonly samples: (run: MetricRun) => readonly Sample[];
}

const STATES: readonly RunState[] = ['running', 'waiting', 'paused', 'between', 'ended', 'cut-off'];
const STORY_STATES: readonly StoryState[] = [
  'to do',
  'needs review',
  'changes requested',
  'done',
  'done, unreviewed',
  'blocked',
];
const VERDICTS: readonly Verdict[] = [
  'accepted',
  'advanced',
  'rejected',
  'no-progress',
  'timed-out',
  'interrupted',
  'agent-error',
  'limited',
];
const BREAKER_STATES = ['closed', 'half-open', 'open'] as const;

/** The metrics of a run for Prometheus. All are gauges: they are read from its log, and an older log may replace it. */
const METRICS: readonly Metric[] = [
  {
    name: 'ralph_run_state',
    help: '1 for the state the run is in.',
    labels: ['state'],
    samples: ({ state }) => oneOf('state', STATES, state),
  },
  {
    name: 'ralph_run_needs_person',
    help: '1 while a person has to do something: answer, resume, reset.',
    samples: ({ view, state }) => value(needsOf(view, state) === null ? 0 : 1),
  },
  {
    name: 'ralph_run_start_time_seconds',
    help: 'When the run was started.',
    samples: ({ view }) => (view.startedAt === null ? [] : value(view.startedAt / 1000)),
  },
  {
    name: 'ralph_run_last_event_time_seconds',
    help: 'When something last happened.',
    samples: ({ view }) => value(view.lastEventAt / 1000),
  },
  {
    name: 'ralph_iterations',
    help: 'Iterations that were started.',
    samples: ({ view }) => value(view.iterations.length),
  },
  {
    name: 'ralph_iterations_used',
    help: 'Iterations that count against the limit.',
    samples: ({ view }) => value(view.used),
  },
  {
    name: 'ralph_iterations_max',
    help: 'Iterations that the run may use.',
    samples: ({ view }) => value(view.maxIterations),
  },
  {
    name: 'ralph_verdicts',
    help: 'Iterations by what came of them.',
    labels: ['verdict'],
    samples: ({ view }) =>
      counts(
        'verdict',
        VERDICTS,
        view.iterations.map((row) => row.verdict),
      ),
  },
  {
    name: 'ralph_stories',
    help: 'Stories by state.',
    labels: ['state'],
    samples: ({ view }) =>
      counts(
        'state',
        STORY_STATES,
        view.stories.map((story) => story.state),
      ),
  },
  {
    name: 'ralph_cost_usd',
    help: 'US dollars that agents said they cost.',
    samples: ({ view }) => value(view.costUsd),
  },
  {
    name: 'ralph_tokens',
    help: 'Tokens that agents said they used.',
    labels: ['kind'],
    samples: ({ view }) => tokens(view),
  },
  {
    name: 'ralph_calls_last_hour',
    help: 'Agent processes started within the hour before the last event.',
    samples: ({ view }) => value(view.calls.length),
  },
  {
    name: 'ralph_calls_per_hour_max',
    help: 'Agent processes that may be started in an hour.',
    samples: ({ view }) => (view.limits === null ? [] : value(view.limits.calls)),
  },
  {
    name: 'ralph_breaker_state',
    help: '1 for the state the circuit breaker is in.',
    labels: ['state'],
    samples: ({ view }) => oneOf('state', BREAKER_STATES, view.breaker.state),
  },
  { name: 'ralph_denials', help: 'Tool calls that hooks denied.', samples: ({ view }) => value(view.denials.count) },
  {
    name: 'ralph_test_runs',
    help: 'Test runs that agents reported.',
    samples: ({ view }) => value(view.tests.count),
  },
  { name: 'ralph_checks', help: 'Checks that the loop ran.', samples: ({ view }) => value(view.checks.count) },
  {
    name: 'ralph_questions',
    help: 'Questions that agents asked.',
    samples: ({ view }) => value(view.questions.length),
  },
  {
    name: 'ralph_waited_seconds',
    help: 'How long the run waited.',
    samples: ({ view }) => value(view.waitedMs / 1000),
  },
  {
    name: 'ralph_exit_code',
    help: 'How the run ended.',
    samples: ({ view }) => (view.ended === null ? [] : value(view.ended.exitCode)),
  },
];

/** What the engine of a fleet reported. */
interface MetricFleet {
  readonly streams: readonly Pick<StreamStanding, 'state'>[];
  readonly workers: readonly Pick<WorkerStanding, 'state'>[];
  /** Why it cannot be reached now; null when it can. */
  readonly problem: string | null;
}

const STREAM_STATES: readonly StreamState[] = ['ready', 'working', 'later', 'done', 'ended', 'cancelled', 'failed'];
const WORKER_STATES: readonly WorkerStanding['state'][] = ['working', 'draining', 'gone'];

const FLEET_METRICS: readonly {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly samples: (fleet: MetricFleet) => readonly Sample[];
}[] = [
  {
    name: 'ralph_fleet_up',
    help: '1 while the database of the fleet answers; else the other figures are the last ones it told.',
    labels: [],
    samples: ({ problem }) => value(problem === null ? 1 : 0),
  },
  {
    name: 'ralph_fleet_streams',
    help: 'Streams of the fleet by state.',
    labels: ['state'],
    samples: ({ streams }) =>
      counts(
        'state',
        STREAM_STATES,
        streams.map(({ state }) => state),
      ),
  },
  {
    name: 'ralph_fleet_workers',
    help: 'Workers of the fleet by state.',
    labels: ['state'],
    samples: ({ workers }) =>
      counts(
        'state',
        WORKER_STATES,
        workers.map(({ state }) => state),
      ),
  },
];

/** Runs, and the fleet where there is one, in Prometheus' text format. */
export async function renderMetrics(
  runs: readonly MetricRun[],
  fleet: MetricFleet | null,
): Promise<{ readonly type: string; readonly text: string }> {
  const registry = new Registry();
  for (const { name, help, labels = [], samples } of METRICS) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['project', 'project_id', 'run', ...labels],
      registers: [registry],
    });
    for (const run of runs) {
      const own = { project: run.project.name, project_id: run.project.id, run: run.view.run };
      for (const [more, amount] of samples(run)) gauge.set({ ...own, ...more }, amount);
    }
  }
  if (fleet !== null) gaugeFleet(fleet, registry);
  return { type: registry.contentType, text: await registry.metrics() };
}

function gaugeFleet(fleet: MetricFleet, registry: Registry): void {
  for (const { name, help, labels, samples } of FLEET_METRICS) {
    const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] });
    for (const [own, amount] of samples(fleet)) gauge.set(own, amount);
  }
}

function value(amount: number): readonly Sample[] {
  return [[{}, amount]];
}

function oneOf(label: string, all: readonly string[], is: string): readonly Sample[] {
  return all.map((one) => [{ [label]: one }, one === is ? 1 : 0]);
}

function counts(label: string, all: readonly string[], found: readonly (string | null)[]): readonly Sample[] {
  return all.map((one) => [{ [label]: one }, found.filter((each) => each === one).length]);
}

function tokens({ usage }: RunView): readonly Sample[] {
  return Object.entries(usage).map(([kind, amount]) => [{ kind }, amount]);
}
