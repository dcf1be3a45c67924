import type { RalphEvent } from '../../../contracts/events.ts';
import { readInside } from '../../../platform/files/files-inside.ts';
import { runFolder } from '../paths.ts';
import { openEventFile } from './event-file.ts';
import { parseObject } from './event-line.ts';
import type { IterationIndex } from './events.ts';

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
  const file = await openEventFile(root, run);
  const events: RalphEvent[] = [];
  const { iteration } = options;
  const see = (event: RalphEvent) => {
    if (iteration === undefined || event.iteration === iteration) events.push(event);
  };
  while ((await file.advance(see)) === 'grown');
  return events;
}

const MOST_INDEX_BYTES = 64 * 1024 * 1024;

/** What is known of each ended iteration of a run, without reading its events. */
export async function readIndex(root: string, run: string): Promise<readonly IterationIndex[]> {
  const { bytes } = await readInside(root, `${runFolder(run)}/index.jsonl`, MOST_INDEX_BYTES);
  const lines = (bytes?.toString('utf8') ?? '').split('\n');
  return lines.flatMap((line) => {
    const entry = parseObject(line);
    return typeof entry?.['iteration'] === 'number' && typeof entry['start'] === 'number'
      ? [entry as unknown as IterationIndex]
      : [];
  });
}
