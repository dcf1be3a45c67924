import { expect, test } from 'vitest';
import { INTERACTIVE_AGENTS, interactiveStart } from './interactive.ts';
import { AGENT_NAMES } from './registry.ts';

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
