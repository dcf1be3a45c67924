import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import { REDACTED } from '../../../platform/index.ts';
import { redact, redactedJson, redactPieces } from './redact.ts';

// Put together here so that no scanner takes this file for a leak.
const key = (...parts: readonly string[]) => parts.join('');
/** As many letters and digits as asked for, such as tokens are made of. */
const noise = (length: number, alphabet = 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA') =>
  alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length);
const hex = (length: number) => noise(length, '0123456789abcdef');

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

test.each([
  key('h', 'f_', noise(34)),
  key('sk', '_live_', noise(24)),
  key('rk', '_live_', noise(24)),
  key('S', 'G.', noise(22), '.', noise(43)),
  key('whs', 'ec_', noise(32)),
  key('xap', 'p-1-A0123456789-1234567890123-', noise(40)),
  key('https://hooks.slack', '.com/services/T01234567/B01234567/', noise(24)),
  key('GOC', 'SPX-', noise(28)),
  key('ya', '29.', noise(60)),
  key('dop', '_v1_', hex(64)),
  key('py', 'pi-AgEIcHlwaS5vcmc', noise(60)),
  key('dck', 'r_pat_', noise(27)),
  key('gs', 'k_', noise(52)),
  key('xa', 'i-', noise(80)),
  key('123456789', ':AA', noise(33)),
  key('hv', 's.', noise(28)),
  key('da', 'pi', hex(32)),
  key('S', 'K', hex(32)),
  key('AGE-SECRET', '-KEY-1', noise(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')),
  key('npm', '_', noise(36)),
  `Cookie: theme=dark; session=${noise(32)}`,
  `{"Set-Cookie":"sid=${noise(32)}; HttpOnly"}`,
  `X-Auth-Token: ${noise(32)}`,
  `Authorization: Digest username="u", response="${noise(32)}"`,
  `Authorization: Bearer\n    ${noise(32)}`,
  `Authorization:\n  ${noise(32)}`,
  `curl -u admin:${noise(20)} https://example.org`,
  `curl -sS --user "admin:${noise(20)}" https://example.org`,
  `redis://:${noise(16)}@db`,
  `amqp+ssl://una:${noise(16)}@mq:5671/`,
  `https://${noise(30)}@example.org/una/app.git`,
  `AccountKey=${noise(86)}==;EndpointSuffix=core.windows.net`,
  `?sv=2020&sig=${noise(43)}%3D`,
  `Server=db;User=sa;Pwd=${noise(12)};`,
  `machine example.org login una password ${noise(12)}`,
  `machine example.org\n  login una\n  password ${noise(12)}\n`,
  `//registry.example.org/:_authToken=${noise(36)}`,
  `_auth=${noise(24)}`,
  `mysql -u root -p${noise(12)}`,
  `mysqldump -h db -p'${noise(12)}' app`,
  `sshpass -p ${noise(12)} ssh una@example.org`,
  `deploy --password ${noise(12)}`,
  `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2 (x)\n\n${noise(40)}\n-----END PGP PRIVATE KEY BLOCK-----`,
  `-----BEGIN RSA PRIVATE KEY-----\nMIIE${noise(60)}\n${noise(60)}`,
  `line 40\n${noise(60)}\n${noise(20)}\n-----END RSA PRIVATE KEY-----`,
])('nothing of the secret is left: %s', (text) => {
  for (const clean of [redact(text), redact(JSON.stringify(text))]) {
    expect(clean).toContain(REDACTED);
    expect(clean).not.toMatch(/3dE5fG7|ZRY9X8|0123456789abcdef/);
    expect(redact(clean)).toBe(clean);
  }
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
  '550e8400-e29b-41d4-a716-446655440000 and sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  `"integrity": "sha512-${noise(86)}=="`,
  `![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${noise(400)}AAAASUVORK5CYII=)`,
  'git+ssh://git@example.org/una/app.git, https://una@example.org/',
  'docker run -u 1000:1000 app; git push -u origin main:main; mkdir -p src/app',
  'curl -u "$USER:$PASS" https://example.org; mysql -u root -p',
  'the cookie: the browser sends it back; import cookie from "cookie"',
  'login with password authentication; the default password policy; use the --password option',
  'response = await fetch(address1234567890); const signature = sign(1)',
  '-----BEGIN CERTIFICATE-----\nMIIB0zCCAXmgAwIBAgIU\n-----END CERTIFICATE-----',
  '    at run (/home/una/app/src/token-bucket/key-value.test.ts:12:3)',
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
    { numRuns: runs(2_000) },
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
  'curl -u ',
  'machine ',
  'cookie: a=',
  'bearer\n',
  'response=',
  '-----END PRIVATE KEY-----\n',
  'AAAA\n',
  '://',
])('half a megabyte of %j takes no more than linear time', (part) => {
  const text = part.repeat(Math.ceil(500_000 / part.length));
  redact(text);
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

/** What becomes of pieces, each of which is then redacted by itself. */
function through(pieces: readonly string[]): readonly string[] {
  const redactPiece = redactPieces();
  return pieces.map((piece) => redact(redactPiece(piece)));
}
const R = '[redacted]';
const BODY = 'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn';

test.each(['RSA PRIVATE KEY', 'PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK', 'AGE ENCRYPTED FILE'])(
  'a block that is printed line by line: %s',
  (name) => {
    const lines = [`-----BEGIN ${name}-----`, BODY, 'abc=', `-----END ${name}-----`, 'after', 'word'];
    expect(through(lines)).toEqual([R, R, R, R, 'after', 'word']);
  },
);

test('words between its lines come through, and what programs put before a line', () => {
  const lines = ['     1\t-----BEGIN PRIVATE KEY-----', 'still reading the file', `     2\t${BODY}`, `+${BODY}`];
  expect(through(lines)).toEqual([`     1\t${R}`, 'still reading the file', `     2\t${R}`, `+${R}`]);
});

test('lines that are within JSON', () => {
  const json = (text: string) => JSON.stringify({ type: 'text', text });
  expect(through(['-----BEGIN PRIVATE KEY-----', BODY, '-----END PRIVATE KEY-----', 'on'].map(json))).toEqual([
    json(R),
    json(R),
    json(R),
    json('on'),
  ]);
});

test('several lines to a piece, the end and more in the middle of one', () => {
  const pieces = [
    `a\n-----BEGIN PRIVATE KEY-----\n${BODY}`,
    `${BODY}\n${BODY}`,
    `${BODY}\n-----END PRIVATE KEY-----\nb`,
  ];
  expect(through(pieces)).toEqual([`a\n${R}`, R, `${R}\nb`]);
});

test('a key without an end does not swallow the rest', () => {
  const lines = ['-----BEGIN PRIVATE KEY-----', ...Array.from({ length: 40 }, () => 'x y '.repeat(300)), BODY];
  expect(through(lines).at(-1)).toBe(BODY);
});

test('who speaks of keys shows none', () => {
  const lines = ["grep -r '-----BEGIN RSA PRIVATE KEY-----' src | head", 'word'];
  expect(through(lines).at(-1)).toBe('word');
});

test('the value of a header may come in the next piece', () => {
  expect(through(['Authorization: Bearer', `  ${BODY}`, BODY])).toEqual(['Authorization: Bearer', `  ${R}`, BODY]);
});
