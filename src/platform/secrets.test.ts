import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import {
  forgetSecret,
  knowEnvironment,
  knowSecrets,
  REDACTED,
  secretStream,
  secretsIn,
  valueWithoutSecrets,
  withoutNewSecrets,
  withoutSecrets,
} from './secrets.ts';

const told: string[] = [];
function know(...values: readonly string[]): void {
  told.push(...values);
  knowSecrets(values);
}
afterEach(() => told.splice(0).forEach(forgetSecret));

/** Values as keys and passwords are, with signs of every kind; no line breaks: those are tried by themselves. */
const secret = fc.stringMatching(/^[!-~]{20,60}$/);
const around = fc.stringMatching(/^[ -~\n]{0,40}$/);

/** As programs print it, with `before` and `after` in the same encoding. */
const ENCODINGS: Readonly<Record<string, (value: string, before: string, after: string) => string>> = {
  plain: (value, before, after) => before + value + after,
  json: (value, before, after) => JSON.stringify(before + value + after),
  'json in json': (value, before, after) =>
    JSON.stringify(JSON.stringify(`${before}${value}${after}`.replace(/["\\]/g, ''))),
  base64: (value, before, after) => Buffer.from(before + value + after).toString('base64'),
  base64url: (value, before, after) => Buffer.from(before + value + after).toString('base64url'),
  'base64 in lines': (value, before, after) => inLines(Buffer.from(before + value + after).toString('base64'), 76),
  hex: (value, before, after) => Buffer.from(before + value + after).toString('hex'),
  HEX: (value, before, after) =>
    Buffer.from(before + value + after)
      .toString('hex')
      .toUpperCase(),
  'hex in lines': (value, before, after) => inLines(Buffer.from(before + value + after).toString('hex'), 60),
  address: (value, before, after) => encodeURIComponent(before + value + after),
  'address, every byte': (value) => Buffer.from(value).toString('hex').replace(/../g, '%$&'),
  'in lines': (value) => inLines(value, 16),
};
function inLines(text: string, width: number): string {
  return text.replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
}

/** What would let a reader have the secret back: so many characters of it in a row, in the text or what it decodes to. */
function gives(text: string, value: string): boolean {
  const joined = text.replace(/\s/g, '');
  const decoded = (encoding: BufferEncoding) =>
    [0, 1, 2, 3].map((at) => Buffer.from(joined.slice(at), encoding).toString('latin1'));
  const unescaped = joined.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return [text, joined, unescaped, ...decoded('base64'), ...decoded('hex')].some((one) => one.includes(value));
}

describe.each(Object.entries(ENCODINGS))('%s', (_name, encode) => {
  test('nothing of it is left, whatever stands around it', () => {
    fc.assert(
      fc.property(secret, around, around, (value, before, after) => {
        const clean = value.replace(/["\\%]/g, 'x');
        know(clean);
        const text = encode(clean, before, after);
        expect(gives(text, clean)).toBe(true);
        const safe = withoutSecrets(text);
        expect(gives(safe, clean)).toBe(false);
        expect(withoutSecrets(safe)).toBe(safe);
        forgetSecret(clean);
      }),
    );
  });

  test('nothing of it is left in a stream, wherever its pieces end', () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 30 });
    fc.assert(
      fc.property(secret, around, around, cuts, (value, before, after, at) => {
        const clean = value.replace(/["\\%]/g, 'x');
        know(clean);
        const text = encode(clean, before, after);
        const places = [0, ...[...at].filter((place) => place < text.length).sort((a, b) => a - b), text.length];
        const redactPiece = secretStream();
        const safe = places.slice(1).map((end, i) => redactPiece(text.slice(places[i], end)));
        expect(gives(safe.join(''), clean)).toBe(false);
        forgetSecret(clean);
      }),
    );
  });
});

test('one character at a time, no more than the first few come through', () => {
  know('correct horse battery staple');
  const redactPiece = secretStream();
  const out = [...'a correct horse battery staple b'].map(redactPiece).join('');
  expect(out.replaceAll(REDACTED, '')).toBe('a corre b');
});

test('text without secrets comes back as it is', () => {
  know('correct horse battery staple');
  fc.assert(fc.property(fc.string({ maxLength: 200, unit: 'binary' }), (text) => withoutSecrets(text) === text));
  expect(withoutSecrets('100%25 of a%20b and \\n\n')).toBe('100%25 of a%20b and \\n\n');
});

test('what a text that was cut has left of one goes too', () => {
  know('correct horse battery staple');
  expect(withoutSecrets('it is correct horse bat')).toBe(`it is ${REDACTED}`);
  expect(withoutSecrets('it is correct horse bat…')).toBe(`it is ${REDACTED}…`);
  expect(withoutSecrets('horse battery staple.')).toBe(`${REDACTED}.`);
  // A word of it is not a part of it.
  expect(withoutSecrets('staple it; correct')).toBe('staple it; correct');
});

test('what is known is replaced wherever it stands, until it is forgotten', () => {
  know('correct horse "battery"', 'wer/das?liest');
  expect(withoutSecrets('a correct horse "battery" b')).toBe(`a ${REDACTED} b`);
  expect(withoutSecrets('https://example.org/?x=wer%2Fdas%3fliest')).toBe(`https://example.org/?x=${REDACTED}`);
  expect(valueWithoutSecrets({ a: ['wer/das?liest', 1, null], 'wer/das?liest': true })).toEqual({
    a: [REDACTED, 1, null],
    [REDACTED]: true,
  });
  forgetSecret('wer/das?liest');
  expect(withoutSecrets('wer/das?liest')).toBe('wer/das?liest');
});

test('short values are words, and the longer of two is taken whole', () => {
  know('production', 'zwölf Zeichen', 'zwölf Zeichen und mehr');
  expect(withoutSecrets('in production: zwölf Zeichen und mehr')).toBe(`in production: ${REDACTED}`);
});

test('a value of several lines is known line by line, but for the marks of its ends', () => {
  know('-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END KEY-----');
  expect(withoutSecrets('MIIEvQIBADANBgkqhkiG9w0BAQEF')).toBe(REDACTED);
  expect(withoutSecrets('-----BEGIN KEY-----, and so on')).toBe('-----BEGIN KEY-----, and so on');
});

test('what stood in the text of a person stays there', () => {
  know('correct horse battery staple');
  const story = 'log in with correct horse battery staple';
  expect(withoutSecrets(`${story}, done`, story)).toBe(`${story}, done`);
});

test('variables hold secrets by their names; not those that only say where one is', () => {
  const env = {
    ANTHROPIC_API_KEY: 'value of a key',
    MY_TOKEN: 'value of a token',
    DB_PASSWORD: 'value of a password',
    CLIENT_SECRET_2: 'value of a secret',
    AZURE_PAT: 'value of a pat',
    DATABASE_URL: 'postgres://una:value%20of%20one@db/app',
    PATH: '/usr/bin:/bin',
    PWD: '/home/una/some/where',
    SSH_KEY_PATH: 'keys/id_ed25519.pub',
    GNOME_KEYRING_CONTROL: 'the keyring of una',
    KEYBOARD_LAYOUT: 'german, no dead keys',
    TOKEN_SERVER: 'https://example.org/token',
    SECRETS: '/run/secrets/app',
    NO_TOKEN: undefined,
  };
  const values = Object.values(env).filter((value) => value !== undefined);
  knowEnvironment(env);
  told.push(...values, 'value%20of%20one');
  expect(values.map((value) => withoutSecrets(value))).toEqual([
    ...Array(5).fill(REDACTED),
    `postgres://una:${REDACTED}@db/app`,
    ...values.slice(6),
  ]);
});

test('who holds a secret is named', () => {
  const env = { SHOP_API_KEY: 'correct-horse-battery', OTHER_TOKEN: 'not in the text' };
  knowEnvironment(env);
  told.push(...Object.values(env));
  expect(secretsIn(`x ${Buffer.from('correct-horse-battery').toString('base64')}`)).toEqual(['SHOP_API_KEY']);
  expect(secretsIn('correct-horse')).toEqual([]);
});

test('in a new version of a text the same is found as in the whole of it', () => {
  const value = 'correct-horse-battery';
  know(value);
  const parts = [
    'x'.repeat(150),
    '\n',
    value,
    value.slice(0, 9),
    value.slice(9),
    '%41',
    Buffer.from(value).toString('hex'),
  ];
  const texts = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((all) => all.join(''));
  fc.assert(
    fc.property(texts, texts, texts, texts, (start, old, fresh, end) => {
      const [before, text] = [start + old + end, start + fresh + end];
      expect(withoutNewSecrets(text, before, () => before)).toBe(withoutSecrets(text, before));
    }),
  );
});

test.each(['correc', '%41', 'correct horse ', '\\n', ' '])('half a megabyte of %j is read in linear time', (part) => {
  know('correct horse battery staple'.repeat(40));
  const text = part.repeat(Math.ceil(500_000 / part.length));
  withoutSecrets(text);
});
