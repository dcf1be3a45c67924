import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REDACTED, redact, redactedJson } from './redact.ts';

// Put together here so that no scanner takes this file for a leak.
const key = (...parts: readonly string[]) => parts.join('');
const SECRETS: Readonly<Record<string, string>> = {
  anthropic: key('sk-', 'ant-api03-', 'AbCdEf0123456789_-xyz'),
  openai: key('sk-', 'proj-', 'a1B2c3D4e5F6g7H8i9J0'),
  githubClassic: key('gh', 'p_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'),
  githubFine: key('github', '_pat_', '11ABCDEFG0abcdefghijkl_mnopqrstuvwx'),
  aws: key('AK', 'IA', 'IOSFODNN7EXAMPLE'),
  slack: key('xo', 'xb-', '123456789012-abcdefGHIJKL'),
  google: key('AI', 'za', 'SyA1234567890abcdefghijklmnopqrstuv'),
  gitlab: key('gl', 'pat-', 'abcdefghij0123456789'),
  jwt: key('ey', 'JhbGciOiJIUzI1NiJ9', '.ey', 'JzdWIiOiIxMjM0In0', '.abc-DEF_123'),
};

describe.each(Object.entries(SECRETS))('a %s key', (_name, secret) => {
  test.each([
    ['alone', '', ''],
    ['in a sentence', 'the key is ', ', use it'],
    ['in an assignment', 'export KEY=', '\n'],
    ['behind an escaped newline', '{"text":"first\\n', '\\nlast"}'],
    ['in quotes', '"', '"'],
  ])('%s is replaced', (_place, before, after) => {
    expect(redact(before + secret + after)).not.toContain(secret.slice(-12));
    expect(redact(before + secret + after)).toBe(before + REDACTED + after);
  });
});

test.each([
  ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
  ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted]'],
  ['"Authorization":"Bearer abcdefghijklmnopqrst"', '"Authorization":"Bearer [redacted]"'],
  ['curl -H "x: Bearer abcdefghijklmnop1234"', 'curl -H "x: Bearer [redacted]"'],
  ['https://me:hunter2@example.org/x', 'https://me:[redacted]@example.org/x'],
  ['DB_PASSWORD=hunter2 npm start', 'DB_PASSWORD=[redacted] npm start'],
  ['password: "correct horse battery"', 'password: "[redacted]"'],
  ['{\\"api_key\\": \\"0123abcd\\"}', '{\\"api_key\\": \\"[redacted]\\"}'],
  ['api_key: 0123abcd', 'api_key: [redacted]'],
  ['apiKey=0123abcd&x=1', 'apiKey=[redacted]&x=1'],
  ['ACCESS_TOKEN=abc123def456ghi789', 'ACCESS_TOKEN=[redacted]'],
])('%s', (text, clean) => {
  expect(redact(text)).toBe(clean);
});

test('a private key goes with its whole block, also where newlines are escaped', () => {
  const block = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIEpAIBAAKCAQEA+/=', 'abc', '-----END RSA PRIVATE KEY-----'];
  expect(redact(`a\n${block.join('\n')}\nb`)).toBe(`a\n${REDACTED}\nb`);
  expect(redact(`"${block.join('\\n')}"`)).toBe(`"${REDACTED}"`);
});

test.each([
  'function login(user: User, password: string): Promise<Token>',
  'const token = parser.next();',
  '{"inputTokens": 123456789012345678, "cache_read_input_tokens": 1}',
  'the bearer of this letter, risk-based-approach-number-one, task-12',
  'const secret = process.env.SECRET',
  'password = getPassword()',
  'the token bucket algorithm; see https://example.org:8080/a@b',
  'git commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904',
])('plain text is untouched: %s', (text) => {
  expect(redact(text)).toBe(text);
});

const fragments = fc.constantFrom(
  ...Object.values(SECRETS),
  ...Object.values(SECRETS).map((secret) => secret.slice(0, 9)),
  'password',
  'api_key',
  'token',
  '=',
  ':',
  ': ',
  '"',
  '\\"',
  "'",
  '\\n',
  '\n',
  ' ',
  'Bearer ',
  'Authorization: ',
  'hunter2',
  '://',
  '@',
  'a',
  '0',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  REDACTED,
  '{',
  '}',
  ',',
);
const soup = fc
  .array(fc.oneof(fragments, fc.string({ maxLength: 6 })), { maxLength: 30 })
  .map((parts) => parts.join(''));

test('redacting twice changes nothing more, and no whole secret is left', () => {
  fc.assert(
    fc.property(soup, (text) => {
      const once = redact(text);
      expect(redact(once)).toBe(once);
      expect(once.length).toBeLessThanOrEqual(text.length * REDACTED.length + REDACTED.length);
    }),
    { numRuns: 2_000 },
  );
});

test('ordinary words come back as they are', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,7}$/)), (words) => redact(words.join(' ')) === words.join(' ')),
  );
});

test.each([
  'sk-',
  'sk-ant',
  'eyJ-',
  'eyJa.',
  'password',
  'token=',
  'Bearer ',
  '-----BEGIN PRIVATE KEY-----',
  '://a:',
  'api_key=',
  'xoxb-',
  'a',
])('half a megabyte of %j takes no more than linear time', (part) => {
  const text = part.repeat(Math.ceil(500_000 / part.length));
  const started = performance.now();
  redact(text);
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('JSON keeps its shape while its strings are redacted', () => {
  const value = { a: [`x ${SECRETS['aws']}`], n: 1, none: null, text: 'password="a b"' };
  expect(JSON.parse(redactedJson(value))).toEqual({
    a: [`x ${REDACTED}`],
    n: 1,
    none: null,
    text: `password="${REDACTED}"`,
  });
});
