import { hostName, processExists, processId } from '../../../platform/process/process-facts.ts';
import { askEngine, type Engine, type Environment } from './engine.ts';

/** Labels of every container of ours: which process started it, and for which run. */
const OWNER = 'ralph-loop.owner';
const RUN = 'ralph-loop.run';

/** The labels of a container that this process starts. */
export function labelsOf(run: string): Readonly<Record<string, string>> {
  return { [OWNER]: `${processId()}@${hostName()}`, [RUN]: run };
}

/** Removes containers of which the process that started them is gone, killed for instance. Never rejects. */
export async function removeLeftovers(engine: Engine, env: Environment): Promise<void> {
  const format = `{{.ID}} {{index .Labels "${OWNER}"}}`;
  const listed = ['ps', '--all', '--no-trunc', '--filter', `label=${OWNER}`, '--format', format];
  const { stdout } = await askEngine(engine, engine.name === 'podman' ? listed : dockerListing(listed), { env });
  const left = stdout.split('\n').flatMap((line) => {
    const [id = '', owner = ''] = line.trim().split(' ');
    return id !== '' && isGone(owner) ? [id] : [];
  });
  if (left.length > 0) await removeContainers(engine, left, env);
}

/** Ends and removes containers, at once; fine when they are not there. Never rejects. */
export async function removeContainers(engine: Engine, names: readonly string[], env: Environment): Promise<void> {
  const ways = engine.name === 'podman' ? ['--ignore', '--time', '0'] : [];
  await askEngine(engine, ['rm', '--force', '--volumes', ...ways, ...names], { env });
}

/** Docker's table knows a label by a function of its own. */
function dockerListing(listed: readonly string[]): readonly string[] {
  return [...listed.slice(0, -1), `{{.ID}} {{.Label "${OWNER}"}}`];
}

/** Only of this machine: in a container that shares the engine with its host, other ids count. */
function isGone(owner: string): boolean {
  const [pid = '', ...host] = owner.split('@');
  return /^\d+$/.test(pid) && host.join('@') === hostName() && !processExists(Number(pid));
}
