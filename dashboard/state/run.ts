import { signal } from '@preact/signals';
import type { RalphEvent } from '../../src/contracts/index.ts';
import { foldRun, type RunFold, type RunView } from '../../src/rules/view/index.ts';
import type { Overview, ProjectInfo, RunSnapshot, RunState } from '../../src/surfaces/dashboard/index.ts';
import { apiOfRun, getJson, Refused } from '../api.ts';
import { openStream } from './stream.ts';

/** A run as the page shows it. */
export interface ShownRun {
  readonly project: ProjectInfo;
  readonly state: RunState;
  readonly view: RunView;
  /** Lines of the log that are in the view. */
  readonly lines: number;
}

/** The run that the page follows; null until it is read. */
export const shownRun = signal<ShownRun | null>(null);
export const runProblem = signal<Refused | null>(null);

/** Folding takes at most this much of a frame, so that the page responds during a flood of events. */
const FRAME_BUDGET_MS = 8;
/** Further behind than this, the server's fold is faster. */
const TOO_FAR_BEHIND = 50_000;
const LOOK_AT_STATE_MS = 5000;
const RETRY_MS = 1500;

export function followRun(project: string, run: string): () => void {
  const stopped = new AbortController();
  let fold: RunFold | null = null;
  let lines = 0;
  /** Received lines, folded or not. */
  let heard = 0;
  let queue: MessageEvent<string>[] = [];
  let at = 0;
  let frameAsked = false;
  let stream: { close(): void } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const publish = (from: Omit<ShownRun, 'view' | 'lines'>) => {
    if (fold !== null) shownRun.value = { ...from, view: fold.view(), lines };
  };
  /** Starts from the server's fold: at first, and whenever received events do not fit the current state. */
  const load = async () => {
    stream?.close();
    stream = null;
    queue = [];
    at = 0;
    try {
      const snapshot = await getJson<RunSnapshot>(apiOfRun(project, run), stopped.signal);
      fold = foldRun(run, snapshot.view);
      lines = snapshot.lines;
      heard = lines;
      runProblem.value = null;
      publish(snapshot);
      stream = openStream({
        address: () => `${apiOfRun(project, run, 'stream')}?after=${heard}`,
        messages: { message: take, reset: () => void load() },
      });
    } catch (problem) {
      if (stopped.signal.aborted) return;
      if (problem instanceof Refused && problem.status !== 0 && shownRun.value === null) runProblem.value = problem;
      // A browser that is shut out stays so until the address with the token is opened: the page says so.
      if (!(problem instanceof Refused && problem.status === 401)) timer = setTimeout(load, RETRY_MS);
    }
  };
  const take = (message: MessageEvent<string>) => {
    queue.push(message);
    heard = Number(message.lastEventId);
    if (queue.length - at > TOO_FAR_BEHIND) void load();
    else if (!frameAsked) {
      frameAsked = true;
      nextFrame(drain);
    }
  };
  const drain = () => {
    frameAsked = false;
    if (stopped.signal.aborted || fold === null) return;
    const until = performance.now() + FRAME_BUDGET_MS;
    while (at < queue.length && performance.now() < until) {
      const message = queue[at++];
      if (message === undefined || !see(message)) return;
    }
    if (at === queue.length) {
      queue = [];
      at = 0;
    } else {
      frameAsked = true;
      nextFrame(drain);
    }
    const shown = shownRun.value;
    if (shown !== null) publish({ project: shown.project, state: stateAfter(shown.state, fold.view()) });
  };
  /** @returns whether to continue: false when the log is not the one that was read */
  const see = (message: MessageEvent<string>): boolean => {
    const line = Number(message.lastEventId) - 1;
    if (line < lines) return true;
    if (line > lines) {
      void load();
      return false;
    }
    fold?.see(JSON.parse(message.data) as RalphEvent, line);
    lines = line + 1;
    return true;
  };

  void load();
  const looking = setInterval(() => void lookAtState(project, run, stopped.signal), LOOK_AT_STATE_MS);
  return () => {
    stopped.abort();
    clearTimeout(timer);
    clearInterval(looking);
    stream?.close();
    shownRun.value = null;
    runProblem.value = null;
  };
}

/** The state of a run according to its events; only the server reports that its process died. */
function stateAfter(before: RunState, view: RunView): RunState {
  if (view.ended !== null) return 'ended';
  if (view.betweenSince !== null) return 'between';
  if (view.now.waiting !== null) return view.now.waiting.why === 'pause' ? 'paused' : 'waiting';
  return before === 'cut-off' ? before : 'running';
}

/** A run whose process died sends no more events: the server knows its state. */
async function lookAtState(project: string, run: string, signal: AbortSignal): Promise<void> {
  const shown = shownRun.value;
  if (document.hidden || shown === null || shown.state === 'ended') return;
  const told = await getJson<Overview>('/api/overview', signal).catch(() => null);
  const state = told?.runs.find((one) => one.project === project && one.run === run)?.state;
  const latest = shownRun.value;
  if (state === undefined || latest === null || latest.view.ended !== null || signal.aborted) return;
  if (state !== latest.state && (state === 'cut-off' || latest.state === 'cut-off')) {
    shownRun.value = { ...latest, state };
  }
}

/** A hidden page draws no frames; received events are then folded at this interval. */
const HIDDEN_PACE_MS = 250;

/** Calls back before the next frame is drawn, or soon where none is. */
function nextFrame(then: () => void): void {
  if (document.hidden) setTimeout(then, HIDDEN_PACE_MS);
  else requestAnimationFrame(then);
}
