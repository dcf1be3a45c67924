import type { Env } from './environment.ts';
import { findRoom, type OpenOptions } from './find-room.ts';
import type { Git } from './port.ts';

/**
 * Opens the repository that `dir` is in.
 * @throws GitRefusal without git 2.39 or later, without a work tree, or (unless `unborn`) without a first commit
 */
export async function openGit(dir: string, options: OpenOptions = {}): Promise<Git> {
  // Git looks around while the code is loaded that is needed when it has answered.
  const [room, { operationsIn }] = await Promise.all([findRoom(dir, options), import('./operations.ts')]);
  return { repo: room.repo, identity: identityOf(room.env), ...operationsIn(room) };
}

function identityOf(env: Env): Record<string, string> {
  const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];
  return Object.fromEntries(names.map((name) => [name, env[name] ?? '']));
}
