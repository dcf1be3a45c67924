import type { Backlog, BacklogFormat, Problem } from '../../../contracts/model.ts';

/** What reading a backlog's text gives; the stories are only to be trusted when no problem is an error. */
export interface Parsed {
  readonly format: BacklogFormat;
  readonly backlog: Backlog;
  readonly problems: readonly Problem[];
}

/** The result of a file in which no stories can be found at all. */
export function unreadable(format: BacklogFormat, problem: Problem): Parsed {
  const backlog = { format, project: null, branchName: null, description: '', verifyCommands: [], stories: [] };
  return { format, backlog, problems: [problem] };
}
