import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../platform/index.ts';
import { followEventFile, openEventFile } from './event-file.ts';
import { openEventLog } from './events.ts';

const RUN = '20261121-233015-k3f9';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralph-follow-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Follows the log until it said `last`; all that it said. */
async function followedUntil(last: string, act: () => Promise<void>, refuse = 0): Promise<readonly string[]> {
  const file = await openEventFile(root, RUN);
  const seen: string[] = [];
  let refusals = refuse;
  return new Promise((resolve, reject) => {
    const follower = followEventFile(file, async () => {
      if (refusals-- > 0) throw new Error('not now');
      while ((await file.advance((event) => event.type === 'notice' && seen.push(event.text))) !== 'same');
      if (seen.at(-1) !== last) return;
      follower.close();
      resolve(seen);
    });
    // Nothing else keeps this process alive, as nothing keeps that of a monitor.
    act().catch(reject);
  });
}

async function tell(...texts: readonly string[]): Promise<void> {
  const log = await openEventLog(root, RUN, systemClock);
  for (const text of texts) log.emit(0, { type: 'notice', level: 'info', text });
  log.close();
}

test('a log that is made later is followed, everything once and in order', async () => {
  const seen = await followedUntil('three', async () => {
    await tell('one');
    await tell('two', 'three');
  });
  expect(seen).toEqual(['one', 'two', 'three']);
});

test('a look that fails is made up for by the next', async () => {
  await tell('one');
  expect(await followedUntil('two', () => tell('two'), 2)).toEqual(['one', 'two']);
});

test('a folder that was removed and made again is followed on', async () => {
  await tell('old');
  const seen = await followedUntil('new', async () => {
    await rm(`${root}/.ralph`, { recursive: true });
    await mkdir(`${root}/.ralph`);
    await writeFile(`${root}/.ralph/note`, '');
    await tell('new');
  });
  expect(seen.at(-1)).toBe('new');
});
