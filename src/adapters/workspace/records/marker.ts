import {
  type ActiveMarker,
  as,
  type Config,
  fits,
  jsonObject,
  type Mode,
  object,
  type RunState,
  type Story,
  text,
} from '../../../contracts/index.ts';
import {
  type Clock,
  hostName,
  processExists,
  processId,
  readText,
  remove,
  systemClock,
  writeAtomic,
} from '../../../platform/index.ts';
import type { RunView } from '../../../rules/view/index.ts';
import { MARKER_FILE } from '../paths.ts';

const HEARTBEAT_MS = 5_000;
const STALE_MS = 30_000;

/** Read-only, so that an agent can only change it on purpose. Replacing it needs no permission on the file. */
const MARKER_MODE = 0o444;

export interface Marker {
  /** Updates what the run works on. `stories` are those before the iteration, kept for hooks to compare with. */
  update(story: Story | null, mode: Mode | null, stories: readonly Story[]): Promise<void>;
  /** Ends the heartbeat and removes the file, if it is still this run's. */
  remove(): Promise<void>;
}

interface MarkerInput {
  readonly run: string;
  readonly config: Config;
  /** Name of the isolation in use. */
  readonly isolation: string;
  /** Address of the control server; null where there is none. */
  readonly controlServer: string | null;
  readonly clock: Clock;
}

/**
 * Writes `.ralph-active` and keeps its heartbeat fresh, so that other processes see a live run where its pid means
 * nothing (containers). Failed heartbeats are ignored: a full disk must not stop the run.
 */
export async function startMarker(root: string, input: MarkerInput): Promise<Marker> {
  const { run, config, clock } = input;
  let marker: Omit<ActiveMarker, 'preIterationSnapshot'> = {
    version: 1,
    timestamp: timeOf(clock),
    heartbeat: timeOf(clock),
    pid: processId(),
    host: hostName(),
    run,
    maxIterations: config.maxIterations,
    isolation: input.isolation,
    skipReview: config.skipReview,
    reviewCap: config.reviewCap,
    iterationMode: null,
    story: null,
    controlServer: input.controlServer,
  };
  /** As JSON: of a long backlog it is made once, not at each heartbeat. */
  let snapshot = 'null';
  let writing: Promise<void> = Promise.resolve();

  /** Writes one after the other: two concurrent writes could leave the older content. */
  function write(change: Partial<typeof marker>): Promise<void> {
    marker = { ...marker, ...change, heartbeat: timeOf(clock) };
    const text = `${JSON.stringify(marker).slice(0, -1)},"preIterationSnapshot":${snapshot}}\n`;
    const next = writing.then(() => writeAtomic(`${root}/${MARKER_FILE}`, text, { fsync: false, mode: MARKER_MODE }));
    writing = next.catch(() => {});
    return next;
  }

  await write({});
  const heartbeat = setInterval(() => void write({}).catch(() => {}), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    update: (story, mode, stories) => {
      snapshot = story === null ? 'null' : `{${stories.map((story) => parts.get(story) ?? partOf(story)).join(',')}}`;
      return write({ story: story?.id ?? null, iterationMode: mode });
    },
    async remove() {
      clearInterval(heartbeat);
      await writing;
      const found = await readMarker(root, clock);
      if (found?.marker.run === run) await remove(`${root}/${MARKER_FILE}`);
    },
  };
}

/** The marker and whether its run is alive; null when there is none or it cannot be read. */
export async function readMarker(
  root: string,
  clock: Clock = systemClock,
): Promise<{ readonly marker: ActiveMarker; readonly live: boolean } | null> {
  const marker = parseMarker(await readText(`${root}/${MARKER_FILE}`));
  if (marker === null) return null;
  // A heartbeat far in the future means a clock that was set back, not a live run.
  const fresh = Math.abs(clock.now() - Date.parse(marker.heartbeat)) < STALE_MS;
  // A pid means nothing across containers, but on the same host a dead one shows at once that the run ended.
  const live = fresh && (marker.host !== hostName() || processExists(marker.pid));
  return { marker, live };
}

const MARKER = as<ActiveMarker>(object({ run: text, heartbeat: text }));

function parseMarker(text: string | null): ActiveMarker | null {
  const value = jsonObject(text ?? '');
  return fits(MARKER, value) ? value : null;
}

/** The part of each story: nearly all are as they were an iteration ago. */
const parts = new WeakMap<Story, string>();

function partOf(story: Story): string {
  const { id, passes, reviewStatus, reviewCount } = story;
  const state: NonNullable<ActiveMarker['preIterationSnapshot']>[string] = { passes, reviewStatus, reviewCount };
  const part = `${JSON.stringify(id)}:${JSON.stringify(state)}`;
  parts.set(story, part);
  return part;
}

function timeOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** A run writes its marker within moments of its first event, and again every few seconds. */
const MARKER_LATE_MS = 10_000;

/** Whether a run is alive, and what it does, from its files in the work tree. */
export async function runState(
  root: string,
  view: Pick<RunView, 'run' | 'ended' | 'now' | 'pid' | 'lastEventAt' | 'betweenSince'>,
  clock: Clock = systemClock,
): Promise<RunState> {
  if (view.ended !== null) return 'ended';
  if (view.betweenSince !== null) return 'between';
  if (!(await isAlive(root, view, clock))) return 'cut-off';
  if (view.now.waiting === null) return 'running';
  return view.now.waiting.why === 'pause' ? 'paused' : 'waiting';
}

async function isAlive(
  root: string,
  { run, pid, lastEventAt }: Pick<RunView, 'run' | 'pid' | 'lastEventAt'>,
  clock: Clock,
): Promise<boolean> {
  const found = await readMarker(root, clock);
  if (found?.marker.run === run) return found.live;
  // Not written yet, or deleted by an agent: the process decides, while its pid cannot have been reused.
  return pid !== null && processExists(pid) && Math.abs(clock.now() - lastEventAt) < MARKER_LATE_MS;
}
