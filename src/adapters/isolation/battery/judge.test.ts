import { describe, expect, test } from 'vitest';
import { type Attempt, isAgainst } from './attempt.ts';
import { judge } from './judge.ts';

type Evidence = Parameters<typeof judge>[1];

const TOGETHER: Attempt = { id: 'x', category: 'files', attempt: 'get out', by: 'sh', script: '' };
const ALONE: Attempt = { ...TOGETHER, phase: 'alone' };
const HELD: Evidence = {
  began: true,
  output: 'x.sh: 3: cannot create /x: Read-only file system\n',
  stream: '',
  secret: 'secret-1',
  key: 'secret-key',
  outside: null,
  protectedFile: null,
  heard: [],
  victimAlive: true,
  found: null,
};

test('an attempt of which nothing shows was held, by what stopped it', () => {
  expect(judge(TOGETHER, HELD)).toEqual({ tried: true, held: true, detail: 'cannot create /x: Read-only file system' });
  expect(judge(TOGETHER, { ...HELD, output: '' })).toEqual({
    tried: true,
    held: true,
    detail: 'nothing showed outside',
  });
});

describe('what shows on the host counts, whatever was said inside', () => {
  test.each<[string, Partial<Evidence>]>([
    ['a file outside', { outside: 'new was made' }],
    ['a protected file', { protectedFile: 'the folder was changed' }],
    ['a listener', { heard: [{ where: 'a TCP port', text: 'battery:x;' }] }],
    ['a name server', { heard: [{ where: 'a UDP port', text: '\u0001x\u0007battery\u0004test' }] }],
    ['a secret', { stream: '… secret-1 …' }],
    ["the provider's key", { output: '… secret-key …' }],
    ['a check of its own', { found: 'the git dir was changed' }],
  ])('%s', (_, evidence) => {
    expect(judge(TOGETHER, { ...HELD, ...evidence }).held).toBe(false);
  });

  test('what another attempt left does not', () => {
    expect(judge(TOGETHER, { ...HELD, heard: [{ where: 'a TCP port', text: 'battery:y;' }] }).held).toBe(true);
  });

  test('a process of the host that ended, where the attempt may have ended it', () => {
    expect(judge(TOGETHER, { ...HELD, victimAlive: false }).held).toBe(true);
    expect(judge(ALONE, { ...HELD, victimAlive: false }).held).toBe(false);
  });
});

test('what an attempt says to have worked is believed', () => {
  const output = 'one\nESCAPED /dev/mem can be read\ntwo\n';
  expect(judge(TOGETHER, { ...HELD, output })).toEqual({ tried: true, held: false, detail: '/dev/mem can be read' });
});

test('what was not tried or not finished is not held; a sandbox of its own may end with its attempt', () => {
  const nothing = { ...HELD, began: false, output: null, stream: 'bwrap: no\n' };
  expect(judge(ALONE, nothing)).toEqual({ tried: false, held: false, detail: 'bwrap: no' });
  expect(isAgainst(judge(ALONE, nothing))).toBe(true);
  expect(judge(TOGETHER, { ...HELD, output: null }).held).toBe(false);
  expect(judge(ALONE, { ...HELD, output: null }).held).toBe(true);
});

test('what lacks a program is not tried, which speaks neither for nor against a sandbox', () => {
  const verdict = judge(TOGETHER, { ...HELD, output: 'x\nLACKS perl\n' });
  expect(verdict).toEqual({ tried: false, held: false, detail: 'there is no perl inside', lacks: 'perl' });
  expect(isAgainst(verdict)).toBe(false);
  expect(judge(TOGETHER, { ...HELD, output: 'LACKS perl\n', outside: 'new was made' }).tried).toBe(true);
});
