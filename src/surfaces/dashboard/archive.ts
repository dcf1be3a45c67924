import { listRuns } from '../../adapters/workspace/events/own-runs.ts';
import type { ProjectInfo } from './api.ts';
import type { OverviewFeed } from './overview.ts';
import { Refused } from './refusal.ts';

const RUN_NAME = /^\d{8}-\d{6}-[a-z0-9]{1,32}$/;

/** A project that an address names. @throws Refused when it is none of this machine's */
export async function projectNamed(overview: OverviewFeed, id: string): Promise<ProjectInfo> {
  const project = (await overview.look()).projects.find((one) => one.id === id);
  if (project === undefined) throw new Refused(404, 'there is no such project', { mend: ['start a run in it once'] });
  return project;
}

/**
 * The run that an address names, for use in paths: it has the form of a run's name, and the project lists it.
 * @throws Refused when there is none
 */
export async function runNamed(project: ProjectInfo, run: string): Promise<string> {
  const found = RUN_NAME.test(run) && (await listRuns(project.root)).includes(run);
  if (!found) throw new Refused(404, 'there is no such run in this project', { mend: ['`ralph log` lists runs'] });
  return run;
}
