import { EVENTS_VERSION, type RalphEvent } from '../../contracts/events.ts';
import { readLog } from '../../platform/append-log.ts';
import { list } from '../../platform/files.ts';
import type { IterationIndex } from './events.ts';
import { RUNS_FOLDER, runFolder } from './paths.ts';
import { refuseLaterVersion } from './state-file.ts';

/** Names of the runs that left events, oldest first. */
export async function listRuns(root: string): Promise<readonly string[]> {
  const names = await list(`${root}/${RUNS_FOLDER}`);
  return names.filter((name) => /^\d{8}-\d{6}-[a-z0-9]+$/.test(name));
}

/**
 * Events of a run in the order they happened, or of one of its iterations. Lines that cannot be read are left out:
 * a crash may tear one, and events decide nothing.
 * @throws StateError when the log is of a later version.
 */
export async function readEvents(
  root: string,
  run: string,
  options: { readonly iteration?: number } = {},
): Promise<readonly RalphEvent[]> {
  const path = `${root}/${runFolder(run)}/events.jsonl`;
  const { lines } = await readLog(path);
  const header = parseObject(lines[0] ?? '');
  refuseLaterVersion(path, { name: 'event log', version: EVENTS_VERSION }, header?.['version']);
  const events: RalphEvent[] = [];
  for (const line of lines) {
    const event = parseObject(line);
    if (!isEvent(event)) continue;
    if (options.iteration === undefined || event.iteration === options.iteration) events.push(event);
  }
  return events;
}

/** What is known of each ended iteration of a run, without reading its events. */
export async function readIndex(root: string, run: string): Promise<readonly IterationIndex[]> {
  const { lines } = await readLog(`${root}/${runFolder(run)}/index.jsonl`);
  return lines.flatMap((line) => {
    const entry = parseObject(line);
    return typeof entry?.['iteration'] === 'number' && typeof entry['start'] === 'number'
      ? [entry as unknown as IterationIndex]
      : [];
  });
}

function isEvent(value: unknown): value is RalphEvent {
  const event = value as Partial<RalphEvent> | null;
  return (
    event !== null &&
    typeof event.ts === 'string' &&
    typeof event.type === 'string' &&
    typeof event.iteration === 'number'
  );
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
