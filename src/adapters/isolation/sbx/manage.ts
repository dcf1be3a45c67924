import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { UnavailableError } from '../../../contracts/index.ts';
import { exists } from '../../../platform/index.ts';
import type { IsolationInput } from '../port.ts';
import {
  CREATE,
  MAKE_ANEW,
  NO_POLICY,
  type RunSbx,
  type Sandbox,
  type SbxClient,
  sbxClient,
  sbxRunner,
} from './client.ts';

/** Checks what a run needs inside; $0 is the work tree. Prints one line for each missing item. */
const LOOK_INSIDE = `git config --global --add safe.directory "$0"
for program in git node claude; do
  command -v "$program" >/dev/null || echo "$program is not in the sandbox"
done`;

/**
 * Creates the sandbox of a work tree; an existing one is fine. The first one on a machine takes minutes.
 * @param onLine receives progress messages for people. Must not throw.
 * @param denyAll the user agreed to make deny-all the policy of the whole machine, if it has none yet
 * @returns its name
 * @throws UnavailableError
 */
export async function createSbx(
  input: IsolationInput,
  onLine: (line: string) => void,
  { denyAll, run = sbxRunner(input.env) }: { readonly denyAll: boolean; readonly run?: RunSbx },
): Promise<string> {
  const { workspace, policy } = input;
  const name = sbxName(workspace.root);
  const client = sbxClient(run);
  await client.version();
  await client.diagnose();
  await closePolicy(client, denyAll, onLine);
  if ((await client.list()).some((sandbox) => sandbox.name === name)) {
    await findSandbox(client, workspace.root);
    onLine(`${name} already exists`);
  } else {
    onLine(`making ${name}`);
    const { memoryBytes, cpus } = policy;
    const [read, write] = await Promise.all([existing(policy.read), existing(policy.write)]);
    await client.create(name, { root: workspace.root, read, write, memoryBytes, cpus }, (chunk) =>
      chunk.toString('utf8').split('\n').filter(Boolean).forEach(onLine),
    );
  }
  await permitHosts(client, name, policy.hosts);
  const { stdout } = await client.script(name, LOOK_INSIDE, [workspace.root]);
  stdout.split('\n').filter(Boolean).forEach(onLine);
  return name;
}

/**
 * Removes the sandbox of a work tree with everything installed in it; false when there is none.
 * @throws UnavailableError
 */
export async function removeSbx(input: IsolationInput, run: RunSbx = sbxRunner(input.env)): Promise<boolean> {
  const client = sbxClient(run);
  const name = sbxName(input.workspace.root);
  if (!(await client.list()).some((sandbox) => sandbox.name === name)) return false;
  await client.remove(name);
  return true;
}

/** Deny-all applies to the whole machine, so it is set only with consent, and where no policy was chosen. */
async function closePolicy(client: SbxClient, denyAll: boolean, onLine: (line: string) => void): Promise<void> {
  try {
    return await refuseOpenPolicy(client, null);
  } catch (error) {
    if (!(error instanceof UnavailableError && error.facts.what === NO_POLICY) || !denyAll) throw error;
  }
  onLine('setting the network policy of this machine to deny-all');
  await client.denyAll();
  await refuseOpenPolicy(client, null);
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(paths.map(exists));
  return paths.filter((_, index) => there[index]);
}

/** Kept characters of the folder's own name, which identifies the sandbox in `sbx ls`. */
const SLUG_LENGTH = 24;

/**
 * Name of the sandbox of a work tree, always the same: `ralph-<folder>-<hash of its path>`. Letters, digits and `-`
 * only; sbx also accepts `.` and `+`, but no underscore.
 */
export function sbxName(root: string): string {
  const slug = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 8);
  return ['ralph', ...(slug === '' ? [] : [slug]), hash].join('-');
}

/**
 * The sandbox of a work tree. A stopped one counts: sbx starts it with the first command.
 * @throws UnavailableError when there is none, or when a sandbox with that name belongs to another folder
 */
export async function findSandbox(client: SbxClient, root: string): Promise<Sandbox> {
  const name = sbxName(root);
  const found = (await client.list()).find((sandbox) => sandbox.name === name);
  if (found === undefined) {
    throw new UnavailableError({
      what: 'there is no sandbox for this project',
      where: `sbx ls: ${name}`,
      fix: [CREATE],
    });
  }
  if (found.workspaces.length > 0 && !found.workspaces.some((path) => path.replace(/:r[ow]$/, '') === root)) {
    throw new UnavailableError({
      what: `the sandbox ${name} is for another folder`,
      where: found.workspaces.join(', '),
      fix: [MAKE_ANEW],
    });
  }
  return found;
}

/** This host can never exist (RFC 6761): only a policy that allows everything allows it. */
const UNKNOWN_HOST = 'ralph-asks-for-nothing.invalid';

/**
 * Refuses a policy that allows everything.
 * @param name of the sandbox; null checks the machine's policy
 * @throws UnavailableError
 */
export async function refuseOpenPolicy(client: SbxClient, name: string | null): Promise<void> {
  if ((await client.isAllowed(name, UNKNOWN_HOST)) === false) return;
  throw new UnavailableError({
    what: 'the network policy of sbx does not refuse unknown hosts',
    where: `sbx policy check network ${UNKNOWN_HOST}`,
    why: 'agents could send anything anywhere',
    fix: [`sbx policy reset, then ${CREATE} --yes, which sets deny-all for this machine`],
  });
}

/**
 * Allows hosts in one sandbox, and has sbx confirm it.
 * @param hosts as in `Policy.hosts`
 * @throws UnavailableError naming the first that is still refused: a rule of the organisation overrides this one
 */
export async function permitHosts(client: SbxClient, name: string, hosts: readonly string[]): Promise<void> {
  for (const host of hosts) {
    // sbx cannot check a pattern, but it can check one matching host.
    const example = host.replace(/^\*/, 'any');
    if ((await client.isAllowed(name, example)) === true) continue;
    await client.allow(name, host);
    if ((await client.isAllowed(name, example)) !== false) continue;
    throw new UnavailableError({
      what: `sbx refuses ${host} although it was allowed`,
      where: `sbx policy check network --sandbox ${name} ${example}`,
      why: 'a rule that denies it, or one of your organisation, comes first',
      fix: ['sbx policy ls', 'remove it from isolation.allowHosts'],
    });
  }
}
