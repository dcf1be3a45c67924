import { type AgentAdapter, envOf, lendersOf } from '../adapters/agents/index.ts';
import type { Git } from '../adapters/git/index.ts';
import type { EffectivePolicy, Granted, Isolation, OpenHome, Policy } from '../adapters/isolation/index.ts';
import { once, type RoomPlace, type Workspace } from '../adapters/workspace/index.ts';
import { type Config, type Env, type EventBody, messageOf } from '../contracts/index.ts';
import { insideWorkspace, type RoomPort } from '../loop/index.ts';

type Notice = Omit<Extract<EventBody, { type: 'notice' }>, 'type'>;

interface IsolateInput {
  /** Of the work tree. null: no checks will run. */
  readonly git: Pick<Git, 'repo' | 'objectFolders'> | null;
  /** Name of a clean room beside the one for the work tree's runs. */
  readonly room?: string;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly env: Env;
  readonly agents: readonly AgentAdapter[];
  /** `--sandbox` or `--no-sandbox` was given. */
  readonly asked: boolean;
}

type InsidePolicy = Awaited<ReturnType<typeof insidePolicy>>;

/** An agent with its own variables, and with the providers that lend it their keys. */
export async function withProviders(agent: AgentAdapter, env: Env, config: Config) {
  const own = envOf(env, config, agent.name);
  return { ...agent, own, providers: await lendersOf(agent, own, config) };
}

/** The policy of a run: what settings, agents and the project's package registries ask for. */
export async function insidePolicy({ workspace, config, env, agents }: IsolateInput, openHome: OpenHome) {
  const { isolationInput, readRegistryFiles } = await import('../adapters/isolation/policy.ts');
  const { registryHosts } = await import('../rules/isolation/registries.ts');
  const { isolation: settings } = config;
  const { known, own, local } = settings.registries
    ? registryHosts(await once(workspace.root, 'registries', () => readRegistryFiles(workspace.root)), env)
    : { known: [], own: [], local: [] };
  // A variable is set by the user; a project file may be written by an agent.
  const said = (from: string) => env[from] !== undefined;
  const registries: readonly Granted<string>[] = [
    ...known.map(({ host, ecosystem }) => ({ grant: host, from: `registry ${ecosystem}` })),
    ...own.filter(({ from }) => said(from)).map(({ host, from }) => ({ grant: host, from })),
    ...local.filter(({ from }) => said(from)).map(({ port, from }) => ({ grant: `localhost:${port}`, from })),
  ];
  const policy = isolationInput({
    ...{ settings, env, registries, openHome },
    agents: [
      ...(await Promise.all(agents.map((agent) => withProviders(agent, env, config)))),
      ...agents.flatMap(({ inside }) => inside.remotes ?? []),
    ],
    workspace: insideWorkspace(workspace),
  });
  /** Named by project files and not well-known public ones: a file alone does not allow them. */
  const unknownRegistries = own.filter(({ from }) => !said(from));
  return { policy, unknownRegistries };
}

interface Isolated {
  readonly isolation: Isolation;
  /** The same for checks and commit hooks, without logins in their home folders. */
  readonly checksIsolation: Isolation;
  /** Where checks run; null: in the work tree. */
  readonly room: RoomPort | null;
  /** Better isolating backends, and why they were not chosen. */
  readonly isolationInstead: readonly string[];
  readonly notices: readonly Notice[];
  /** Lines for `info/exclude`: what the isolation puts into the work tree. */
  readonly planted: readonly string[];
}

/**
 * Chooses the isolation of a run, and reads what goes into its agents' home folders.
 * @throws UnavailableError where one is required and none is available
 */
export async function isolate(input: IsolateInput): Promise<Isolated> {
  const { config, env, agents, asked } = input;
  const { BACKENDS, chooseIsolation } = await import('../adapters/isolation/choose.ts');
  const { lazyHomes } = await import('../adapters/isolation/home/open.ts');
  // A login beside a key that stays outside would be a second one that does not.
  const needs = await Promise.all(
    agents.map(async (agent) => {
      const lenders = await lendersOf(agent, envOf(env, config, agent.name), config);
      return lenders.some(({ hosts }) => hosts === undefined) ? { ...agent.inside, logins: [] } : agent.inside;
    }),
  );
  const homes = lazyHomes({ env, needs });
  const { policy, unknownRegistries } = await insidePolicy(input, homes.open);
  const chosen = await chooseIsolation(config.isolation, policy.input, { sandboxFlag: asked });
  const { isolation, instead: isolationInstead, loud, quiet, fix } = chosen;
  if (isolation.name === 'none') {
    const notice = loud === null ? quiet : loud;
    const level = loud === null ? 'info' : 'warning';
    const ways = fix.length > 0 ? { fix: fix.join('; or ') } : {};
    const planted = config.agents.claude.bashSandbox ? await ghostFiles() : [];
    const room = await openRoom(input, async () => isolation);
    return {
      isolation,
      checksIsolation: isolation,
      room: room.port,
      isolationInstead,
      planted,
      notices: [...(notice === null ? [] : [{ level, text: notice, ...ways } as const]), ...room.notices],
    };
  }
  const planted = isolation.name === 'srt' ? await ghostFiles() : [];
  // A virtual machine has one home folder for all.
  const one = isolation.name === 'sbx';
  const leftOut = one ? [] : (await homes.prepare()).notices.map((text): Notice => ({ level: 'info', text }));
  const { name } = isolation;
  const ofChecks = { ...policy.input, policy: withoutAgents(policy), openHome: lazyHomes({ env, needs: [] }).open };
  const inRoom = (room: RoomPlace, objects: readonly string[]): Promise<Isolation> => {
    const { read, write } = ofChecks.policy;
    const more = { ...ofChecks.policy, read: [...read, ...objects], write: [...write, room.deps] };
    const workspace = { root: room.folder, readOnly: [], writable: [] };
    return BACKENDS[name]({ ...ofChecks, workspace, policy: more });
  };
  const room = one ? NO_ROOM : await openRoom(input, inRoom);
  return {
    isolation,
    checksIsolation: one ? isolation : await BACKENDS[isolation.name](ofChecks),
    room: room.port,
    isolationInstead,
    planted,
    notices: [
      ...leftOut,
      ...room.notices,
      ...(await networkNotices(input, policy)),
      ...registryNotices(unknownRegistries),
    ],
  };
}

/** What checks, set-up and commit hooks may reach: nothing that only an agent needs. */
function withoutAgents({ input, hosts, localPorts }: EffectivePolicy): Policy {
  const ours = <T>(granted: readonly Granted<T>[]) =>
    granted.filter(({ from }) => !from.startsWith('agent ')).map(({ grant }) => grant);
  const { lending: _, ...policy } = input.policy;
  return { ...policy, hosts: ours(hosts), localPorts: ours(localPorts) };
}

const NO_ROOM = { port: null, notices: [] };

/**
 * The clean room of a work tree. When no folder is available for it, checks run in the work tree, and the run reports
 * that.
 */
async function openRoom(
  { git, room, config, env }: IsolateInput,
  isolationOf: (place: RoomPlace, objects: readonly string[]) => Promise<Isolation>,
): Promise<{ readonly port: RoomPort | null; readonly notices: readonly Notice[] }> {
  if (git === null || config.checks.where === 'tree') return NO_ROOM;
  const { makeRoomPlace } = await import('../adapters/workspace/rooms.ts');
  const place = await makeRoomPlace(env, git.repo, room).catch(messageOf);
  if (typeof place === 'string') {
    const text = `CHECKED IN THE AGENT'S TREE: the clean room cannot be made, because of ${place}.`;
    return { port: null, notices: [{ level: 'warning', text, fix: 'set XDG_CACHE_HOME to a folder you may write' }] };
  }
  return { port: { place, isolation: await isolationOf(place, await git.objectFolders()) }, notices: [] };
}

/** One line about hosts that are reachable now and were not in the last run. */
async function networkNotices(
  { env, workspace }: IsolateInput,
  { hosts }: EffectivePolicy,
): Promise<readonly Notice[]> {
  const { newHosts } = await import('../adapters/workspace/records/state-home.ts');
  const added = await newHosts(
    env,
    workspace.root,
    hosts.map(({ grant }) => grant),
  );
  const asked = hosts.filter(({ grant }) => added.includes(grant)).map(({ grant, from }) => `${grant} (${from})`);
  if (asked.length === 0) return [];
  return [{ level: 'info', text: `Newly reachable since the last run: ${asked.join(', ')}.` }];
}

/** Files of srt, and of the client's own sandbox, which is built on it. */
async function ghostFiles(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  return (await import('../adapters/isolation/srt/settings.ts')).GHOST_FILES;
}

function registryNotices(unknown: InsidePolicy['unknownRegistries']): readonly Notice[] {
  return unknown.map(({ host, from }) => ({
    level: 'info',
    text: `${from} names the registry ${host}, which is not reachable inside: ralph does not allow hosts from a file that agents can change.`,
    fix: `if it is your registry: "isolation": { "allowHosts": ["${host}"] } in ralph.config.json`,
  }));
}
