import { jsonObject } from '../../contracts/index.ts';
import { NEW_SESSION, type SessionState } from './api.ts';

/**
 * A line of `session.log`: what changed in the remembered state of one session. Folding a session's lines gives its
 * state, so that command hooks, which end after each call, remember; an unknown session id starts fresh.
 */
interface SessionLine {
  /** ISO 8601, for human readers. */
  readonly at: string;
  readonly session: string;
  /** Everything before is forgotten. */
  readonly reset?: true;
  /** Paths read or written since. */
  readonly read?: readonly string[];
  /** All thresholds announced so far. */
  readonly announced?: readonly number[];
  readonly refusals?: number;
  readonly idle?: number;
}

/** The line that takes `before` to `after`, newline included; empty when nothing changed. */
export function sessionLines(session: string, before: SessionState, after: SessionState, now: number): string {
  if (after === before || session === '') return '';
  const reset = [...before.read].some((path) => !after.read.has(path));
  const from = reset ? NEW_SESSION : before;
  const read = [...after.read].filter((path) => !from.read.has(path));
  const change = {
    ...(reset ? { reset: true as const } : {}),
    ...(read.length > 0 ? { read } : {}),
    ...(String([...from.announced]) === String([...after.announced]) ? {} : { announced: [...after.announced] }),
    ...(from.refusals === after.refusals ? {} : { refusals: after.refusals }),
    ...(from.idle === after.idle ? {} : { idle: after.idle }),
  };
  if (Object.keys(change).length === 0) return '';
  const line: SessionLine = { at: new Date(now).toISOString(), session, ...change };
  return `${asciiJson(line)}\n`;
}

/** The state of a session, from the text of a log that holds many sessions. Unreadable lines are skipped. */
export function foldSession(log: string, session: string): SessionState {
  if (session === '') return NEW_SESSION;
  const fresh = () => ({ read: new Set<string>(), announced: new Set<number>(), refusals: 0, idle: 0 });
  let state = fresh();
  const marker = asciiJson({ session }).slice(1, -1);
  // Only lines that name the session are parsed: the log is read at every call of a command hook.
  for (let at = log.indexOf(marker); at >= 0; at = log.indexOf(marker, at)) {
    const start = log.lastIndexOf('\n', at) + 1;
    const end = log.indexOf('\n', at);
    // A last line without its newline is still being written.
    if (end < 0) break;
    at = end;
    const line: Partial<SessionLine> | null = jsonObject(log.slice(start, end));
    if (line?.session !== session) continue;
    if (line.reset === true) state = fresh();
    if (Array.isArray(line.read)) for (const path of line.read.filter(isText)) state.read.add(path);
    if (Array.isArray(line.announced)) state.announced = new Set(line.announced.filter(isNumber));
    if (isNumber(line.refusals)) state.refusals = line.refusals;
    if (isNumber(line.idle)) state.idle = line.idle;
  }
  return state;
}

/** A path is a key: it must come back unchanged, although logs are stripped of unusual characters. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
