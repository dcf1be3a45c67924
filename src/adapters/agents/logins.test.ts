import { describe, expect, it } from 'vitest';
import { agentByName } from './registry.ts';

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
