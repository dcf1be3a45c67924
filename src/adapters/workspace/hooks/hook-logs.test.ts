import { statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exists, readText } from '../../../platform/index.ts';
import { tempTree } from '../temp-tree.fixture.ts';
import { appendHookLog, appendToLog, readSession } from './hook-files.ts';

const KEEP = 'failure-context.log';
const entry = (i: number) => `entry ${i} ${'x'.repeat(1000)}\n`;

test('a full log is kept as one older generation', async () => {
  const root = await tempTree({ '.ralph/': '' });
  for (let i = 0; i < 150; i++) appendHookLog(root, KEEP, entry(i));
  const log = `${await readText(`${root}/.ralph/failure-context.1.log`)}${await readText(`${root}/.ralph/${KEEP}`)}`;
  expect(log.match(/^entry \d+/gm)).toEqual(Array.from({ length: 150 }, (_, i) => `entry ${i}`));
  expect(statSync(`${root}/.ralph/failure-context.1.log`).size).toBeGreaterThanOrEqual(100 * 1024);
  expect(statSync(`${root}/.ralph/${KEEP}`).size).toBeLessThan(100 * 1024);
});

test('the claim of a rotation that died is given up, a fresh one is respected', async () => {
  const root = await tempTree({
    '.ralph/failure-context.log': 'x'.repeat(200_000),
    '.ralph/failure-context.log.rotating': '',
  });
  appendHookLog(root, KEEP, 'one\n');
  expect(await exists(`${root}/.ralph/failure-context.1.log`)).toBe(false);
  utimesSync(`${root}/.ralph/failure-context.log.rotating`, 1, 1);
  appendHookLog(root, KEEP, 'two\n');
  appendHookLog(root, KEEP, 'three\n');
  expect(await readText(`${root}/.ralph/${KEEP}`)).toBe('three\n');
});

test('a state folder that is a link is refused: it may lead out of the work tree', async () => {
  const root = await tempTree({ 'elsewhere/': '' });
  symlinkSync('elsewhere', `${root}/.ralph`);
  expect(() => appendHookLog(root, 'activity.log', 'x\n')).toThrow('is not a folder');
});

test('a log that is a link is refused', async () => {
  const root = await tempTree({ '.ralph/': '', victim: 'safe\n' });
  symlinkSync('../victim', `${root}/.ralph/activity.log`);
  expect(() => appendToLog(`${root}/.ralph`, 'activity.log', 'x\n')).toThrow();
  expect(await readText(`${root}/victim`)).toBe('safe\n');
});

test('a session is read from both generations, the older one first, where they are there', async () => {
  const root = await tempTree();
  const session = 's';
  expect(readSession(root, session)).toMatchObject({ refusals: 0 });
  writeFileSync(`${root}/session.log`, `${JSON.stringify({ session, refusals: 2 })}\n`);
  writeFileSync(`${root}/session.1.log`, `${JSON.stringify({ session, refusals: 1, read: ['/a'] })}\n`);
  expect(readSession(root, session)).toMatchObject({ refusals: 2, read: new Set(['/a']) });
});
