import type { Config } from '../../../contracts/config.ts';
import type { Mode, Story } from '../../../contracts/model.ts';
import type { ActiveMarker } from '../../../contracts/state/active-marker.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { readText, remove } from '../../../platform/files/files.ts';
import { hostName, processExists, processId } from '../../../platform/process/process-facts.ts';
import { MARKER_FILE } from '../paths.ts';

const HEARTBEAT_MS = 5_000;
const STALE_MS = 30_000;

/** Read-only, so that an agent which changes it does so on purpose. We replace it, which needs no permission on it. */
const MARKER_MODE = 0o444;

export interface Marker {
  /** What the run works on now. `stories` are those before the iteration, kept for hooks to compare with. */
  update(story: Story | null, mode: Mode | null, stories: readonly Story[]): Promise<void>;
  /** Ends the heartbeat and removes the file, if it is still this run's. */
  remove(): Promise<void>;
}

interface MarkerInput {
  readonly run: string;
  readonly config: Config;
  /** Name of the isolation taken. */
  readonly isolation: string;
  /** Address of the control server; null where there is none. */
  readonly controlServer: string | null;
  readonly clock: Clock;
}

/**
 * Writes `.ralph-active` and keeps its heartbeat fresh, so that others see a live run where its pid means nothing
 * (containers). Failing heartbeats are silent: a full disk must not stop the run.
 */
export async function startMarker(root: string, input: MarkerInput): Promise<Marker> {
  const { run, config, clock } = input;
  let marker: ActiveMarker = {
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
    preIterationSnapshot: null,
    controlServer: input.controlServer,
  };
  let writing: Promise<void> = Promise.resolve();

  /** One write after the other: two at once could leave the older one on top. */
  function write(change: Partial<ActiveMarker>): Promise<void> {
    marker = { ...marker, ...change, heartbeat: timeOf(clock) };
    const text = `${JSON.stringify(marker)}\n`;
    const next = writing.then(() => writeAtomic(`${root}/${MARKER_FILE}`, text, { fsync: false, mode: MARKER_MODE }));
    writing = next.catch(() => {});
    return next;
  }

  await write({});
  const heartbeat = setInterval(() => void write({}).catch(() => {}), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    update: (story, mode, stories) =>
      write({
        story: story?.id ?? null,
        iterationMode: mode,
        preIterationSnapshot: story === null ? null : snapshotOf(stories),
      }),
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
  // A heartbeat far in the future is a clock that was set back, not a sign of life.
  const fresh = Math.abs(clock.now() - Date.parse(marker.heartbeat)) < STALE_MS;
  // A pid says nothing across containers, but on the same host a dead one need not be waited for.
  const live = fresh && (marker.host !== hostName() || processExists(marker.pid));
  return { marker, live };
}

function parseMarker(text: string | null): ActiveMarker | null {
  if (text === null) return null;
  try {
    const value = JSON.parse(text) as Partial<ActiveMarker> | null;
    return typeof value?.run === 'string' && typeof value.heartbeat === 'string' ? (value as ActiveMarker) : null;
  } catch {
    return null;
  }
}

function snapshotOf(stories: readonly Story[]): NonNullable<ActiveMarker['preIterationSnapshot']> {
  return Object.fromEntries(
    stories.map(({ id, passes, reviewStatus, reviewCount }) => [id, { passes, reviewStatus, reviewCount }]),
  );
}

function timeOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
