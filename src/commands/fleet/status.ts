import type { EndReason, StreamStanding, StreamState, WorkerStanding } from '../../contracts/index.ts';
import { clockTime, counted, dollars, oneLine, shellWord, type Tone } from '../../rules/text/index.ts';
import type { FleetFigures } from '../../streams/index.ts';
import { type Column, type Paint, renderColumns } from '../../surfaces/terminal/index.ts';

interface FleetStanding {
  readonly streams: readonly StreamStanding[];
  readonly workers: readonly WorkerStanding[];
  readonly figures: FleetFigures;
}

const STATE_TONE: Readonly<Record<StreamState, Tone | null>> = {
  ready: null,
  working: 'accent',
  later: 'warn',
  done: 'good',
  ended: 'bad',
  cancelled: 'dim',
  failed: 'bad',
};

type WorkerState = WorkerStanding['state'] | 'idle' | 'paused';
const WORKER_TONE: Readonly<Record<WorkerState, Tone>> = {
  working: 'good',
  idle: 'dim',
  paused: 'warn',
  draining: 'warn',
  gone: 'bad',
};

/** Two tables, and what a person can do about streams that wait for one. Pure; `now` is epoch ms. */
export function renderFleet(
  { streams, workers, figures }: FleetStanding,
  now: number,
  width: number,
  paint: Paint,
): readonly string[] {
  if (streams.length === 0 && workers.length === 0)
    return ['The fleet has no streams and no workers: `ralph fleet submit`, `ralph worker`'];
  const streamColumns: readonly Column<StreamStanding>[] = [
    { title: 'stream', text: ({ stream }) => oneLine(stream) },
    { title: 'state', text: stateText, tone: ({ state }) => STATE_TONE[state] },
    { title: 'turns', text: ({ turns }) => String(turns), align: 'right' },
    { title: 'cost', text: ({ costUsd }) => (costUsd > 0 ? dollars(costUsd) : '-'), align: 'right' },
    { title: 'worker', text: ({ worker }) => (worker === null ? '-' : oneLine(worker)) },
    { title: 'what', text: (stream) => standingText(stream, now), flexible: true },
  ];
  const workerColumns: readonly Column<WorkerStanding>[] = [
    { title: 'worker', text: ({ worker }) => oneLine(worker) },
    { title: 'state', text: workerState, tone: (worker) => WORKER_TONE[workerState(worker)] },
    { title: 'host', text: ({ host }) => oneLine(host) },
    { title: 'turns', text: ({ streams: own, capacity }) => `${own.length}/${capacity}`, align: 'right' },
    { title: 'since', text: ({ since }) => clockTime(since, now) },
    { title: 'streams', text: (worker) => workerText(worker, now), flexible: true },
  ];
  return [
    ...limitsOf(figures),
    ...(streams.length === 0 ? ['no streams'] : renderColumns(streamColumns, streams, width, paint)),
    '',
    ...(workers.length === 0
      ? ['no workers: `ralph worker` starts one on this machine']
      : renderColumns(workerColumns, workers, width, paint)),
    ...hints(streams),
  ];
}

function stateText({ state, ended }: StreamStanding): string {
  return state === 'ended' && ended !== null ? `ended: ${ended.reason}` : state;
}

function workerState({ state, streams, paused }: WorkerStanding): WorkerState {
  if (state !== 'working') return state;
  if (paused) return 'paused';
  return streams.length === 0 ? 'idle' : 'working';
}

function workerText({ streams, paused }: WorkerStanding, now: number): string {
  const why = paused ? `until ${clockTime(paused.until, now)} · ${oneLine(paused.text)}` : '';
  return [streams.map(oneLine).join(' '), why].filter(Boolean).join(' · ') || '-';
}

/** The shared limits, and how much of each is used; nothing where no limit is set. */
function limitsOf({ concurrency, calls, maxCost, spentUsd, started }: FleetFigures): readonly string[] {
  const parts = [
    concurrency === null ? '' : `${counted(concurrency, 'turn')} at a time`,
    calls === null ? '' : `${started} of ${counted(calls, 'agent')} within this hour`,
    maxCost === null ? '' : `${dollars(spentUsd)} of ${dollars(maxCost)} spent`,
  ].filter(Boolean);
  return parts.length === 0 ? [] : [`limits: ${parts.join(', ')}`, ''];
}

function standingText({ text, until, attempts, state }: StreamStanding, now: number): string {
  const parts = [
    state === 'later' ? (until === null ? 'until you continue it' : `until ${clockTime(until, now)}`) : '',
    attempts > 1 ? `attempt ${attempts}` : '',
    oneLine(text),
  ];
  return parts.filter(Boolean).join(' · ') || '-';
}

function hints(streams: readonly StreamStanding[]): readonly string[] {
  const stuck = streams.filter(({ state, until }) => state === 'failed' || (state === 'later' && until === null));
  const ended = streams.filter(({ state }) => state === 'ended');
  const done = streams.filter(({ state }) => state === 'done');
  return [
    ...(stuck.length === 0 ? [] : ['', `${waitFor(stuck.length)} for you: ralph fleet retry ${namesOf(stuck)}`]),
    ...(ended.length === 0 ? [] : ['', `${counted(ended.length, 'stream')} ended with stories left:`]),
    ...ended.map(
      ({ stream, ended: end }) => `  ${oneLine(stream)}: ${continueCommand(end?.reason ?? null)} ${oneLine(stream)}`,
    ),
    ...(done.length === 0 ? [] : ['', `${counted(done.length, 'stream')} done: git fetch, then ralph stream merge`]),
  ];
}

function waitFor(count: number): string {
  return `${counted(count, 'stream')} ${count === 1 ? 'waits' : 'wait'}`;
}

/** The command that continues a stream whose run ended; the stream's name follows. */
function continueCommand(reason: EndReason | null): string {
  switch (reason) {
    case 'circuit':
      return 'its circuit breaker is open; once that is fixed: ralph fleet retry --reset-circuit';
    case 'budget':
      return 'a budget is spent; name a larger one (ralph fleet submit --max-cost), then: ralph fleet retry';
    case 'iterations':
      return 'out of iterations; for the same number again: ralph fleet retry';
    case 'blocked':
      return 'what is left is blocked; unblock it on its branch and push, then: ralph fleet retry';
    default:
      return 'once that is fixed: ralph fleet retry';
  }
}

function namesOf(streams: readonly StreamStanding[]): string {
  return streams.map(({ stream }) => shellWord(oneLine(stream))).join(' ');
}

/** Whether some stream continues by itself; streams that wait for a person do not. */
export function isBusy({ state, until }: Pick<StreamStanding, 'state' | 'until'>): boolean {
  return state === 'ready' || state === 'working' || (state === 'later' && until !== null);
}

/**
 * Why a stream cannot be handed over as requested: the fleet has it on another branch, or has its branch for another
 * stream. null: it can.
 */
export function conflictWith(
  { stream, branch }: { readonly stream: string; readonly branch: string },
  known: readonly (Pick<StreamStanding, 'stream' | 'state'> & { readonly branch: string | null })[],
): string | null {
  const open = known.filter(({ state }) => state === 'ready' || state === 'working' || state === 'later');
  const own = open.find((one) => one.stream === stream);
  if (own !== undefined && own.branch !== null && own.branch !== branch)
    return `the fleet works on it on ${own.branch}: \`ralph fleet cancel ${shellWord(stream)}\` first`;
  const other = open.find((one) => one.branch === branch && one.stream !== stream);
  return other === undefined ? null : `the fleet works on ${branch} for ${other.stream}`;
}
