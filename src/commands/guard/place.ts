import { homedir, tmpdir } from 'node:os';
import type { Config } from '../../contracts/config.ts';
import type { GuardContext, GuardProfile } from '../../rules/guard/api.ts';
import { isProtectedPath, type SpecPaths } from '../../rules/protected-paths.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import { configIn, openProject, withPluginFiles, workspaceIn } from '../shared/open.ts';

const USUAL_PATHS: SpecPaths = {
  specDir: 'ralph',
  backlog: { path: 'ralph/tasks.json' },
  progressPath: 'ralph/progress.txt',
  prdPath: 'ralph/prd.md',
  promptPath: 'ralph/prompt.md',
  reviewsPath: 'ralph/reviews.json',
};

/**
 * Where commands of a corpus run: a project of nobody's, so that the result depends on the file alone, wherever the
 * command is typed. The working folder is the root of a git work tree; home is elsewhere.
 */
export const NEUTRAL_PLACE: GuardContext = {
  profile: 'run',
  cwd: '/home/dev/project',
  root: '/home/dev/project',
  home: '/home/dev',
  temp: ['/tmp', '/var/tmp'],
  isProtected: (path) => isProtectedPath(USUAL_PATHS, path),
  user: { allow: [], deny: [] },
};

/** Where a command typed here would run: this repository with its own rules; outside of one, the current folder. */
export async function placeHere(profile: GuardProfile, flags: RawFlags, io: Io): Promise<GuardContext> {
  const { root, spec, user } = await projectHere(flags, io);
  return {
    profile,
    cwd: io.cwd,
    root,
    home: io.env['HOME'] ?? homedir(),
    temp: [...new Set([tmpdir(), '/tmp'])],
    isProtected: (path) => isProtectedPath(spec, path),
    user,
  };
}

async function projectHere(
  flags: RawFlags,
  io: Io,
): Promise<{ readonly root: string; readonly spec: SpecPaths; readonly user: Config['guard'] }> {
  const none = { allow: [], deny: [] };
  const git = await openProject(flags, io).catch(() => null);
  if (git === null) return { root: io.cwd, spec: USUAL_PATHS, user: none };
  const spec = await workspaceIn(git, flags, io).catch(() => USUAL_PATHS);
  const { config } = await configIn(git, io);
  const { hostFiles = [] } = await withPluginFiles({ ...spec, root: git.repo.root }, config);
  return { root: git.repo.root, spec: { ...spec, hostFiles }, user: config.guard };
}
