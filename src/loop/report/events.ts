import { openEventLog, redactedValue } from '../../adapters/workspace/index.ts';
import type { Backlog, EventBody, EventSink, RalphEvent, Story } from '../../contracts/index.ts';
import type { Clock } from '../../platform/index.ts';
import { storyRow } from '../../rules/backlog/index.ts';

interface EventStream {
  emit(iteration: number, body: EventBody): void;
  agentOutput(iteration: number, chunk: Uint8Array): void;
  /** From here on events are on disk, including those emitted before. */
  open(): Promise<void>;
  close(): void;
}

/**
 * Events of a run, redacted, to disk and to all watchers. Nothing is written before {@link EventStream.open}: a refused
 * start leaves no trace in the work tree.
 */
export function eventStream(root: string, run: string, clock: Clock, watch: EventSink): EventStream {
  let log: Awaited<ReturnType<typeof openEventLog>> | null = null;
  const early: (readonly [iteration: number, body: EventBody, at: number])[] = [];
  return {
    emit(iteration, body) {
      const at = clock.now();
      if (!log) early.push([iteration, body, at]);
      const ts = new Date(at).toISOString();
      watch(log?.emit(iteration, body, at) ?? redactedValue<RalphEvent>({ ts, run, iteration, ...body }));
    },
    agentOutput: (iteration, chunk) => log?.agentOutput(iteration, chunk),
    async open() {
      if (log) return;
      log = await openEventLog(root, run, clock);
      for (const event of early.splice(0)) log.emit(...event);
    },
    close: () => log?.close(),
  };
}

/** Reports the state of the stories to all watchers. */
export type ShowBacklog = (backlog: Backlog) => void;

/** The first time all of them, then only changes: most iterations change one story of many. */
export function backlogTeller(emit: (iteration: number, body: EventBody) => void): ShowBacklog {
  let told: ReadonlyMap<string, Story> | null = null;
  let last: Backlog['stories'] | null = null;
  const isSame = (one: Story | undefined, other: Story) =>
    one === other || (one && JSON.stringify(storyRow(one)) === JSON.stringify(storyRow(other)));
  return ({ format, stories }) => {
    // The pseudo story of a lone prompt is in no backlog.
    if (format === 'prompt' || stories === last) return;
    last = stories;
    const before = told;
    const now = new Map(stories.map((story) => [story.id, story]));
    told = now;
    if (before === null) return emit(0, { type: 'backlog', whole: true, stories: stories.map(storyRow), removed: [] });
    const changed = stories.filter((story) => !isSame(before.get(story.id), story)).map(storyRow);
    const removed = [...before.keys()].filter((id) => !now.has(id));
    if (changed.length + removed.length > 0) emit(0, { type: 'backlog', whole: false, stories: changed, removed });
  };
}
