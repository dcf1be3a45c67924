import { expect, onTestFinished, test } from 'vitest';
import { redact, redactedJson } from './redact.ts';
import { forgetSecret, knowSecrets, secretsOf } from './redact-known.ts';

function know(...values: readonly string[]): void {
  knowSecrets(values);
  onTestFinished(() => values.forEach(forgetSecret));
}

test('what is known to be secret is replaced wherever it stands, until it is forgotten', () => {
  know('correct horse "battery"', 'wer/das?liest');
  expect(redact('a correct horse "battery" b')).toBe('a [redacted] b');
  expect(redact('{"a":"correct horse \\"battery\\""}')).toBe('{"a":"[redacted]"}');
  expect(redact('https://example.org/?x=wer%2Fdas%3Fliest')).toBe('https://example.org/?x=[redacted]');
  expect(redactedJson({ a: ['wer/das?liest'] })).toBe('{"a":["[redacted]"]}');
  forgetSecret('wer/das?liest');
  expect(redact('wer/das?liest')).toBe('wer/das?liest');
});

test('short values are words, and the longer of two is taken first', () => {
  know('production', 'zwölf Zeichen', 'zwölf Zeichen und mehr');
  expect(redact('in production: zwölf Zeichen und mehr')).toBe('in production: [redacted]');
});

test('a value of several lines is known line by line, but for the marks of its ends', () => {
  know('-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END KEY-----');
  expect(redact('MIIEvQIBADANBgkqhkiG9w0BAQEF')).toBe('[redacted]');
  expect(redact('-----BEGIN KEY-----')).toBe('-----BEGIN KEY-----');
});

test('variables hold secrets by their names; not those that only say where one is', () => {
  const env = {
    ANTHROPIC_API_KEY: 'value of a key',
    MY_TOKEN: 'value of a token',
    DB_PASSWORD: 'value of a password',
    CLIENT_SECRET_2: 'value of a secret',
    PATH: '/usr/bin:/bin',
    SSH_KEY_PATH: 'keys/id_ed25519.pub',
    GNOME_KEYRING_CONTROL: 'the keyring of una',
    KEYBOARD_LAYOUT: 'german, no dead keys',
    TOKEN_SERVER: 'https://example.org/token',
    SECRETS: '/run/secrets/app',
    NO_TOKEN: undefined,
  };
  expect(secretsOf(env)).toEqual(['value of a key', 'value of a token', 'value of a password', 'value of a secret']);
});
