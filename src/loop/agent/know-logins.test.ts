import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AgentAdapter } from '../../adapters/agents/index.ts';
import { forgetSecret, REDACTED, withoutSecrets } from '../../platform/index.ts';
import type { RunContext } from '../context.ts';
import { knowLogins } from './know-logins.ts';

test('tokens of a login are known, and anew after the client renewed them; settings beside them are not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-logins-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const tokens = ['first-token-of-a-login-0', 'token-that-renews-it-0001', 'second-token-of-a-login'];
  onTestFinished(() => tokens.forEach(forgetSecret));
  const agent = { inside: { config: { folder: '.some', variable: 'SOME_CONFIG_DIR' } } } as unknown as AgentAdapter;
  const context = {
    agents: [agent, { inside: { config: null } } as unknown as AgentAdapter],
    env: { SOME_CONFIG_DIR: folder },
    isolation: { name: 'none' },
  } as unknown as RunContext;
  const login = (accessToken: string) =>
    writeFile(
      join(folder, '.credentials.json'),
      JSON.stringify({ oauth: { accessToken, refreshToken: tokens[1], scopes: ['a-scope-that-is-long-enough'] } }),
    );
  await knowLogins(context);
  await login(tokens[0] ?? '');
  await knowLogins(context);
  expect(withoutSecrets(`${tokens[0]} ${tokens[1]} a-scope-that-is-long-enough`)).toBe(
    `${REDACTED} ${REDACTED} a-scope-that-is-long-enough`,
  );
  await login(tokens[2] ?? '');
  await knowLogins(context);
  expect(withoutSecrets(tokens.join(', '))).toBe([REDACTED, REDACTED, REDACTED].join(', '));
});
