import type { EventBody } from './events.ts';

type RunStart = Extract<EventBody, { type: 'run-start' }>;

/** How a run begins; tests name only the fields they are about. */
export function aRunStart(fields: Partial<RunStart> = {}): RunStart {
  return {
    type: 'run-start',
    version: 1,
    ralph: '0.1.0',
    resumed: false,
    specDir: 'ralph',
    backlog: 'ralph/tasks.json',
    agent: 'claude',
    model: null,
    isolation: 'none',
    branch: 'ralph/login',
    maxIterations: 15,
    stories: { total: 2, done: 0, blocked: 0 },
    pid: 4711,
    ...fields,
  };
}
