import { FileProblemsError, RalphError } from '../../contracts/errors.ts';

/** One thing a run needs, as it was found. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** What else is worth knowing, one line each. */
  readonly more?: readonly string[];
  /** Ways out; empty when all is well. */
  readonly mend: readonly string[];
  /** `place`: the machine or the project; `agent`: who would do the work. They end with different exit codes. */
  readonly concerns: 'place' | 'agent';
}

/** Tries something; what it refuses with becomes the finding. Bugs pass through. */
export async function look<T>(
  name: string,
  attempt: () => Promise<T>,
  detail: (found: T) => string,
  concerns: Finding['concerns'] = 'place',
): Promise<readonly [T | null, Finding]> {
  try {
    const found = await attempt();
    return [found, { name, state: 'ok', detail: detail(found), mend: [], concerns }];
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const { what, where, mend = [] } = error.facts;
    const ways = error instanceof FileProblemsError ? ['ralph validate names each problem'] : mend;
    return [null, { name, state: 'failed', detail: where ? `${what} (${where})` : what, mend: ways, concerns }];
  }
}
