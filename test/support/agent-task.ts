import type { AgentTask } from '../../src/adapters/agents/index.ts';
import { configSchema, toConfig } from '../../src/contracts/config.ts';
import type { Config } from '../../src/contracts/index.ts';

/** A configuration with every default, for tests that need one and care about little of it. */
export function testConfig(overrides: Partial<Config> = {}): Config {
  const defaults = toConfig(configSchema.parse({}));
  return { ...defaults, transient: { ...defaults.transient, delayMs: 10 }, ...overrides };
}

/** The settings of agents, with defaults for what is not given. */
export function testAgents(agents: Readonly<Record<string, object>>): Config['agents'] {
  return toConfig(configSchema.parse({ agents })).agents;
}

/**
 * A task for story US-001 in implement mode. `cwd` and `tempDir` must be given: tests own their folders. So is the run of
 * this process: whoever ends what a run left behind must not find what a test beside it has just started.
 */
export function testTask(overrides: Partial<AgentTask> & Pick<AgentTask, 'cwd' | 'tempDir'>): AgentTask {
  return {
    prompt: 'Implement US-001.',
    run: `20260101-000000-${process.pid}`,
    iteration: 1,
    mode: 'implement',
    storyId: 'US-001',
    attempt: 1,
    reviewCount: 0,
    try: 1,
    model: null,
    budgetUsd: null,
    env: { PATH: process.env['PATH'] ?? '', HOME: overrides.tempDir },
    config: testConfig(),
    control: null,
    isolation: 'none',
    ...overrides,
  };
}
