import type { ControlAction, ControlAnswer, Refusal } from '../src/surfaces/dashboard/api.ts';
import { shutOut } from './state/access.ts';

/** What the server refused, or that it did not answer; `mend` are ways out, for people. */
export class Refused extends Error {
  readonly mend: readonly string[];
  /** HTTP status; 0 when nobody answered. */
  readonly status: number;

  constructor(status: number, message: string, mend: readonly string[] = []) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.mend = mend;
  }
}

const TOKEN = 'ralph-control';

/** The token that lets change something; null when this page may only look. */
export function controlToken(): string | null {
  return localStorage.getItem(TOKEN);
}

/**
 * Keeps the token of `#control=T` for this origin. The fragment never reaches a server, and is taken out of the address
 * so that nobody shares it by accident.
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
 * Does something to a project's run.
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
  throw new Refused(response.status, refusal.error ?? `The server answered ${response.status}.`, refusal.mend ?? []);
}
