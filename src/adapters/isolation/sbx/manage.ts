import { UnavailableError } from '../../../contracts/errors.ts';
import { exists } from '../../../platform/files/files.ts';
import type { IsolationInput } from '../port.ts';
import type { Sandbox } from './answers.ts';
import { type SbxClient, sbxClient } from './client.ts';
import { NO_POLICY } from './failure.ts';
import { findSandbox } from './find.ts';
import { sbxName } from './name.ts';
import { permitHosts, refuseOpenPolicy } from './policy.ts';
import { type RunSbx, sbxRunner } from './runner.ts';

export interface CreateSbxOptions {
  /** The person agreed that the policy of the whole machine becomes deny-all, where it has none yet. */
  readonly denyAll: boolean;
  readonly run?: RunSbx;
}

/** How a work tree stands with sbx. */
export interface SbxStatus {
  readonly name: string;
  readonly version: string;
  /** Null when none was made. */
  readonly sandbox: Sandbox | null;
}

/** What a run needs inside; $0 is the work tree. Prints one line for each that is missing. */
const LOOK_INSIDE = `git config --global --add safe.directory "$0"
for program in git node claude; do
  command -v "$program" >/dev/null || echo "$program is not in the sandbox"
done`;

/**
 * Makes the sandbox of a work tree; fine when it is there. The first one of a machine takes minutes.
 * @param onLine what happens, for people. Must not throw.
 * @returns its name
 * @throws UnavailableError
 */
export async function createSbx(
  input: IsolationInput,
  onLine: (line: string) => void,
  { denyAll, run = sbxRunner(input.env) }: CreateSbxOptions,
): Promise<string> {
  const { workspace, policy } = input;
  const name = sbxName(workspace.root);
  const client = sbxClient(run);
  await client.version();
  await client.diagnose();
  await closePolicy(client, denyAll, onLine);
  if ((await client.list()).some((sandbox) => sandbox.name === name)) {
    await findSandbox(client, workspace.root);
    onLine(`${name} is there already`);
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

/** Removes the sandbox of a work tree with everything that was installed in it; false when there is none. @throws UnavailableError */
export async function removeSbx(input: IsolationInput, run: RunSbx = sbxRunner(input.env)): Promise<boolean> {
  const client = sbxClient(run);
  const name = sbxName(input.workspace.root);
  if (!(await client.list()).some((sandbox) => sandbox.name === name)) return false;
  await client.remove(name);
  return true;
}

/** @throws UnavailableError when sbx cannot be asked */
export async function sbxStatus(input: IsolationInput, run: RunSbx = sbxRunner(input.env)): Promise<SbxStatus> {
  const client = sbxClient(run);
  const name = sbxName(input.workspace.root);
  const version = await client.version();
  const sandbox = (await client.list()).find((one) => one.name === name) ?? null;
  return { name, version, sandbox };
}

/** Deny-all is a setting of the whole machine, so it is made where nobody chose otherwise, and with consent. */
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
