import type { ServerResponse } from 'node:http';
import type { Overview, ProjectInfo, RunSummary } from './api.ts';
import { SSE_BEAT, sseMessage } from './sse.ts';

export interface Catalogue {
  readonly projects: () => Promise<readonly ProjectInfo[]>;
  /** Newest first. */
  readonly runs: (project: ProjectInfo) => Promise<readonly RunSummary[]>;
}

export type OverviewFeed = ReturnType<typeof openOverview>;

const EVERY_MS = 1_000;

/** @param about the server's own name and version */
export function openOverview(about: Pick<Overview, 'server' | 'version'>, catalogue: Catalogue) {
  const watchers = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | null = null;
  let last: { readonly at: number; readonly overview: Promise<Overview> } | null = null;
  let sent = '';

  function look(): Promise<Overview> {
    const now = performance.now();
    if (last === null || now - last.at >= EVERY_MS) last = { at: now, overview: gather() };
    return last.overview;
  }

  async function gather(): Promise<Overview> {
    const projects = await catalogue.projects();
    const runs = (await Promise.all(projects.map(catalogue.runs))).flat();
    return { ...about, projects, runs: runs.sort((a, b) => (a.run < b.run ? 1 : a.run > b.run ? -1 : 0)) };
  }

  /** A reader that is behind gets the next one: only the latest counts. */
  async function tell(): Promise<void> {
    const message = messageOf(await look());
    if (message === sent) return;
    sent = message;
    for (const watcher of watchers) {
      if (watcher.writableNeedDrain) late.add(watcher);
      else watcher.write(message);
    }
  }

  const late = new Set<ServerResponse>();

  function leave(outgoing: ServerResponse): void {
    watchers.delete(outgoing);
    late.delete(outgoing);
    if (watchers.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  return {
    /** At most a second old. */
    look,
    /** Sends it to a started stream, now and on every change. */
    async join(outgoing: ServerResponse) {
      const message = messageOf(await look());
      outgoing.on('drain', () => {
        if (late.delete(outgoing)) outgoing.write(sent);
      });
      outgoing.once('close', () => leave(outgoing));
      // A disconnected reader is not an error of the server.
      outgoing.on('error', () => leave(outgoing));
      if (outgoing.destroyed) return;
      watchers.add(outgoing);
      outgoing.write(message);
      if (timer !== null) return;
      sent = message;
      timer = setInterval(() => void tell().catch(() => {}), EVERY_MS);
    },
    beat() {
      // A reader that still has not taken what came before the last beat is gone or asleep.
      for (const watcher of watchers) {
        if (watcher.writableNeedDrain) watcher.destroy();
        else watcher.write(SSE_BEAT);
      }
    },
    close() {
      if (timer !== null) clearInterval(timer);
      for (const watcher of watchers) watcher.destroy();
    },
  };
}

function messageOf(overview: Overview): string {
  return sseMessage({ event: 'overview', data: JSON.stringify(overview) });
}
