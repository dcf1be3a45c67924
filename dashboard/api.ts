import { signal } from '@preact/signals';
import type { ControlAction, ControlAnswer, LinesQuery, Refusal } from '../src/surfaces/dashboard/index.ts';

/** The server's refusal, or that it did not answer; `fix` lists ways to fix it, for people. */
export class Refused extends Error {
  readonly fix: readonly string[];
  readonly status: number;

  constructor(status: number, message: string, fix: readonly string[] = []) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.fix = fix;
  }
}

const TOKEN = 'ralph-control';

/** The token that allows changes; null when this page is read-only. */
export function controlToken(): string | null {
  return localStorage.getItem(TOKEN);
}

/**
 * Keeps the token of `#control=T` for this origin. The fragment never reaches a server, and is removed from the address
 * so that it is not shared by accident.
 */
export function takeControlToken(): void {
  const token = /^#control=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  localStorage.setItem(TOKEN, token);
  history.replaceState(null, '', '#/');
}

/** The address of a run's part of the API, e.g. `apiOfRun(project, run, 'lines')`. */
export function apiOfRun(project: string, run: string, part = ''): string {
  const base = `/api/projects/${encodeURIComponent(project)}/runs/${encodeURIComponent(run)}`;
  return part === '' ? base : `${base}/${part}`;
}

/**
 * Reads something from the server.
 * @throws Refused
 */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answerOf(await ask(path, { cache: 'no-store', ...(signal ? { signal } : {}) }));
}

/**
 * Performs an action on a project's run.
 * @throws Refused saying why it cannot be done
 */
export async function act(project: string, action: ControlAction): Promise<ControlAnswer> {
  const response = await ask(`/api/projects/${encodeURIComponent(project)}/control`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${controlToken() ?? ''}` },
    body: JSON.stringify(action),
  });
  return answerOf(response);
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Refused(0, 'The dashboard server does not answer.', ['Start it again: ralph dashboard']);
  }
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.ok) return response.json();
  const refusal: Partial<Refusal> = await response.json().catch(() => ({}));
  if (response.status === 401) {
    shutOut.value = true;
    throw new Refused(401, refusal.error ?? 'This browser is not signed in.', [
      'Open the address that `ralph dashboard` prints.',
    ]);
  }
  throw new Refused(response.status, refusal.error ?? `The server answered ${response.status}.`, refusal.fix ?? []);
}

/**
 * Whether the server does not know this browser (any more): until it is let in again the page gets no data and controls
 * nothing.
 */
export const shutOut = signal(false);

/** A query in the form of an address; absent fields are left out. */
export function queryText(query: LinesQuery): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined && value !== false && value !== '');
  return new URLSearchParams(said.map(([name, value]) => [name, value === true ? '1' : String(value)])).toString();
}
