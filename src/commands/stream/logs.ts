import { type EventFile, openEventFile } from '../../adapters/workspace/events/event-file.ts';
import { listRuns } from '../../adapters/workspace/events/own-runs.ts';
import { redactedJson } from '../../adapters/workspace/events/redact/redact.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { EventSink } from '../../contracts/events.ts';
import { systemClock } from '../../platform/clock.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { hasShape } from '../../rules/view/event-shape.ts';
import { named } from '../../streams/choose.ts';
import { streamTrees } from '../../streams/facts.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { createRunLog } from '../../surfaces/terminal/run-log.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';

const LOOK_EVERY_MS = 500;

/** `ralph stream logs N`: the last run as it was printed; with `--follow` until it ends. */
export async function streamLogs(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const all = (await streamTrees(git)).map(({ root, file, name }) => ({ stream: file?.stream ?? name, root }));
  for (const { stream, root } of named(all, names)) {
    const run = (await listRuns(root)).at(-1);
    if (run === undefined)
      throw new UsageError({ what: `${stream} has no run yet`, mend: [`ralph stream start ${shellWord(stream)}`] });
    const log = isOn(flags, 'json')
      ? Object.assign((event: object) => void io.stdout.write(`${redactedJson(event)}\n`), { close: () => {} })
      : createRunLog({ io, verbose: false, now: systemClock.now });
    const file = await openEventFile(root, run);
    try {
      await show(file, isOn(flags, 'follow'), log);
    } finally {
      log.close();
      file.close();
    }
  }
  return 0;
}

/** Its lines lie where agents can write: what is no event is passed over. */
async function show(file: EventFile, follow: boolean, log: EventSink): Promise<void> {
  let isOver = false;
  const see: EventSink = (event) => {
    if (!hasShape(event)) return;
    isOver = event.type === 'run-end';
    log(event);
  };
  await file.advance(see);
  while (follow && !isOver) {
    await systemClock.sleep(LOOK_EVERY_MS);
    await file.advance(see);
  }
}
