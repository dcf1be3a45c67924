import { isAbsolute } from 'node:path';
import { messageOf } from '../../../contracts/index.ts';
import { processId, realPath, stat } from '../../../platform/index.ts';
import type { ContainerSettings, Env } from '../port.ts';
import type { ViewEntry } from '../view/entry.ts';
import { askEngine, currentUser, type Engine, type EngineName, labelsOf, ulimitFlags } from './engine.ts';
import { dockerFacts, type EngineFacts, podmanFacts, refuseAddress, SILENT } from './facts.ts';
import { containerEnvironment, renderView, runArguments } from './run-arguments.ts';
import { provideSkeleton } from './skeleton.ts';

const ENGINES: readonly EngineName[] = ['podman', 'docker'];

/** The engine that the settings name, or the first that works; otherwise why each one does not. */
export async function chooseEngine(wanted: ContainerSettings['engine'], env: Env): Promise<Engine | readonly string[]> {
  const reasons: string[] = [];
  for (const name of wanted === null ? ENGINES : [wanted]) {
    const found = await findEngine(name, env);
    if (typeof found !== 'string') return found;
    reasons.push(`${name}: ${found}`);
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

/** @returns a text when it does not work: why */
async function findEngine(name: EngineName, env: Env): Promise<Engine | string> {
  if (process.platform !== 'linux') {
    return 'containers run in a virtual machine here, which does not see the sockets of this one';
  }
  const facts = await (name === 'podman' ? askPodman(env) : askDocker(env));
  if (typeof facts === 'string') return facts;
  return facts.refusal ?? tryEngine({ name, ...facts }, env);
}

async function askPodman(env: Env): Promise<EngineFacts | string> {
  const remote = env['CONTAINER_HOST'] || env['CONTAINER_CONNECTION'];
  if (remote) return `CONTAINER_HOST or CONTAINER_CONNECTION names a remote service (${remote})`;
  const { exitCode, stdout, complaint } = await askEngine(client('podman'), ['info', '--format', 'json'], { env });
  return exitCode === 0 ? podmanFacts(stdout) : complaint;
}

async function askDocker(env: Env): Promise<EngineFacts | string> {
  const address = await dockerAddress(env);
  const refusal = refuseAddress(address);
  if (refusal !== null) return refusal;
  // It exits with 0 or 1 without a daemon, depending on the version; only the output is reliable.
  const { stdout, complaint } = await askEngine(client('docker'), ['info', '--format', '{{json .}}'], { env });
  try {
    const facts = dockerFacts(stdout);
    return facts.refusal === SILENT && complaint !== '' ? complaint : facts;
  } catch {
    return complaint || 'its client does not answer';
  }
}

/** DOCKER_HOST, or the address of the context in use; empty for the client's default. */
async function dockerAddress(env: Env): Promise<string> {
  const { DOCKER_HOST } = env;
  if (DOCKER_HOST) return isAbsolute(DOCKER_HOST) ? `unix://${DOCKER_HOST}` : DOCKER_HOST;
  const asked = ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'];
  const { exitCode, stdout } = await askEngine(client('docker'), asked, { env });
  return exitCode === 0 ? stdout.trim() : '';
}

function client(name: EngineName) {
  return { name, global: [] };
}

/** What engines report when this machine stands in their way, and what helps. */
const REMEDIES: readonly (readonly [said: RegExp, helps: string])[] = [
  [
    /newuidmap|newgidmap|subuid|subgid|insufficient (UIDs|GIDs)|not enough IDs/i,
    'give yourself a range of ids: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$USER"; podman system migrate',
  ],
  [
    /docker: .*(permission denied|connect: permission)/i,
    'only members of the docker group may use Docker, and they are as good as root; Podman and rootless Docker need no extra rights',
  ],
  [/docker: .*(cannot connect|does not answer|no answer)/i, 'start the daemon: sudo systemctl start docker'],
  [
    /cannot clone|userns|user namespaces?.*(denied|permitted|disabled)/i,
    'allow user namespaces: sudo sysctl user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1',
  ],
  [/CONTAINER_HOST|its daemon is at/, 'unset DOCKER_HOST and CONTAINER_HOST: the engine must run on this machine'],
];

/** Fixes for the reasons why engines do not work; none when only installing one helps. Pure. */
export function fixEngine(reasons: readonly string[]): readonly string[] {
  return REMEDIES.flatMap(([said, helps]) => (reasons.some((reason) => said.test(reason)) ? [helps] : []));
}

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];

/**
 * Tried one after the other until a container runs. The usual runtime, crun, fails to start on some systems where runc
 * works; a user without delegated control groups cannot create any.
 */
const WAYS: readonly { readonly global: readonly string[]; readonly run: readonly string[] }[] = [
  { global: [], run: [] },
  { global: ['--runtime', 'runc'], run: [] },
  { global: [], run: ['--cgroups', 'disabled'] },
  { global: ['--runtime', 'runc'], run: ['--cgroups', 'disabled'] },
];

/** Two engines are tried at once, and one of them more than once. */
let trials = 0;

const NO_LIMITS = { memory: false, processes: false, cpus: false };

/** The engine in the first way in which a container runs this machine's own programs; otherwise why none does. */
async function tryEngine(
  { refusal: _, ...found }: EngineFacts & Pick<Engine, 'name'>,
  env: Env,
): Promise<Engine | string> {
  const { name, limits } = found;
  const complaints: string[] = [];
  // The daemon chooses Docker's runtime, and always has control groups.
  for (const { global, run } of name === 'podman' ? WAYS : WAYS.slice(0, 1)) {
    const held = run.length > 0 ? NO_LIMITS : limits;
    const engine: Engine = { ...found, global, run, limits: held };
    const complaint = await complaintOf(engine, env);
    if (complaint === null) return engine;
    complaints.push(complaint);
  }
  return complaints[0] ?? 'no container runs';
}

async function complaintOf(engine: Engine, env: Env): Promise<string | null> {
  const { flags: mounts, skeleton } = renderView(await systemView(), { file: '', folder: '', memoryBytes: 0 }, []);
  const { flags: environment, client } = containerEnvironment({}, env);
  trials += 1;
  try {
    const args = runArguments({
      engine,
      name: `ralph-trial-${processId()}-${trials}`,
      labels: labelsOf('trial'),
      image: await provideSkeleton(engine, skeleton, env),
      hostPrograms: true,
      mounts,
      environment,
      cwd: '/',
      user: currentUser(),
      policy: { memoryBytes: 512 * 1024 * 1024, processes: 64, cpus: null },
      restrictions: await ulimitFlags(engine.name),
      file: '/bin/sh',
      args: ['-c', 'exit 0'],
    });
    const { exitCode, complaint } = await askEngine(engine, ['run', ...engine.piped, ...args], { env: client });
    return exitCode === 0 ? null : complaint || `a container ended with ${exitCode}`;
  } catch (error) {
    return messageOf(error);
  }
}

async function systemView(): Promise<readonly ViewEntry[]> {
  const entries = SYSTEM.map(async (at): Promise<readonly ViewEntry[]> => {
    const found = await stat(at);
    if (found?.kind === 'symlink') return [{ kind: 'link', at, target: await realPath(at) }];
    return found?.kind === 'dir' ? [{ kind: 'read', from: at, at }] : [];
  });
  return (await Promise.all(entries)).flat();
}
