import { expect, test } from 'vitest';
import { redact } from './redact.ts';
import { redactPieces } from './redact-block.ts';

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
