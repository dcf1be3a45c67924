import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Project } from '../project.ts';

const URL_OF_PULL = 'https://github.com/una/shop/pull/7';

/** A review thread on a line of the pull request; what a comment leaves out is as GitHub has it for a new one. */
export function thread(id: string, path: string, ...comments: readonly (readonly [string, string])[]) {
  return {
    ...{ id, path, line: 1, originalLine: 1, diffSide: 'RIGHT', isResolved: false },
    ...{ viewerCanReply: true, viewerCanResolve: true },
    comments: comments.map(([author, body]) => comment(id, author, body)),
  };
}

export const comment = (id: string, author: string, body: string) => ({
  ...{ author, body, url: `${URL_OF_PULL}#${id}` },
  originalCommit: null as { oid: string } | null,
});

export type State = { threads: ReturnType<typeof thread>[]; [name: string]: unknown };

/** A bare remote `origin`, and `gh` with pull request 7 of a branch there. */
export async function standInForGh(project: Project, branch: string) {
  const bin = join(project.outside, 'bin');
  const remote = join(project.outside, 'remote.git');
  await mkdir(bin);
  const program = fileURLToPath(new URL('gh.mjs', import.meta.url));
  await writeFile(join(bin, 'gh'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(join(bin, 'gh'), 0o755);
  const file = join(project.outside, 'gh.json');
  const env = { PATH: `${bin}:${process.env['PATH']}`, GH_LOG: join(project.outside, 'gh.log'), GH_STATE: file };
  await project.git('init', '-q', '--bare', remote);
  await project.git('remote', 'add', 'origin', remote);
  const state = async (): Promise<State> => JSON.parse(await readFile(file, 'utf8'));
  const change = async (to: (before: State) => State) => writeFile(file, JSON.stringify(to(await state())));
  const first = { number: 7, url: URL_OF_PULL, remote, branch, viewer: 'una', threads: [], checks: [] };
  await writeFile(
    file,
    JSON.stringify({ ...first, permissions: { una: 'admin', ben: 'write', mallory: 'read' }, log: '' }),
  );
  return { env, state, change, url: URL_OF_PULL };
}
