import { ConfigError, type Env, isObject, jsonObject } from '../../../contracts/index.ts';
import { list, readInside, readText, stat, workTreesAround } from '../../../platform/index.ts';
import { type Asked, SERVER } from '../../../rules/trust/index.ts';
import { valueAt } from './settings.ts';
import { askedOf, once, pluginEntries } from './trust.ts';

/** The definition of an MCP server, as it is in the file. */
interface DefinedServer {
  /** `.mcp.json`, or the path of the person's own file. */
  readonly from: string;
  readonly definition: unknown;
}

type Servers = Readonly<Record<string, DefinedServer>>;

export const SERVERS_FILE = '.mcp.json';
/** More than people define by hand. */
const MOST_BYTES = 1024 * 1024;
/** Of skills and sub-agents. */
const MOST_FILES = 1000;
const TOO_MANY = { bytes: null, why: `is one file more than ${MOST_FILES}` } as const;

/**
 * Every MCP server that a run may name, as Claude Code finds them: the person's own for this project, those of the
 * project, the person's own for all projects. Read once for a run. @throws ConfigError where `.mcp.json` cannot be read
 */
export function findServers(root: string, env: Env): Promise<Servers> {
  return once(root, 'MCP servers', async () => {
    const file = `${env['CLAUDE_CONFIG_DIR'] || env['HOME']}/.claude.json`;
    const own = jsonObject((await readText(file).catch(() => null)) ?? '');
    // A linked work tree has the servers of the repository's main one.
    const here = workTreesAround(root)
      .slice(0, 2)
      .map((tree) => serversIn(valueAt(own, ['projects', tree]), file));
    return { ...serversIn(own, file), ...(await ofProject(root)), ...here[1], ...here[0] };
  });
}

async function ofProject(root: string): Promise<Servers> {
  const found = await readInside(root, SERVERS_FILE, MOST_BYTES);
  if (found.bytes === null && found.why === null) return {};
  const content = jsonObject(found.bytes?.toString('utf8') ?? '');
  if (content !== null) return serversIn(content, SERVERS_FILE);
  throw new ConfigError({
    what: `${SERVERS_FILE} cannot be used`,
    where: root,
    why: found.bytes === null ? `the file ${found.why}` : 'it is not JSON',
    fix: [`correct it, or name no MCP server in the settings of agents`],
  });
}

function serversIn(content: unknown, from: string): Servers {
  const servers = valueAt(content, ['mcpServers']);
  if (!isObject(servers)) return {};
  return Object.fromEntries(Object.entries(servers).map(([name, definition]) => [name, { from, definition }]));
}

interface Skills {
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array; readonly executable: boolean }[];
  /** What was left out, and why: `.claude/skills/a/huge.bin is larger than 1 MB`. */
  readonly leftOut: readonly string[];
}

/** The project's skills and sub-agents, without links that lead elsewhere. Read once for a run. */
export function findSkills(root: string): Promise<Skills> {
  return once(root, 'skills', async () => {
    const files: Skills['files'][number][] = [];
    const leftOut: string[] = [];
    const queue = ['.claude/skills', '.claude/agents'];
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const found = await stat(`${root}/${path}`);
      if (found?.kind === 'dir') queue.push(...(await list(`${root}/${path}`)).map((name) => `${path}/${name}`));
      else if (found !== null) {
        const read = files.length < MOST_FILES ? await readInside(root, path, MOST_BYTES) : TOO_MANY;
        if (read.bytes === null) leftOut.push(`${path} ${read.why ?? 'is gone'}`);
        else files.push({ path, bytes: read.bytes, executable: found.kind === 'file' && (found.mode & 0o111) !== 0 });
      }
    }
    return { files, leftOut };
  });
}

/**
 * Everything that needs trust in a configuration: also the project's MCP servers that it names, or the environment.
 * @param isCode its settings are trusted with its code
 */
export async function askedIn(
  root: string,
  env: Env,
  values: Readonly<Record<string, unknown>>,
  isCode: boolean,
): Promise<Asked> {
  const asked = await askedOf(root, isCode ? null : values, await pluginEntries(root, values));
  const names = [...namesIn(values), ...namesInEnvironment(env)];
  if (names.length === 0) return asked;
  const found = Object.entries(await findServers(root, env)).filter(
    ([name, { from }]) => from === SERVERS_FILE && names.includes(name),
  );
  return {
    ...asked,
    ...Object.fromEntries(found.map(([name, { definition }]) => [SERVER + name, JSON.stringify(definition)])),
  };
}

function namesIn({ agents }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Object.values(isObject(agents) ? agents : {}).flatMap((agent) => valueAt(agent, ['mcp']) ?? []);
}

/** In any form that the setting can have there. */
function namesInEnvironment(env: Env): readonly string[] {
  const given = Object.entries(env).filter(([name]) => /^RALPH_AGENTS_[A-Z]+_MCP$/.test(name));
  return given.flatMap(([, value]) => value?.match(/[\w-]+/g) ?? []);
}
