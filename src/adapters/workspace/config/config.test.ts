import { expect, test } from 'vitest';
import { withoutSecrets } from '../../../platform/index.ts';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { type ConfigFlags, loadConfig, withoutSettings } from './config.ts';

type Env = Readonly<Record<string, string>>;
const load = (root: string, env: Env = {}, flags: ConfigFlags = {}) =>
  loadConfig({ root, env, flags, onUntrusted: 'given' });

async function loadFile(content: object | string, env: Env = {}, flags: ConfigFlags = {}) {
  const root = await tempTree({
    'ralph.config.json': typeof content === 'string' ? content : JSON.stringify(content, null, 2),
  });
  return load(root, env, flags);
}

test('without any file every setting has its default', async () => {
  const { config, sources, warnings } = await load(await tempTree());
  expect(config).toMatchObject({
    agent: ['claude'],
    model: null,
    maxIterations: 15,
    timeoutMs: 3_600_000,
    idleTimeoutMs: 900_000,
    reviewCap: 5,
    storyMaxAttempts: 3,
    dirty: 'refuse',
    checks: { timeoutMs: 600_000 },
    models: {},
    commit: { sign: false, verify: true, templates: {} },
  });
  expect(sources['checks.timeout']).toEqual({ source: 'default', where: '', value: '10m' });
  expect(warnings).toEqual([]);
});

test('a flag beats the environment, which beats the file, which beats the default', async () => {
  const file = { maxIterations: 2, timeout: '2m', reviewCap: 2 };
  const { config, sources } = await loadFile(
    file,
    { RALPH_MAX_ITERATIONS: '3', RALPH_TIMEOUT: '3m' },
    { maxIterations: 4 },
  );
  expect(config).toMatchObject({ maxIterations: 4, timeoutMs: 180_000, reviewCap: 2, idleTimeoutMs: 900_000 });
  expect(sources['maxIterations']).toEqual({ source: 'flag', where: 'command line', value: 4 });
  expect(sources['timeout']).toEqual({ source: 'env', where: 'RALPH_TIMEOUT', value: '3m' });
  expect(sources['reviewCap']).toEqual({ source: 'file', where: 'ralph.config.json:4', value: 2 });
  expect(sources['idleTimeout']).toEqual({ source: 'default', where: '', value: '15m' });
});

test('a flag changes one value of a group and leaves the others', async () => {
  const { config } = await loadFile(
    { isolation: { read: ['/opt'], required: true }, commit: { sign: true } },
    {},
    { commit: { verify: false }, timeoutMs: 1_500 },
  );
  expect(config.isolation).toMatchObject({ read: ['/opt'], required: true });
  expect(config.commit).toMatchObject({ sign: true, verify: false });
  expect(config.timeoutMs).toBe(1_500);
});

test('the environment sets every kind of value', async () => {
  const { config, sources } = await load(await tempTree(), {
    RALPH_AGENT: 'claude, codex',
    RALPH_SKIP_REVIEW: 'yes',
    RALPH_BRANCH: '0',
    RALPH_CHECKS_TIMEOUT: '90',
    RALPH_MODELS_REVIEW_FIX: 'opus',
    RALPH_VERIFY_COMMANDS: 'npm test -- --a,b\nnpm run lint',
    RALPH_AGENTS_CLAUDE_ALLOWED_TOOLS: '["Read","Bash(npm test:*)"]',
    RALPH_MODEL: '',
    RALPH_AGENTS_CODEX_COMMAND: '["nice", "codex"]',
    RALPH_AGENTS_CODEX_ENV: '{"A": "1"}',
  });
  expect(config).toMatchObject({
    agent: ['claude', 'codex'],
    skipReview: true,
    branch: false,
    checks: { timeoutMs: 90_000 },
    models: { 'review-fix': 'opus' },
    verifyCommands: ['npm test -- --a,b', 'npm run lint'],
    agents: {
      claude: { allowedTools: ['Read', 'Bash(npm test:*)'] },
      codex: { command: ['nice', 'codex'], env: { A: '1' } },
    },
    model: null,
  });
  expect(sources['models.review-fix']?.where).toBe('RALPH_MODELS_REVIEW_FIX');
});

test('the names of the older loops are honoured, and give way to the new ones', async () => {
  const root = await tempTree();
  const env = {
    MAX_ITERATIONS: '7',
    AGENT: 'codex',
    TIMEOUT_AGENT: '600',
    MAX_ALLOWED_ITERATIONS: '9',
    CB_NO_PROGRESS_THRESHOLD: '3',
    CLAUDE_CONTEXT_WINDOW: '200000',
    PRD_NUMBER: '1',
  };
  const old = await load(root, env);
  expect(old.config).toMatchObject({ maxIterations: 7, agent: ['codex'], timeoutMs: 600_000, maxAllowedIterations: 9 });
  expect(old.sources['maxIterations']?.where).toBe('MAX_ITERATIONS');
  expect(old.warnings).toEqual([]);
  expect((await load(root, { ...env, RALPH_MAX_ITERATIONS: '8' })).config.maxIterations).toBe(8);
});

test('an unknown RALPH_ variable is a warning with the nearest name', async () => {
  const { warnings } = await load(await tempTree(), {
    RALPH_MAX_ITERATION: '3',
    RALPH_ZZZ: '1',
    RALPH_DEBUG: '1',
    RALPH_RUN_ID: 'x',
    RALPHIE: '1',
  });
  expect(warnings).toEqual([
    'RALPH_MAX_ITERATION is not a variable of ralph; did you mean RALPH_MAX_ITERATIONS?',
    'RALPH_ZZZ is not a variable of ralph',
  ]);
});

test('a bad value in the environment names its variable', async () => {
  const root = await tempTree();
  expect(await messageOf(load(root, { RALPH_MAX_ITERATIONS: 'many' }))).toMatchInlineSnapshot(`
    "Error: RALPH_MAX_ITERATIONS must be a whole number, not 'many'
      where: environment
      fix:   correct RALPH_MAX_ITERATIONS or unset it"
  `);
  expect(await messageOf(load(root, { TIMEOUT_AGENT: '5 parsecs' }))).toMatchInlineSnapshot(`
    "Error: TIMEOUT_AGENT must be a duration: '90s', '15m', '1h30m', '2h' or a plain number of seconds, not '5 parsecs'
      where: environment
      fix:   correct TIMEOUT_AGENT or unset it"
  `);
});

test('types of events that a webhook asks for are those that there are', async () => {
  const withEvents = (events: unknown) =>
    tempTree({
      'ralph.config.json': JSON.stringify({ notify: { webhooks: [{ url: 'https://hooks.example.org', events }] } }),
    });
  expect((await load(await withEvents(['agent', 'run-end']))).config.notify.webhooks[0]?.events).toHaveLength(2);
  expect(await messageOf(load(await withEvents(['run-ended'])))).toContain("did you mean 'run-end'?");
  expect(await messageOf(load(await withEvents(['no such thing'])))).toContain('must be a type of event: run-start, ');
  expect(await messageOf(load(await withEvents([])))).toContain('must name at least one type of event');
});

test('maxIterations is capped with a warning', async () => {
  const { config, sources, warnings } = await load(await tempTree(), {}, { maxIterations: 500 });
  expect(config.maxIterations).toBe(100);
  expect(sources['maxIterations']?.value).toBe(100);
  expect(warnings).toEqual(['maxIterations 500 is capped at 100; maxAllowedIterations raises the cap']);
});

test('a flag out of range is refused', async () => {
  expect(await messageOf(load(await tempTree(), {}, { reviewCap: 0 }))).toBe(
    "Error: 'reviewCap' must be at least 1\n  where: command line",
  );
});

test.each([0, 150, 1.5])('a setting with two ends names both when it is %d', async (outputDecline) => {
  expect(await messageOf(loadFile(JSON.stringify({ circuit: { outputDecline } })))).toContain(
    "'circuit.outputDecline' must be a whole number from 1 to 100",
  );
});

test('every problem of a file is named with its line and what to do', async () => {
  const text =
    '{\n  "maxIteration": 3,\n  "reviewCap": 0,\n  "dirty": "maybe",\n  "timeout": "soon",\n  "checks": { "timeot": "3m" },\n  "agent": [],\n  "wholly": 1\n}\n';
  expect(await messageOf(loadFile(text))).toMatchInlineSnapshot(`
    "Error: ralph.config.json has 7 problems
      ralph.config.json:2: there is no setting 'maxIteration'
        fix: did you mean 'maxIterations'?
      ralph.config.json:3: 'reviewCap' must be at least 1, not 0
        fix: correct or remove it (default: 5). Maximum reviews per story; then \`onReviewCap\` decides.
      ralph.config.json:4: 'dirty' must be one of 'refuse', 'stash', 'keep', not 'maybe'
        fix: correct or remove it (default: "refuse"). What to do about uncommitted changes at the start.
      ralph.config.json:5: 'timeout' must be a duration: '90s', '15m', '1h30m', '2h' or a plain number of seconds, not 'soon'
        fix: correct or remove it (default: "60m"). Maximum time for one iteration of the agent.
      ralph.config.json:6: there is no setting 'checks.timeot'
        fix: did you mean 'checks.timeout'?
      ralph.config.json:7: 'agent' must be the name of an agent or a list of names, not []
        fix: correct or remove it (default: "claude"). The coding agent, or a list with fallbacks.
      ralph.config.json:8: there is no setting 'wholly'
        fix: \`ralph config\` lists all settings"
  `);
});

test('a setting that only other agents have, and a variable that cannot be one, say so', async () => {
  const agents = { gemini: { effort: 'high', model: 'm' }, codex: { allowedTools: [], env: { 'A-B': '1' } } };
  expect(await messageOf(loadFile(JSON.stringify({ agents }, null, 1)))).toMatchInlineSnapshot(`
    "Error: ralph.config.json has 3 problems
      ralph.config.json:4: there is no setting 'agents.gemini.effort'
        fix: gemini has no option for this, only claude, codex, opencode, copilot, droid, kimi
      ralph.config.json:8: there is no setting 'agents.codex.allowedTools'
        fix: codex has no option for this, only claude
      ralph.config.json:10: 'agents.codex.env.A-B' must be a group of variables: {"NAME": "value"}, not '1'
        fix: correct or remove it. Additional variables for this agent only, e.g. {"NAME": "value"}."
  `);
});

test('a secret among the variables of an agent is never written', async () => {
  await loadFile({ agents: { claude: { env: { MY_API_KEY: 'made-up-value-of-a-key' } } } });
  expect(withoutSecrets('x made-up-value-of-a-key x')).toBe('x [redacted] x');
});

test.each([
  ['', 'ralph.config.json:1', 'it is empty'],
  ['{\n  "agent": "cl', 'ralph.config.json:2', 'it is not JSON: UnexpectedEndOfString at column 12'],
  ['[1]', 'ralph.config.json:1', 'it contains a list instead of settings'],
  ['"text"', 'ralph.config.json:1', 'it contains a string instead of settings'],
  [new Uint8Array([0x7b, 0xff, 0xfe, 0x00]), 'ralph.config.json:1', 'it is not UTF-8 text'],
])('an unusable file %j is one clear error', async (content, where, why) => {
  const root = await tempTree({ 'ralph.config.json': content });
  const message = await messageOf(load(root));
  expect(message).toBe(
    `Error: the configuration cannot be read\n  where: ${where}\n  why:   ${why}\n  fix:   correct the file, or delete it to run with the defaults`,
  );
});

test('a group that is none is named', async () => {
  expect(await messageOf(loadFile('{"checks": null}'))).toContain("1: 'checks' must be a group of settings");
});

test('comments, a trailing comma, a byte order mark and $schema are fine', async () => {
  const { config } = await loadFile('\uFEFF{\n  // less\n  "$schema": "x",\n  "maxIterations": 3,\n}\n');
  expect(config.maxIterations).toBe(3);
});

test('two configuration files are refused by name', async () => {
  const root = await tempTree({ 'ralph.config.json': '{}', '.ralph/config.json': '{}' });
  expect(await messageOf(load(root))).toContain(
    'Error: two configuration files: ralph.config.json and .ralph/config.json',
  );
});

test('the file may lie in the state folder or be JavaScript', async () => {
  expect((await load(await tempTree({ '.ralph/config.json': '{"reviewCap":2}' }))).config.reviewCap).toBe(2);
  const { config, sources } = await load(
    await tempTree({ 'ralph.config.js': 'export default { reviewCap: 1 + 2 };', 'package.json': '{"type":"module"}' }),
  );
  expect(config.reviewCap).toBe(3);
  expect(sources['reviewCap']?.where).toBe('ralph.config.js:1');
});

test('JavaScript that fails or exports nothing is one clear error', async () => {
  const files = { 'package.json': '{"type":"module"}' };
  expect(await messageOf(load(await tempTree({ ...files, 'ralph.config.js': 'throw new Error("boom")' })))).toContain(
    'why:   it does not load: boom',
  );
  expect(await messageOf(load(await tempTree({ ...files, 'ralph.config.js': 'export const a = 1;' })))).toContain(
    'why:   it has no default export that holds settings',
  );
});

test('__proto__ in a file is an unknown setting like any other', async () => {
  expect(await messageOf(loadFile('{"__proto__": {"maxIterations": 3}}'))).toContain("there is no setting '__proto__'");
});

test('a TypeScript file is read where Node strips types, else refused with what to do', async () => {
  const root = await tempTree({
    'ralph.config.ts': 'const cap: number = 4;\nexport default { reviewCap: cap };',
    'package.json': '{"type":"module"}',
  });
  if ((process.features as { typescript?: unknown }).typescript) expect((await load(root)).config.reviewCap).toBe(4);
  else
    expect(await messageOf(load(root))).toContain(
      'cannot read ralph.config.ts\n  where: ralph.config.ts\n  why:   Node strips types since 22.18',
    );
});

test('an environment without settings keeps everything else', () => {
  const env = { PATH: '/bin', RALPH_CALLS: '5', MAX_ITERATIONS: '9', CB_SAME_ERROR_THRESHOLD: '2', PRD_NUMBER: '3' };
  expect(withoutSettings(env)).toEqual({ PATH: '/bin' });
});
