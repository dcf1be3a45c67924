import type { AgentTask } from '../../src/adapters/agents/port.ts';
import type { Config } from '../../src/contracts/config.ts';

/** A configuration with every default, for tests that need one and care about little of it. */
export function testConfig(overrides: Partial<Config> = {}): Config {
  return {
    agent: ['claude'],
    model: null,
    models: {},
    maxIterations: 15,
    maxAllowedIterations: 100,
    skipReview: false,
    reviewCap: 5,
    onReviewCap: 'approve',
    timeoutMs: 3_600_000,
    idleTimeoutMs: 900_000,
    storyMaxAttempts: 3,
    rollback: 'iteration-end',
    dirty: 'refuse',
    branch: true,
    verifyCommands: [],
    requireGreen: false,
    checks: { timeoutMs: 600_000 },
    onTestTamper: 'flag',
    guard: { allow: [], deny: [] },
    hooks: { stopRefusals: 8 },
    context: { window: null, bytesPerToken: 4 },
    transient: { retries: 3, delayMs: 10 },
    commits: 'squash',
    commit: { sign: false, verify: true, templates: {} },
    progress: { keep: 20 },
    scripted: { scenario: null },
    claude: { command: 'claude', permissionMode: null, allowedTools: [], maxRetries: 2 },
    runs: { keep: 20 },
    ...overrides,
  };
}

/** A task for story US-001 in implement mode. `cwd` and `tempDir` must be given: tests own their folders. */
export function testTask(overrides: Partial<AgentTask> & Pick<AgentTask, 'cwd' | 'tempDir'>): AgentTask {
  return {
    prompt: 'Implement US-001.',
    run: '20260101-000000-test',
    iteration: 1,
    mode: 'implement',
    storyId: 'US-001',
    attempt: 1,
    reviewCount: 0,
    try: 1,
    model: null,
    env: { PATH: process.env['PATH'] ?? '', HOME: overrides.tempDir },
    config: testConfig(),
    control: null,
    ...overrides,
  };
}
