import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { openEventFile } from '../../adapters/workspace/events/event-file.ts';
import { followEventFile } from '../../adapters/workspace/events/follow-event-file.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import { foldRun } from '../../rules/view/fold.ts';
import type { RunView } from '../../rules/view/model.ts';
import type { LinesPage, LinesQuery } from './api.ts';
import { type Frames, frameOf, recentFrames } from './frames.ts';
import { findLines } from './lines.ts';
import { openReader, type Reader } from './reader.ts';

/** A run as the dashboard knows it: its log, what it folds to, and who watches. */
export interface RunFeed {
  /** As far as the log goes now. The same object as before while nothing was appended. */
  readonly look: () => Promise<{ readonly view: RunView; readonly lines: number }>;
  readonly find: (query: LinesQuery) => Promise<LinesPage>;
  /** Sends events from a line on to a stream that was answered with, for as long as it is open. */
  readonly join: (outgoing: ServerResponse, after: number) => Promise<void>;
  readonly beat: () => void;
  readonly watched: () => boolean;
  readonly close: () => void;
}

/** How long one look may keep others of this process waiting. */
const BUDGET_MS = 50;
/** Each look costs a write for everybody who watches: where they are many, there are fewer looks, so that runs on this machine are not slowed. */
const MANY = 16;
const BREATHER_MS = 250;
/** Read at once from the log, for a reader that is behind. */
const BEHIND_LINES = 200;

/** @throws StateError when the log is of a later version, or is none */
export async function openFeed(root: string, run: string): Promise<RunFeed> {
  const file = await openEventFile(root, run);
  const readers = new Set<Reader>();
  const recent = recentFrames();
  let fold = foldRun(run);
  let following: { close(): void } | null = null;
  let looking: Promise<void> | null = null;

  /** Those who ask while a look is under way share it. */
  function advance(): Promise<void> {
    looking ??= catchUp().finally(() => {
      looking = null;
    });
    return looking;
  }

  async function advanceAtEase(): Promise<void> {
    await advance();
    if (readers.size > MANY) await wait(BREATHER_MS, undefined, { ref: false });
  }

  async function catchUp(): Promise<void> {
    for (;;) {
      // What agents do is only worth reading where somebody watches it: most of a log is that.
      const watched = readers.size > 0;
      const see = (event: RalphEvent, line: number): void => {
        fold.see(event, line);
        if (watched) recent.add(event, line);
      };
      const before = file.lines();
      const change = await file.advance(
        see,
        watched ? { budgetMs: BUDGET_MS } : { headlines: true, budgetMs: BUDGET_MS },
      );
      if (!watched && file.lines() !== before) recent.clear();
      if (change === 'replaced') startAgain();
      if (change === 'same') return;
      for (const reader of readers) reader.wake();
    }
  }

  function startAgain(): void {
    fold = foldRun(run);
    recent.clear();
    for (const reader of readers) reader.reset();
  }

  async function frames(line: number): Promise<Frames> {
    const from = recent.from();
    if (from !== null && line >= from) return atLeastOneFurther(recent.after(line), line, file.lines());
    const found = await file.read(line, BEHIND_LINES);
    const text = found.map(([at, event]) => frameOf(event, at)).join('');
    return { text, next: Math.min(line + BEHIND_LINES, Math.max(line + 1, file.lines())) };
  }

  return {
    async look() {
      await advance();
      return { view: fold.view(), lines: file.lines() };
    },
    async find(query) {
      await advance();
      return findLines(file, fold.view(), query);
    },
    async join(outgoing, after) {
      await advance();
      const reader = openReader(outgoing, { lines: file.lines, frames }, after);
      readers.add(reader);
      following ??= followEventFile(file, advanceAtEase);
      const leave = () => {
        readers.delete(reader);
        if (readers.size > 0) return;
        following?.close();
        following = null;
      };
      outgoing.once('close', leave);
      // A reader that went away is no error of the server's.
      outgoing.on('error', leave);
      if (after > file.lines()) reader.reset();
      else reader.wake();
    },
    beat() {
      for (const reader of readers) reader.beat();
    },
    watched: () => readers.size > 0,
    close() {
      following?.close();
      for (const reader of readers) reader.end();
      file.close();
    },
  };
}

/** Lines that could not be read have no frame, and nobody waits for them. */
function atLeastOneFurther(found: Frames, line: number, lines: number): Frames {
  return found.next > line ? found : { text: found.text, next: Math.max(line + 1, lines) };
}
