import { describe, expect, it, test } from 'vitest';
import { testConfig } from '../../../test/support/agent-task.ts';
import { AGENT_PROGRAMS } from '../../contracts/index.ts';
import { makeTempDir, remove, writeAtomic } from '../../platform/index.ts';
import { command } from './command/adapter.ts';
import { lendersOf } from './environment.ts';
import { AGENT_NAMES, agentByName } from './registry.ts';

type Env = Readonly<Record<string, string>>;
const hosts = async (agent: string, env: Env = {}) => (await agentByName(agent)).inside.hosts(env);

describe.each(AGENT_NAMES)('what %s needs inside', (name) => {
  it('is said in host patterns', async () => {
    const env = {
      AWS_REGION: 'eu-west-1',
      ANTHROPIC_BASE_URL: 'https://gateway.example/v1',
      OPENAI_BASE_URL: 'junk :',
    };
    for (const host of await hosts(name, env)) expect(host).toMatch(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/);
  });

  it('never takes a login along', async () => {
    const { config, seeds } = (await agentByName(name)).inside;
    const named = [...(config?.copied ?? []), ...Object.keys(seeds)];
    expect(named.join()).not.toMatch(/credential|oauth|auth\.json|token|sessions?|history/i);
    for (const text of Object.values(seeds)) expect(text).toBe('{}');
    for (const path of named) expect(path).not.toMatch(/^\/|\.\./);
  });
});

describe('hosts', () => {
  it('are those of the service that the person chose for claude', async () => {
    expect(await hosts('claude')).toEqual(['api.anthropic.com', 'platform.claude.com']);
    const bedrock = await hosts('claude', { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'eu-west-1' });
    expect(bedrock).toContain('bedrock-runtime.eu-west-1.amazonaws.com');
    expect(bedrock).not.toContain('api.anthropic.com');
    const vertex = await hosts('claude', { CLAUDE_CODE_USE_VERTEX: 'true', CLOUD_ML_REGION: 'europe-west1' });
    expect(vertex).toContain('europe-west1-aiplatform.googleapis.com');
    expect(await hosts('claude', { CLAUDE_CODE_USE_VERTEX: '0' })).toContain('api.anthropic.com');
    const foundry = await hosts('claude', { CLAUDE_CODE_USE_FOUNDRY: '1', ANTHROPIC_FOUNDRY_RESOURCE: 'una' });
    expect(foundry).toContain('una.services.ai.azure.com');
  });

  it('have those of an endpoint of the person, with its port', async () => {
    expect(await hosts('claude', { ANTHROPIC_BASE_URL: 'https://gateway.example:8443/x' })).toContain(
      'gateway.example:8443',
    );
    expect(await hosts('claude', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:4242' })).toContain('127.0.0.1:4242');
    expect(await hosts('opencode', { OLLAMA_HOST: 'models.example:11434' })).toContain('models.example:11434');
  });

  it('are those of the providers whose keys there are, for opencode', async () => {
    const with_ = await hosts('opencode', { GROQ_API_KEY: 'x', OPENAI_API_KEY: '' });
    expect(with_).toContain('api.groq.com');
    expect(with_).not.toContain('api.openai.com');
  });

  it('leave out what only a login needs, where there is one', async () => {
    expect(await hosts('copilot')).toContain('github.com');
    expect(await hosts('copilot', { COPILOT_GITHUB_TOKEN: 'x' })).not.toContain('github.com');
    expect(await hosts('copilot', { GH_HOST: 'una.ghe.com' })).toContain('*.una.ghe.com');
    const offline = { COPILOT_OFFLINE: 'true', COPILOT_PROVIDER_BASE_URL: 'https://models.example' };
    expect(await hosts('copilot', offline)).toEqual(['models.example']);
  });

  it('are none for a program that nobody but its author knows', async () => {
    expect([...(await hosts('command')), ...(await hosts('scripted'))]).toEqual([]);
  });
});

describe('keys that stay outside', () => {
  const lenders = async (name: string, env: Env, args: readonly string[] = []) => {
    const agents = { ...testConfig().agents, codex: { ...testConfig().agents.codex, args: [...args] } };
    const found = await lendersOf(await agentByName(name), env, { agents });
    return found.map(({ address, base }) => [address, env[address] || base]);
  };

  it('are those of clients that can be told an address, where the environment has one', async () => {
    expect(await lenders('claude', { CLAUDE_CODE_OAUTH_TOKEN: 'x' })).toEqual([
      ['ANTHROPIC_BASE_URL', 'https://api.anthropic.com'],
    ]);
    expect(await lenders('claude', { ANTHROPIC_API_KEY: 'x', CLAUDE_CODE_USE_BEDROCK: '1' })).toEqual([]);
    expect(await lenders('codex', { CODEX_API_KEY: 'x' })).toEqual([
      ['RALPH_CODEX_BASE_URL', 'https://api.openai.com/v1'],
    ]);
    expect(await lenders('codex', { OPENAI_API_KEY: 'x' })).toEqual([]);
    expect(await lenders('copilot', { COPILOT_GITHUB_TOKEN: 'x' })).toEqual([]);
    const own = { COPILOT_PROVIDER_API_KEY: 'x', COPILOT_PROVIDER_BASE_URL: 'https://models.example/v1' };
    expect(await lenders('copilot', own)).toEqual([['COPILOT_PROVIDER_BASE_URL', 'https://models.example/v1']]);
    expect(await lenders('copilot', { ...own, COPILOT_PROVIDER_TYPE: 'azure' })).toEqual([]);
    expect(await lenders('droid', { FACTORY_API_KEY: 'x' })).toEqual([]);
  });

  it('go inside where the settings name another address', async () => {
    const env = { CODEX_API_KEY: 'x' };
    expect(await lenders('codex', env, ['-c', 'model_provider="mine"'])).toEqual([]);
    const home = await makeTempDir('ralph-opencode-');
    try {
      const keys = { HOME: home, OPENAI_API_KEY: 'x', ANTHROPIC_API_KEY: 'x', GROQ_API_KEY: 'x' };
      const both = [
        ['ANTHROPIC_BASE_URL', 'https://api.anthropic.com/v1'],
        ['OPENAI_BASE_URL', 'https://api.openai.com/v1'],
      ];
      expect(await lenders('opencode', keys)).toEqual(both);
      await writeAtomic(
        `${home}/.config/opencode/opencode.json`,
        '{"provider":{"openai":{"options":{"baseURL":"x"}}}}',
      );
      expect(await lenders('opencode', keys)).toEqual([]);
    } finally {
      await remove(home);
    }
  });
});

test('the program to look for is the one that is configured', async () => {
  const config = testConfig();
  for (const name of AGENT_NAMES) {
    const agent = await agentByName(name);
    const programs: Readonly<Record<string, string>> = AGENT_PROGRAMS;
    expect(agent.program(config), name).toBe(programs[name] ?? null);
  }
  expect(command.program(testConfig({ command: { run: 'KEY=1 my-agent --yes' } }))).toBe('my-agent');
  expect(command.program(testConfig({ command: { run: '"$HOME/x" --yes' } }))).toBeNull();
});

/** What of a file of an agent is kept as its login. */
async function kept(agent: string, path: string, content: unknown): Promise<unknown> {
  const file = (await agentByName(agent)).inside.logins.find((one) => one.path === path);
  const text = file?.login(typeof content === 'string' ? content : JSON.stringify(content)) ?? null;
  return text === null || typeof content === 'string' ? text : JSON.parse(text);
}

describe('of the login files of an agent is kept', () => {
  it('the login, and nothing that a client would start or obey', async () => {
    const account = { oauthAccount: { emailAddress: 'una@example.com' }, hasCompletedOnboarding: true };
    const servers = { mcpServers: { x: { command: 'sh' } }, projects: { '/work': { allowedTools: ['Bash'] } } };
    expect(await kept('claude', '.claude.json', { ...account, ...servers })).toEqual(account);
    const tokens = { claudeAiOauth: { accessToken: 'a', refreshToken: 'b', expiresAt: 1 } };
    expect(await kept('claude', '.claude/.credentials.json', { ...tokens, mcpOAuth: {} })).toEqual(tokens);
    const chosen = { security: { auth: { selectedType: 'oauth-personal' } } };
    const settings = { security: { auth: { ...chosen.security.auth, x: 1 }, y: 2 }, mcpServers: {}, hooks: {} };
    expect(await kept('gemini', '.gemini/settings.json', settings)).toEqual(chosen);
    const copilot = { copilotTokens: { x: 'y' }, trusted_folders: ['/'], mcp_servers: {} };
    expect(await kept('copilot', '.copilot/config.json', copilot)).toEqual({ copilotTokens: { x: 'y' } });
    const providers = {
      one: { type: 'api', key: 'k' },
      two: { type: 'wellknown', key: 'https://x', token: 't' },
      a: 1,
    };
    expect(await kept('opencode', '.local/share/opencode/auth.json', providers)).toEqual({ one: providers.one });
  });

  it('nothing of what is no login', async () => {
    for (const junk of ['', 'text', '[]', '"x"', 'null', '{}', '{"x":1}', '{"claudeAiOauth":']) {
      expect(await kept('claude', '.claude/.credentials.json', junk), junk).toBeNull();
    }
    expect(await kept('droid', '.factory/auth.v2.key', `${'A'.repeat(43)}=\n`)).toBe(`${'A'.repeat(43)}=\n`);
    for (const junk of ['#!/bin/sh\nexit', 'short', '{"x":1}', '']) {
      expect(await kept('droid', '.factory/auth.v2.key', junk), junk).toBeNull();
    }
  });
});
