import { type Config, ConfigError, type Env, ownValue } from '../../contracts/index.ts';
import { knowEnvironment, knowSecrets } from '../../platform/index.ts';
import { nearest } from '../../rules/text/index.ts';
import { settingsOf } from './environment.ts';
import type { AgentAdapter, McpServer, ProjectFile } from './port.ts';
import { asArray, asObject, asText } from './wire.ts';

/** A definition, and the file that holds it: as Claude Code's own files have them. */
interface Defined {
  readonly from: string;
  readonly definition: unknown;
}

/**
 * The servers that `agents.NAME.mcp` names, with the person's variables in place of `${VAR}` and `${VAR:-default}`.
 * @param found every server that could be named
 * @throws ConfigError for one that is not there, or cannot be used
 */
export function serversFor(
  agent: string,
  names: readonly string[],
  found: Readonly<Record<string, Defined>>,
  env: Env,
): readonly McpServer[] {
  return [...new Set(names)].map((name) => {
    const where = `agents.${agent}.mcp`;
    const defined = ownValue(found, name);
    if (defined === undefined) throw unknownServer(name, where, found);
    const problem = (why: string, fix: readonly string[]) =>
      new ConfigError({
        what: `the MCP server '${name}' cannot be used`,
        where: `${where}; ${defined.from}`,
        why,
        fix,
      });
    const missing = new Set<string>();
    const server = serverIn(name, defined.definition, (text) => expanded(text, env, missing));
    if (server === null) {
      throw problem('it has neither a program nor an address', [
        'give it a "command", or a "url" with "type": "http" or "sse"',
      ]);
    }
    if (missing.size > 0) {
      const [first = ''] = missing;
      const fix = [`export ${first}=…`, `or give a default in ${defined.from}: \${${first}:-…}`];
      throw problem(`it names variables that are not set: ${[...missing].join(', ')}`, fix);
    }
    knowEnvironment(server.type === 'stdio' ? server.env : {});
    const values = server.type === 'stdio' ? [] : Object.values(server.headers);
    knowSecrets(values.flatMap((value) => [value, value.split(' ').at(-1) ?? '']));
    return server;
  });
}

function unknownServer(name: string, where: string, found: Readonly<Record<string, Defined>>): ConfigError {
  const names = Object.keys(found);
  const near = nearest(name, names);
  const known = Object.entries(found).map(([other, { from }]) => `${other} (${from})`);
  return new ConfigError({
    what: `there is no MCP server '${name}'`,
    where,
    fix: [
      ...(near === null ? [] : [`did you mean '${near}'?`]),
      known.length > 0
        ? `servers: ${known.join(', ')}`
        : 'there are none: define it in .mcp.json, or with `claude mcp add`',
    ],
  });
}

function expanded(text: string, env: Env, missing: Set<string>): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
    const value = env[name] ?? otherwise;
    if (value === undefined) missing.add(name);
    return value ?? whole;
  });
}

function serverIn(name: string, definition: unknown, expand: (text: string) => string): McpServer | null {
  const { type = 'stdio', command, args, env, url, headers } = asObject(definition) ?? {};
  const textsIn = (group: unknown) =>
    Object.fromEntries(Object.entries(asObject(group) ?? {}).map(([key, value]) => [key, expand(String(value))]));
  const program = asText(command);
  if (type === 'stdio' && program !== null) {
    const words = asArray(args).map((word) => expand(String(word)));
    return { name, type, command: expand(program), args: words, env: textsIn(env) };
  }
  const address = expand(asText(url) ?? '');
  const isWeb = /^https?:/.test(URL.canParse(address) ? new URL(address).protocol : '');
  if ((type !== 'http' && type !== 'sse') || !isWeb) return null;
  return { name, type, url: address, headers: textsIn(headers) };
}

/**
 * The agent with these servers and files. What a remote server needs is granted as that of a model provider is: its own
 * host, or where the isolation can keep credentials outside, a stand-in for each header and the way to that host alone.
 */
export function equipped(
  agent: AgentAdapter,
  { servers, skills }: { readonly servers: readonly McpServer[]; readonly skills: readonly ProjectFile[] },
): AgentAdapter {
  if (servers.length === 0 && skills.length === 0) return agent;
  const remotes = servers.flatMap((server, at) => {
    if (server.type === 'stdio') return [];
    const { origin, host } = new URL(server.url);
    const own = Object.fromEntries(Object.values(server.headers).map((value, k) => [headerName(at, k), value]));
    const secrets = Object.fromEntries(Object.keys(own).map((variable) => [variable, '']));
    const providers = [{ address: addressName(at), base: origin, secrets }];
    return [{ name: `${agent.name} mcp ${server.name}`, own, inside: { hosts: () => [host] }, providers }];
  });
  return {
    ...agent,
    inside: { ...agent.inside, remotes },
    command: (task) => {
      const given = servers.map((server, at) => withStandIns(server, at, task.env));
      return agent.command({ ...task, servers: given, skills });
    },
  };
}

/** The variables by which the isolation lends what a remote server needs. */
const addressName = (at: number) => `RALPH_MCP_${at}`;
const headerName = (at: number, header: number) => `${addressName(at)}_${header}`;

function withStandIns(server: McpServer, at: number, env: Env): McpServer {
  const lent = server.type === 'stdio' ? undefined : env[addressName(at)];
  if (server.type === 'stdio' || lent === undefined) return server;
  const headers = Object.keys(server.headers).map((name, k) => [name, env[headerName(at, k)] ?? '']);
  const { pathname, search } = new URL(server.url);
  return { ...server, url: `${lent}${pathname}${search}`, headers: Object.fromEntries(headers) };
}

/** What the settings of an agent ask for; agents whose client cannot be told of it have no such setting. */
export function toolsAskedFor(
  config: Pick<Config, 'agents'>,
  name: string,
): { readonly mcp: readonly string[]; readonly skills: boolean } {
  return { mcp: [], skills: false, ...settingsOf(config, name) };
}
