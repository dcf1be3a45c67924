import { describe, expect, it } from 'vitest';
import { describeError } from '../../contracts/errors.ts';
import { AGENT_NAMES, agentByName } from './registry.ts';

describe('agentByName', () => {
  it('finds every agent under its own name', async () => {
    for (const name of AGENT_NAMES) expect((await agentByName(name)).name).toBe(name);
  });

  it.each([
    ['cluade', "Did you mean 'claude'?"],
    ['script', "Did you mean 'scripted'?"],
    ['gpt', null],
    ['constructor', null],
  ])('refuses %s and names the agents there are', async (name, near) => {
    const error: unknown = await agentByName(name).catch((e: unknown) => e);
    expect(error).toMatchObject({ exitCode: 2 });
    expect(describeError(error)).toContain(`Unknown agent '${name}'`);
    expect(describeError(error)).toContain(`Agents: ${AGENT_NAMES.join(', ')}`);
    expect(describeError(error).includes('Did you mean')).toBe(near !== null);
    if (near) expect(describeError(error)).toContain(near);
  });
});
