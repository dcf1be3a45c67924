import { openGit } from '../../adapters/git/index.ts';
import { knownTrees } from '../../adapters/workspace/projects/known-trees.ts';
import { projectAt } from '../../adapters/workspace/projects/projects.ts';
import { listRunSummaries } from '../../adapters/workspace/projects/run-catalog.ts';
import { readDashboardToken } from '../../adapters/workspace/records/dashboard-file.ts';
import type { ProjectInfo } from '../../contracts/catalogue.ts';
import { GitRefusal } from '../../contracts/errors.ts';
import type { Catalogue } from '../../surfaces/dashboard/overview.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type RawFlags, textOf } from '../shared/flags.ts';
import { configIn, openProject } from '../shared/open.ts';

/** The project that the command was started in. */
export interface Here {
  readonly project: ProjectInfo | null;
  /** As its configuration has it. */
  readonly port: number;
}

const PORT = 4747;
/** Of each project, newest first; older ones are opened by their address. */
const RUNS_SHOWN = 30;

/** @throws GitRefusal when a project was named that is none, FileProblemsError and ConfigError as for every command */
export async function lookHere(flags: RawFlags, io: Io): Promise<Here> {
  try {
    const git = await openProject(flags, io);
    const { config } = await configIn(git, io);
    const project = projectAt({ root: git.repo.root, repository: git.repo.commonDir });
    return { project, port: config.dashboard.port };
  } catch (error) {
    // The dashboard is for the whole machine: anywhere will do.
    if (!(error instanceof GitRefusal) || textOf(flags, 'projectDir') !== undefined) throw error;
    return { project: null, port: PORT };
  }
}

/** Every project in which runs were started, and this one. */
export function catalogueOf(here: ProjectInfo | null, env: Io['env']): Catalogue {
  return {
    projects: () => knownTrees(env, here === null ? [] : [here]),
    runs: (project) => listRunSummaries(project, { limit: RUNS_SHOWN }),
  };
}

/** What the server needs of this machine, opened when it is first asked for. */
export function toolsOf(env: Io['env']) {
  return {
    openGit: (root: string) => openGit(root, { env, unborn: true }),
    readToken: () => readDashboardToken(env),
  };
}
