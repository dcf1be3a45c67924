import { randomBytes } from 'node:crypto';
import { UnavailableError } from '../../../contracts/errors.ts';
import { list, makeDir, remove } from '../../../platform/files/files.ts';
import type { Isolation, IsolationInput, Probe } from '../port.ts';
import { tryClaims } from './claims.ts';
import { type SbxClient, sbxClient } from './client.ts';
import { MAKE_ANEW, NOT_INSTALLED } from './failure.ts';
import { findSandbox } from './find.ts';
import { legacyIsThere } from './legacy.ts';
import { sbxName } from './name.ts';
import { permitHosts, refuseOpenPolicy } from './policy.ts';
import { type RunSbx, sbxRunner } from './runner.ts';
import { endInside } from './sweep.ts';
import { wrapped } from './wrap.ts';

const OLDER = 'the `docker sandbox` of Docker Desktop, which is here, was replaced by it and is not used';

/** Marks of the commands of a run, and of those outside one (a person's shell). */
const OF_A_RUN = 'run.';
const BY_ITSELF = 'one.';

/**
 * Docker Sandboxes: every command runs in the virtual machine that `ralph sandbox create` made for this project, which
 * sees the work tree at its own path and nothing else of this machine. It lasts: what agents install stays there.
 *
 * The whole work tree is writable in it, git dir and protected files included: the loop puts those back.
 */
export function openSbx(
  input: IsolationInput,
  run: RunSbx = sbxRunner(input.env),
  docker: RunSbx = sbxRunner(input.env, 'docker'),
): Isolation {
  const { root } = input.workspace;
  const client = sbxClient(run);
  const folder = `${root}/.ralph/state/inside`;
  let prefix = BY_ITSELF;

  return {
    name: 'sbx',
    coversGitDir: false,
    reach: 'spool',
    probe: () => probe(client, input, folder, docker),
    async prepare() {
      const { name } = await findSandbox(client, root);
      await refuseOpenPolicy(client, name);
      await permitHosts(client, name, input.policy.hosts);
      // What a run that was killed left at work would go on writing into the work tree.
      await endInside(client, name, OF_A_RUN);
      prefix = OF_A_RUN;
    },
    async wrap(command) {
      const name = sbxName(root);
      const mark = `${prefix}${randomBytes(8).toString('hex')}`;
      const status = `${folder}/exit-${mark}`;
      const globals = await client.globals();
      await makeDir(folder);
      return {
        ...wrapped(command, { globals, sandbox: name, root, mark, status, env: input.env }),
        async end() {
          await endInside(client, name, mark).catch(() => {});
          await remove(status).catch(() => {});
        },
      };
    },
    dispose: async () => {},
  };
}

async function probe(
  client: SbxClient,
  { workspace, policy }: IsolationInput,
  folder: string,
  docker: RunSbx,
): Promise<Probe> {
  try {
    const version = await client.version();
    await client.diagnose();
    const { name } = await findSandbox(client, workspace.root);
    await refuseOpenPolicy(client, name);
    await makeDir(folder);
    const claims = await tryClaims(client, name, folder, policy.hosts);
    if ((await list(folder)).length === 0) await remove(folder);
    const available = claims.every(({ held }) => held);
    const detail = `Docker Sandboxes, sbx ${version}, sandbox ${name}, ${policy.hosts.length} hosts`;
    return { available, detail, mend: available ? [] : [MAKE_ANEW], claims };
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const { what, why, mend = [] } = error.facts;
    const older = error.facts === NOT_INSTALLED && (await legacyIsThere(docker)) ? OLDER : undefined;
    const reason = older ?? why;
    return { available: false, detail: reason ? `${what} (${reason})` : what, mend, claims: [] };
  }
}
