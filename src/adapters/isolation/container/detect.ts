import { isAbsolute } from 'node:path';
import type { ContainerSettings } from '../port.ts';
import type { Found } from './engine.ts';
import { askEngine, type Engine, type EngineName, type Environment } from './engine.ts';
import { dockerFacts, type EngineFacts, podmanFacts, refuseAddress, SILENT } from './engine-info.ts';
import { tryEngine } from './trial.ts';

const ENGINES: readonly EngineName[] = ['podman', 'docker'];

/** The engine that the settings name, or the first that works; else why each does not. */
export async function chooseEngine(
  wanted: ContainerSettings['engine'],
  env: Environment,
): Promise<Engine | readonly string[]> {
  const reasons: string[] = [];
  for (const name of wanted === null ? ENGINES : [wanted]) {
    const found = await findEngine(name, env);
    if (!('why' in found)) return found;
    reasons.push(`${name}: ${found.why}`);
  }
  return reasons;
}

/** `podman 5.4.0, rootless, runtime runc`. */
export function describeEngine({ name, version, rootless, global, limits }: Engine): string {
  return [
    `${name} ${version}`,
    ...(rootless ? ['rootless'] : []),
    ...(global.length > 0 ? [`with ${global.join(' ')}`] : []),
    ...(limits.memory ? [] : ['memory is not limited']),
  ].join(', ');
}

async function findEngine(name: EngineName, env: Environment): Promise<Found> {
  const because = (why: string, version = '') => ({ name, version, why });
  if (process.platform !== 'linux') {
    return because('containers run in a virtual machine here, which does not see the sockets of this one');
  }
  const facts = await (name === 'podman' ? askPodman(env) : askDocker(env));
  if (typeof facts === 'string') return because(facts);
  if (facts.refusal !== null) return because(facts.refusal, facts.version);
  return tryEngine({ name, ...facts }, env);
}

async function askPodman(env: Environment): Promise<EngineFacts | string> {
  const remote = env['CONTAINER_HOST'] || env['CONTAINER_CONNECTION'];
  if (remote) return `CONTAINER_HOST or CONTAINER_CONNECTION names a remote service (${remote})`;
  const { exitCode, stdout, complaint } = await askEngine(client('podman'), ['info', '--format', 'json'], { env });
  return exitCode === 0 ? podmanFacts(stdout) : complaint;
}

async function askDocker(env: Environment): Promise<EngineFacts | string> {
  const address = await dockerAddress(env);
  const refusal = refuseAddress(address);
  if (refusal !== null) return refusal;
  // It ends with 0 or 1 when there is no daemon, by version; the answer tells.
  const { stdout, complaint } = await askEngine(client('docker'), ['info', '--format', '{{json .}}'], { env });
  try {
    const facts = dockerFacts(stdout);
    return facts.refusal === SILENT && complaint !== '' ? complaint : facts;
  } catch {
    return complaint || 'its client does not answer';
  }
}

/** DOCKER_HOST, or that of the context in use; empty for the default of the client. */
async function dockerAddress(env: Environment): Promise<string> {
  const { DOCKER_HOST } = env;
  if (DOCKER_HOST) return isAbsolute(DOCKER_HOST) ? `unix://${DOCKER_HOST}` : DOCKER_HOST;
  const asked = ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'];
  const { exitCode, stdout } = await askEngine(client('docker'), asked, { env });
  return exitCode === 0 ? stdout.trim() : '';
}

function client(name: EngineName) {
  return { name, global: [] };
}
