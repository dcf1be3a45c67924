import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bareLoop } from '../../bench/peers/adapters/bare-loop.ts';
import { pass, readCheckboxes, readStories, storiesJson } from '../../bench/peers/peer.ts';
import { HONEST, readVisits, stubAgent } from '../../bench/peers/stub.ts';

let lab: string;
const read = (path: string): string => readFileSync(join(lab, path), 'utf8');

beforeEach(() => {
  lab = mkdtempSync(join(tmpdir(), 'ralph-peers-test-'));
  mkdirSync(join(lab, 'project/src'), { recursive: true });
  writeFileSync(join(lab, 'project/PRD.md'), '- [ ] one\n- [ ] two\n');
  writeFileSync(join(lab, 'cell'), '0');
});

afterEach(() => rmSync(lab, { recursive: true, force: true }));

function start(script: string, args: readonly string[], input = ''): string {
  writeFileSync(join(lab, 'claude'), stubAgent(bareLoop, lab, script));
  const { stdout, stderr } = spawnSync('bash', [join(lab, 'claude'), ...args], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout;
}

test.skipIf(process.platform !== 'linux')(
  'an honest stub does one story, ticks it, and notes its start and end',
  () => {
    expect(start(HONEST, ['-p'], 'the prompt')).toBe('Done.\n');
    expect(readCheckboxes(read('project/PRD.md'))).toEqual({ done: 1, titles: ['one', 'two'] });
    expect(read('project/src/story-1.txt')).toBe('story 1\n');
    const [visit] = readVisits(read('notes'));
    expect(visit?.end).toBeGreaterThan(visit?.start ?? Number.POSITIVE_INFINITY);
  },
);

test.skipIf(process.platform !== 'linux')(
  'it answers as JSON lines that can be read, and says when all is done',
  () => {
    start(HONEST, ['-p', 'do it']);
    const lines = start(HONEST, ['-p', 'do it', '--output-format', 'stream-json']).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['system', 'assistant', 'result']);
    expect(JSON.parse(lines[2] ?? '').result).toBe('All done.');
  },
);

test.skipIf(process.platform !== 'linux')('a misbehaving stub does what its script says, until it is calmed', () => {
  start('answer Nothing.', ['-p', 'do it']);
  expect(readCheckboxes(read('project/PRD.md')).done).toBe(0);
  writeFileSync(join(lab, 'calm'), '');
  start('answer Nothing.', ['-p', 'do it']);
  expect(readCheckboxes(read('project/PRD.md')).done).toBe(1);
});

test('a start that was ended before its end has none', () => {
  expect(readVisits('start 7 1.5 10 2048 \nstart 8 2.5 12 2048 \nend 8 3.5 13\n')).toEqual([
    { start: 1500, end: null, pidsAtStart: 10, pidsAtEnd: null, memoryMb: 2 },
    { start: 2500, end: 3500, pidsAtStart: 12, pidsAtEnd: 13, memoryMb: 2 },
  ]);
});

test('stories as JSON are written, passed by the shell text, and read back', () => {
  const file = join(lab, 'prd.json');
  writeFileSync(file, storiesJson(3));
  spawnSync('bash', ['-c', pass(file).next]);
  expect(readStories(readFileSync(file, 'utf8'))).toMatchObject({ done: 1, titles: { length: 3 } });
  spawnSync('bash', ['-c', pass(file).all]);
  expect(readStories(readFileSync(file, 'utf8')).done).toBe(3);
});
