// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the servers' files.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testAgents, testConfig, testTask } from '../../../test/support/agent-task.ts';
import { describeError } from '../../contracts/index.ts';
import { forgetSecret, REDACTED, withoutSecrets } from '../../platform/index.ts';
import { lend } from '../isolation/lend.ts';
import { claude } from './claude/adapter.ts';
import { codex } from './codex/adapter.ts';
import { copilot } from './copilot/adapter.ts';
import { equipped, serversFor } from './equip.ts';
import { opencode } from './opencode/adapter.ts';
import type { AgentAdapter, AgentTask } from './port.ts';

const defined = (definition: unknown) => ({ from: '.mcp.json', definition });
const one = (definition: unknown, env = {}) => serversFor('claude', ['one'], { one: defined(definition) }, env)[0];
const messageOf = (run: () => unknown): string => {
  try {
    return JSON.stringify(run());
  } catch (error) {
    return describeError(error);
  }
};

describe('a server that the settings name', () => {
  test('gets variables and their defaults wherever Claude Code puts them', () => {
    const program = { command: '${BIN:-npx}', args: ['a', '${X}/b'], env: { KEY: '${KEY}', EMPTY: '${EMPTY:-no}' } };
    expect(one(program, { X: 'x', KEY: 'k', EMPTY: '' })).toEqual({
      ...{ name: 'one', type: 'stdio', command: 'npx', args: ['a', 'x/b'], env: { KEY: 'k', EMPTY: '' } },
    });
    const address = { type: 'http', url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${KEY}' } };
    expect(one(address, { HOST: 'mcp.example', KEY: 'k' })).toEqual({
      ...{ name: 'one', type: 'http', url: 'https://mcp.example/mcp', headers: { Authorization: 'Bearer k' } },
    });
  });

  test('brings no secret to any output', () => {
    const token = 'token-of-a-remote-server-1';
    one({ type: 'sse', url: 'https://mcp.example', headers: { X: 'Bearer ${T}' } }, { T: token });
    expect(withoutSecrets(`it is ${token}`)).toBe(`it is ${REDACTED}`);
    for (const value of [token, `Bearer ${token}`]) forgetSecret(value);
  });

  test('is refused with what helps when it is not there, or cannot be used', () => {
    const found = {
      playwright: defined({ command: 'npx' }),
      github: { from: '/home/una/.claude.json', definition: {} },
    };
    expect(messageOf(() => serversFor('codex', ['playwrigth'], found, {}))).toMatchInlineSnapshot(`
      "Error: there is no MCP server 'playwrigth'
        where: agents.codex.mcp
        fix:   did you mean 'playwright'?
        fix:   servers: playwright (.mcp.json), github (/home/una/.claude.json)"
    `);
    expect(messageOf(() => serversFor('codex', ['x'], {}, {}))).toMatchInlineSnapshot(`
      "Error: there is no MCP server 'x'
        where: agents.codex.mcp
        fix:   there are none: define it in .mcp.json, or with \`claude mcp add\`"
    `);
    expect(messageOf(() => one({ command: 'x', args: ['${NOT_SET}'] }))).toMatchInlineSnapshot(`
      "Error: the MCP server 'one' cannot be used
        where: agents.claude.mcp; .mcp.json
        why:   it names variables that are not set: NOT_SET
        fix:   export NOT_SET=…
        fix:   or give a default in .mcp.json: \${NOT_SET:-…}"
    `);
    expect(messageOf(() => one({ type: 'ws', url: 'wss://x' }))).toContain('neither a program nor an address');
    expect(messageOf(() => one({ type: 'http', url: 'file:///etc/passwd' }))).toContain('neither a program nor');
    expect(messageOf(() => one('text'))).toContain('neither a program nor an address');
  });
});

const SECRET = 'secret-of-the-server';
const SERVERS = serversFor(
  'claude',
  ['local', 'afar'],
  {
    local: defined({ command: 'node', args: ['server.js'], env: { LOCAL_KEY: SECRET } }),
    afar: defined({ type: 'http', url: 'https://mcp.example:8443/mcp?a=1', headers: { 'X-Key': SECRET } }),
  },
  {},
);
const SKILLS = [{ path: '.claude/skills/deploy/run.sh', bytes: Buffer.from('echo'), executable: true }];

let tempDir: string;
beforeEach(async () => {
  tempDir = await mkdtemp(join(tmpdir(), 'ralph-equip-'));
});
afterEach(() => rm(tempDir, { recursive: true }));

const commandOf = (agent: AgentAdapter, env: Record<string, string> = {}, rest: Partial<AgentTask> = {}) =>
  equipped(agent, { servers: SERVERS, skills: SKILLS }).command(
    testTask({ cwd: '/project', tempDir, ...rest, env: { IS_SANDBOX: '1', ...env } }),
  );

describe('the command line', () => {
  test('of claude names a private file, the tools that it allows, and the skills as they were', async () => {
    const config = testConfig({ agents: testAgents({ claude: { allowedTools: ['Bash'] } }) });
    const { args } = await commandOf(claude, {}, { config });
    const file = join(tempDir, 'mcp.json');
    expect(args.join(' ')).toContain(`--strict-mcp-config --mcp-config ${file} --plugin-dir ${tempDir}/project`);
    expect(args.join(' ')).toContain('--allowedTools Bash mcp__local mcp__afar');
    expect(args.join(' ')).not.toContain(SECRET);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8')).mcpServers).toMatchObject({
      local: { type: 'stdio', command: 'node', args: ['server.js'], env: { LOCAL_KEY: SECRET }, alwaysLoad: true },
      afar: { type: 'http', url: 'https://mcp.example:8443/mcp?a=1', headers: { 'X-Key': SECRET } },
    });
    expect((await stat(join(tempDir, 'project/skills/deploy/run.sh'))).mode & 0o777).toBe(0o700);
  });

  test('of codex names variables', async () => {
    const { args, env } = await commandOf(codex);
    expect(args.filter((arg) => arg.startsWith('mcp_servers'))).toEqual([
      'mcp_servers.local={command="node",args=["server.js"],env_vars=["LOCAL_KEY"]}',
      'mcp_servers.afar={url="https://mcp.example:8443/mcp?a=1",env_http_headers={"X-Key"="RALPH_MCP_1_0"}}',
    ]);
    expect(env).toMatchObject({ LOCAL_KEY: SECRET, RALPH_MCP_1_0: SECRET });
  });

  test('of opencode leaves them to its settings, and that of copilot to a private file', async () => {
    const { env } = await commandOf(opencode);
    expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '').mcp).toMatchObject({
      local: { type: 'local', command: ['node', 'server.js'], environment: { LOCAL_KEY: SECRET } },
      afar: { type: 'remote', url: 'https://mcp.example:8443/mcp?a=1', headers: { 'X-Key': SECRET } },
    });
    const { args } = await commandOf(copilot);
    expect(args.join(' ')).toContain(`--additional-mcp-config @${tempDir}/mcp.json`);
    expect(await readFile(join(tempDir, 'mcp.json'), 'utf8')).toContain(SECRET);
  });
});

test('a remote server is granted its own host, and lent its headers where the isolation keeps them outside', async () => {
  const [remote, ...others] = equipped(claude, { servers: SERVERS, skills: [] }).inside.remotes ?? [];
  expect(others).toEqual([]);
  expect(remote?.inside.hosts({})).toEqual(['mcp.example:8443']);
  const [lent] = remote?.providers.map((provider) => lend(remote.name, provider, remote.own)) ?? [];
  expect(lent).toMatchObject({ agent: 'claude mcp afar', base: 'https://mcp.example:8443' });
  const { env } = await commandOf(codex, { ...lent?.variables });
  expect(JSON.stringify({ ...env, LOCAL_KEY: '' })).not.toContain(SECRET);
  await commandOf(claude, { ...lent?.variables });
  const { afar } = JSON.parse(await readFile(join(tempDir, 'mcp.json'), 'utf8')).mcpServers;
  expect(afar.url).toBe('http://127.0.0.1:3129/mcp?a=1');
  expect(afar.headers).toEqual({ 'X-Key': lent?.credentials[0]?.standIn });
});
