import { withoutSettings } from '../../adapters/workspace/config/config-env.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import type { EndReason, Verdict } from '../../contracts/model.ts';
import { runCommand } from '../../platform/process/run-command.ts';
import type { Project } from './project.ts';
import type { Row } from './rows/row.ts';

/** A run of ralph on the project of a row, once it is over. */
export interface Played {
  /** null when a signal ended it, or we did because it took too long. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** Id of the run, which everything carries that its agents started; null when it did not come that far. */
  readonly run: string | null;
  readonly events: readonly RalphEvent[];
  /** Why it ended by its own account; null when it has none. */
  readonly reason: EndReason | null;
  readonly verdicts: readonly Verdict[];
  readonly stderr: string;
}

type Env = Readonly<Record<string, string | undefined>>;

export interface PlayOptions {
  /** Command that plays the agent; null: the row's scenario. */
  readonly agent: string | null;
  /** The person's environment. */
  readonly env: Env;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

/** What every row runs with: two stories of two attempts each, and a few iterations to spare. */
const FLAGS = ['--max-iterations', '12', '--story-max-attempts', '2'];
/** Another agent may think as long as agents do, whatever the row wants of a scripted one. */
const FLAGS_FOR_OTHERS = [...FLAGS, '--timeout', '10m', '--idle-timeout', '3m', '--on-usage-limit', 'stop'];
/** Milliseconds after which a run that goes on is not well. */
const PATIENCE_MS = 120_000;
const PATIENCE_FOR_OTHERS_MS = 3 * 3_600_000;

/** Runs the real program as a child process, so that its exit code, its signals and what it leaves running are real. */
export async function play(row: Row, project: Project, { agent, env, signal }: PlayOptions): Promise<Played> {
  const flags = agent === null ? [...FLAGS, '--scenario', project.scenario, ...(row.flags ?? [])] : FLAGS_FOR_OTHERS;
  const { exitCode, timedOut, stdout, stderr } = await runCommand(
    process.execPath,
    [...project.entry, 'run', '--json', ...flags],
    {
      cwd: project.root,
      // The settings of the project are the battery's own; what the person types afterwards trusts nothing.
      env: { ...(agent === null ? bareEnvironment(project, env) : personsEnvironment(project, env)), RALPH_TRUST: '1' },
      timeoutMs: agent === null ? PATIENCE_MS : PATIENCE_FOR_OTHERS_MS,
      signal,
    },
  );
  const events = eventsIn(stdout.toString('utf8'));
  if (agent === null) await typeAfterwards(row, project, { env: bareEnvironment(project, env), signal });
  return {
    exitCode,
    timedOut,
    run: events[0]?.run ?? null,
    events,
    reason: events.flatMap((event) => (event.type === 'run-end' ? [event.reason] : [])).at(-1) ?? null,
    verdicts: events.flatMap((event) => (event.type === 'verdict' ? [event.verdict] : [])),
    stderr: stderr.toString('utf8').trim(),
  };
}

/** What the person types next; how it ends is told by what it must not have made. */
async function typeAfterwards(
  { afterwards = [] }: Row,
  { entry, root }: Project,
  { env, signal }: { readonly env: Env; readonly signal: AbortSignal },
): Promise<void> {
  for (const args of afterwards) {
    await runCommand(process.execPath, [...entry, ...args], { cwd: root, env, timeoutMs: PATIENCE_MS, signal });
  }
}

/** The same on every machine. */
function bareEnvironment({ home, root }: Project, env: Env): Env {
  return {
    // As `npm run` and `npx` have it.
    PATH: `${root}/node_modules/.bin:${home}/bin:${env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    NO_COLOR: '1',
  };
}

/** With everything that an agent may need to log in, but no settings of the person's own runs. */
function personsEnvironment({ home }: Project, env: Env): Env {
  const own = Object.entries(withoutSettings(env)).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(own), PATH: `${home}/bin:${env['PATH'] ?? ''}`, TMPDIR: home, XDG_STATE_HOME: home };
}

/** A run that was killed leaves half a line. */
function eventsIn(output: string): readonly RalphEvent[] {
  return output.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as RalphEvent];
    } catch {
      return [];
    }
  });
}
