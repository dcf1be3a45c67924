import { describe, expect, test } from 'vitest';
import type { ConfigError } from '../../../contracts/index.ts';
import { withoutSetting, withSetting } from './config-edit.ts';

const file = 'ralph.config.json';
const set = (text: string | null, key: string, word: string) => withSetting({ file, text, key }, word);
const unset = (text: string | null, key: string) => withoutSetting({ file, text, key });

test('a new file begins with $schema', () => {
  const { text, line } = set(null, 'maxIterations', '20');
  expect(Object.entries(JSON.parse(text))).toEqual([
    ['$schema', expect.stringMatching(/config\.schema\.json$/)],
    ['maxIterations', 20],
  ]);
  expect({ line, end: text.at(-1) }).toEqual({ line: 3, end: '\n' });
});

test('comments, order, indentation and line ends stay as they are', () => {
  const text = '{\r\n\t// slow machine\r\n\t"timeout": "45m", // really\r\n\t"checks": { "timeout": "5m" },\r\n}\r\n';
  expect(set(text, 'timeout', '1h').text).toBe(text.replace('45m', '1h'));
  expect(set(text, 'checks.timeout', '90s').text).toBe(text.replace('5m" }', '90s" }'));
  expect(set(text, 'skipReview', 'true').text).toMatch(/\r\n\t"skipReview": true/);
});

describe('a word is what the setting takes', () => {
  test.each([
    ['maxIterations', '20', 20],
    ['timeout', '90s', '90s'],
    ['timeout', '90', 90],
    ['maxCost', '$2.50', 2.5],
    ['maxCost', 'null', null],
    ['model', '4', '4'],
    ['branch', 'false', false],
    ['agent', 'claude', 'claude'],
    ['verifyCommands', 'npm test', ['npm test']],
    ['verifyCommands', 'jest --only=a,b', ['jest --only=a,b']],
    ['verifyCommands', '["npm test", "npm run lint"]', ['npm test', 'npm run lint']],
    ['verifyCommands', 'npm test\nnpm run lint', ['npm test', 'npm run lint']],
    ['env.pass', 'CI,LANG', ['CI', 'LANG']],
    ['env.pass', 'CI, LANG', ['CI', 'LANG']],
    ['agent', 'claude, codex', ['claude', 'codex']],
    ['verifyCommands', 'npm test, npm run lint', ['npm test', 'npm run lint']],
    ['verifyCommands', 'node -e "f(a, b)"', ['node -e "f(a, b)"']],
    ['promise', '"[x]"', '[x]'],
    ['models.byEstimate', '{"S":"haiku"}', { S: 'haiku' }],
    ['models.byEstimate.S', 'haiku', 'haiku'],
    ['models.review-fix', 'opus', 'opus'],
    ['isolation.memory', '4g', '4g'],
    ['onUsageLimit', 'stop', 'stop'],
    ['agents.claude.env.NODE_OPTIONS', '1', '1'],
    ['agents.codex.command', '/opt/my codex', '/opt/my codex'],
    ['agents.codex.command', '["nice", "codex"]', ['nice', 'codex']],
  ])('%s %s', (key, word, value) => {
    const changed = set(null, key, word);
    expect(changed.value).toEqual(value);
    expect(changed.problems).toEqual([]);
  });
});

describe('what a setting does not take is refused with the reason', () => {
  test.each([
    ['maxIterations', '0', "'maxIterations' must be at least 1, not 0"],
    ['onReviewCap', 'aprove', "'onReviewCap' must be one of 'approve', 'block', not 'aprove'; did you mean approve?"],
    [
      'timeout',
      '90 x',
      "'timeout' must be a duration: '90s', '15m', '1h30m', '2h' or a plain number of seconds, not '90 x'",
    ],
    ['models.review', 'null', "'models.review' must be a string, not null"],
    ['maxIteration', '3', "there is no setting 'maxIteration'; did you mean maxIterations?"],
    ['checks', '3', "there is no setting 'checks'; it holds checks.timeout"],
    [
      'agents.gemini.effort',
      'high',
      "there is no setting 'agents.gemini.effort': gemini has no option for this, only claude, codex, opencode, copilot, droid, kimi",
    ],
    ['__proto__.x', '3', "there is no setting '__proto__.x'"],
  ])('%s %s', (key, word, message) => {
    expect(() => set(null, key, word)).toThrow(message);
  });
});

test.each([
  ['verifyCommands', '["npm test"', `'["one","two"]'`],
  ['models.byEstimate', '{S: "haiku"}', `'{"name":"value"}'`],
  ['promise', '[DONE]', `'"[DONE]"'`],
])('what begins as JSON and is none is refused with an example: %s %s', (key, word, example) => {
  try {
    set(null, key, word);
    expect.unreachable();
  } catch (error) {
    expect((error as ConfigError).facts.fix?.[0]).toContain(example);
  }
});

test('an entry of the wrong kind does not make the list a text', () => {
  expect(() => set(null, 'env.pass', '["A",3]')).toThrow("'env.pass.1' must be a string");
});

test('a setting that is there twice is refused with both lines', () => {
  const text = '{\n  "checks": {\n    "timeout": "1m",\n    "timeout": "2m"\n  }\n}\n';
  try {
    set(text, 'maxIterations', '5');
    expect.unreachable();
  } catch (error) {
    expect((error as ConfigError).facts).toMatchObject({
      where: 'ralph.config.json:3 and ralph.config.json:4',
      why: "'checks.timeout' is set twice",
    });
  }
});

test('a text that is no JSON is never written over', () => {
  expect(() => set('{ "a": ', 'maxIterations', '3')).toThrow('the configuration cannot be read');
});

test('problems of other settings stand and are told', () => {
  const { text, problems } = set('{ "maxIteration": 3 }', 'maxIterations', '4');
  expect(JSON.parse(text)).toEqual({ maxIteration: 3, maxIterations: 4 });
  expect(problems.map(({ message }) => message)).toEqual(["there is no setting 'maxIteration'"]);
});

test('what is removed takes its empty groups along, and a misspelt setting can be removed, too', () => {
  const text = '{\n  "checks": { "timeout": "5m" },\n  "chekcs": { "timeout": 1 },\n  "maxCost": 1\n}\n';
  expect(JSON.parse(unset(text, 'checks.timeout')?.text ?? '')).toEqual({ chekcs: { timeout: 1 }, maxCost: 1 });
  expect(JSON.parse(unset(text, 'chekcs')?.text ?? '')).toEqual({ checks: { timeout: '5m' }, maxCost: 1 });
  expect(unset(text, 'model')).toBeNull();
  expect(unset(null, 'model')).toBeNull();
  expect(() => unset(text, 'modl')).toThrow("there is no setting 'modl'; did you mean model?");
});
