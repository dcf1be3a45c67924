import { describe, expect, it, test } from 'vitest';
import { describeError } from '../../contracts/index.ts';
import {
  AGENT_NAMES,
  agentByName,
  enforcement,
  INTERACTIVE_AGENTS,
  interactiveStart,
  testedAfter,
  testedWith,
} from './registry.ts';

describe('agentByName', () => {
  it('finds every agent under its own name', async () => {
    for (const name of AGENT_NAMES) expect((await agentByName(name)).name).toBe(name);
  });

  it.each([
    ['cluade', "did you mean 'claude'?"],
    ['script', "did you mean 'scripted'?"],
    ['gpt', null],
    ['constructor', null],
  ])('refuses %s and names the agents there are', async (name, near) => {
    const error: unknown = await agentByName(name).catch((e: unknown) => e);
    expect(error).toMatchObject({ exitCode: 2 });
    expect(describeError(error)).toContain(`unknown agent '${name}'`);
    expect(describeError(error)).toContain(`agents: ${AGENT_NAMES.join(', ')}`);
    expect(describeError(error).includes('did you mean')).toBe(near !== null);
    if (near) expect(describeError(error)).toContain(near);
  });
});

test('the rules hold by hooks where there are any, else only when the work is settled', () => {
  const capabilities = { hooks: true, tools: false, cost: false, tokens: false, limits: false, budget: false };
  expect(enforcement({ capabilities })).toBe('hooks');
  expect(enforcement({ capabilities: { ...capabilities, hooks: false } })).toBe('settle');
});

test('every agent that can be talked to is one that there is, and is given its prompt as one argument', () => {
  for (const name of INTERACTIVE_AGENTS) {
    expect(AGENT_NAMES).toContain(name);
    const args = interactiveStart(name)?.args('two words', '/project/plugin') ?? [];
    expect(args.at(-1)).toBe('two words');
  }
});

test('the scripted agent and lone commands cannot be talked to, nor what is no agent', () => {
  for (const name of ['scripted', 'command', 'toString']) expect(interactiveStart(name)).toBeNull();
});

test('a client is older than the tested one by its numbers, not its letters', () => {
  const tested = /\d+\.\d+\.\d+/.exec(testedWith('claude'))?.[0] ?? '';
  const [major, minor] = tested.split('.');
  expect(testedAfter('claude', `${major}.${minor}.9`)).toBe(tested);
  expect(testedAfter('claude', tested)).toBeNull();
  expect(testedAfter('claude', '10.0.0-beta.1')).toBeNull();
  expect(testedAfter('scripted', '0.0.1')).toBeNull();
});
