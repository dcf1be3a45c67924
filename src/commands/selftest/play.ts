import { withoutSettings } from '../../adapters/workspace/index.ts';
import type { Env, RalphEvent, Verdict } from '../../contracts/index.ts';
import { runCommand } from '../../platform/index.ts';
import type { Project } from './project.ts';
import type { Row } from './rows/row.ts';

export type Played = Awaited<ReturnType<typeof play>>;

export interface PlayOptions {
  /** Command that plays the agent; null: the row's scenario. */
  readonly agent: string | null;
  readonly env: Env;
  readonly signal: AbortSignal;
}

/** The flags of every row: two stories of two attempts each, and a few iterations to spare. */
const FLAGS = ['--max-iterations', '12', '--story-max-attempts', '2'];
/** Another agent may think as long as agents do, even where the row limits a scripted one. */
const FLAGS_FOR_OTHERS = [...FLAGS, '--timeout', '10m', '--idle-timeout', '3m', '--on-usage-limit', 'stop'];
/** Milliseconds after which a run counts as stuck. */
const PATIENCE_MS = 120_000;
const PATIENCE_FOR_OTHERS_MS = 3 * 3_600_000;

/**
 * Runs the real program as a child process, so that its exit code, its signals and the processes it leaves are real.
 */
export async function play(row: Row, project: Project, { agent, env, signal }: PlayOptions) {
  const flags = agent === null ? [...FLAGS, '--scenario', project.scenario, ...(row.flags ?? [])] : FLAGS_FOR_OTHERS;
  const { exitCode, timedOut, stdout, stderr } = await runCommand(
    process.execPath,
    [...project.entry, 'run', '--json', ...flags],
    {
      cwd: project.root,
      // The settings of the project are the battery's own; the commands typed afterwards trust nothing.
      env: {
        ...(agent === null ? bareEnvironment(row, project, env) : userEnvironment(project, env)),
        RALPH_TRUST: '1',
      },
      timeoutMs: agent === null ? PATIENCE_MS : PATIENCE_FOR_OTHERS_MS,
      signal,
    },
  );
  const events = eventsIn(stdout.toString('utf8'));
  const afterwards =
    agent === null ? await typeAfterwards(row, project, { env: bareEnvironment(row, project, env), signal }) : '';
  return {
    /** null when a signal ended it, or the time limit did. */
    exitCode,
    timedOut,
    /** Id of the run, carried by every process its agents started; null when it did not get that far. */
    run: events[0]?.run ?? null,
    events,
    /** Why it ended according to itself; null when it gives no reason. */
    reason: events.flatMap((event) => (event.type === 'run-end' ? [event.reason] : [])).at(-1) ?? null,
    verdicts: events.flatMap((event) => (event.type === 'verdict' ? [event.verdict] : [])) as readonly Verdict[],
    stderr: stderr.toString('utf8').trim(),
    /** Everything printed, also by the commands typed afterwards. */
    said: `${stdout.toString('utf8')}${stderr.toString('utf8')}${afterwards}`,
  };
}

/** The commands typed next, and what they print; they are judged by what they must not have made or said. */
async function typeAfterwards(
  { afterwards = [] }: Row,
  { entry, root }: Project,
  { env, signal }: { readonly env: Env; readonly signal: AbortSignal },
): Promise<string> {
  let said = '';
  for (const args of afterwards) {
    const options = { cwd: root, env, timeoutMs: PATIENCE_MS, signal };
    const { stdout, stderr } = await runCommand(process.execPath, [...entry, ...args], options);
    said += `${stdout.toString('utf8')}${stderr.toString('utf8')}`;
  }
  return said;
}

function bareEnvironment(row: Row, { home, root }: Project, env: Env): Env {
  return {
    ...row.env,
    // As set by `npm run` and `npx`.
    PATH: `${root}/node_modules/.bin:${home}/bin:${env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    NO_COLOR: '1',
  };
}

/** With everything an agent may need to log in, but without settings of the user's own runs. */
function userEnvironment({ home }: Project, env: Env): Env {
  const own = Object.entries(withoutSettings(env)).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(own), PATH: `${home}/bin:${env['PATH'] ?? ''}`, TMPDIR: home, XDG_STATE_HOME: home };
}

/** A killed run leaves half a line. */
function eventsIn(output: string): readonly RalphEvent[] {
  return output.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as RalphEvent];
    } catch {
      return [];
    }
  });
}
