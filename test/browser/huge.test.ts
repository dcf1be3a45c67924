import { appendFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_MS, eventLine, writeBigRun } from '../support/big-run.ts';
import { needs } from '../support/debian.ts';
import { makePlace, type Place, type Watched, watch } from './watched.ts';

const missing = await needs('chromium');

const EVENTS = 1_000_000;

describe.skipIf(missing).each([
  { run: '20260101-000000-many', iterations: 100, isLive: false, kind: 'of 100 iterations' },
  { run: '20260101-000000-live', iterations: 1, isLive: true, kind: 'as one endless iteration' },
])('a run of a million events $kind', ({ run, iterations, isLive, kind }) => {
  let place: Place;
  let watched: Watched;
  let log: string;

  beforeAll(async () => {
    place = await makePlace();
    log = await writeBigRun({ root: place.root, run, events: EVENTS, iterations, isLive });
    watched = await watch(place.root, place.home);
  });
  afterAll(async () => {
    await watched?.close();
    await place?.remove();
  });

  // As text: the tests' own code is not for browsers.
  const lines = () =>
    watched.page.evaluate<number[]>(
      "[...document.querySelectorAll('.transcript .row')].map((row) => Number(row.dataset.line))",
    );
  const elements = () => watched.page.evaluate<number>("document.querySelectorAll('*').length");

  test('is on the page, at its end', async () => {
    const started = performance.now();
    await watched.open(run, 'transcript');
    await watched.page.locator(`.transcript .row`).first().waitFor();
    await expect.poll(async () => Math.max(...(await lines()))).toBeGreaterThan(EVENTS - 5);
    const took = performance.now() - started;
    console.log(`a run ${kind}: usable after ${Math.round(took)} ms`);
  });

  test('goes to its beginning, its middle and its end, and keeps little of it', async () => {
    await watched.page.locator('.transcript .scroller').focus();
    await watched.page.keyboard.press('Home');
    await expect.poll(async () => Math.min(...(await lines()))).toBe(1);
    const box = (await watched.page.locator('.transcript .rail').boundingBox())!;
    await watched.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(async () => Math.abs((await lines())[0]! - EVENTS / 2)).toBeLessThan(EVENTS / 50);
    await watched.page.mouse.move(box.x - 300, box.y + 200);
    for (let i = 0; i < 40; i++) {
      await watched.page.mouse.wheel(0, 900);
      await wait(20);
    }
    expect((await lines())[0]!).toBeGreaterThan(EVENTS / 2);
    expect(await elements()).toBeLessThan(3000);
    await watched.page.locator('.transcript .rail').focus();
    await watched.page.keyboard.press('End');
    await expect.poll(async () => Math.max(...(await lines()))).toBeGreaterThan(EVENTS - 5);
  });

  test('finds words anywhere in it', async () => {
    await watched.page.getByLabel('Search the transcript').fill(`step ${isLive ? '750000' : '4998'} of iteration`);
    await watched.page.keyboard.press('Enter');
    await watched.page.locator('.row.chosen mark').first().waitFor();
    await expect.poll(() => watched.page.locator('.row.chosen').textContent()).toContain(isLive ? '750000' : '4998');
  });

  let now = Date.UTC(2026, 0, 3);
  const line = (text: string) => eventLine(run, now++, 1, { type: 'agent', event: { type: 'text', text } });
  const say = (texts: readonly string[]) => appendFile(log, texts.map(line).join(''));

  if (isLive)
    test('stays at its end when what is new comes in several answers', async () => {
      await watched.page.locator('.transcript .scroller').focus();
      await watched.page.keyboard.press('End');
      await expect.poll(async () => Math.max(...(await lines()))).toBeGreaterThan(EVENTS - 5);
      await watched.page.route('**/lines?**', async (route) => {
        await wait(300);
        await route.continue();
      });
      for (const word of ['the first', 'the second', 'the last']) {
        await say([...Array<string>(200).fill('and on'), word]);
        await watched.page.locator('.transcript .row', { hasText: word }).waitFor();
      }
      await watched.page.unrouteAll();
      expect(await watched.page.getByRole('button', { name: 'Follow live' }).count()).toBe(0);
    });

  if (isLive)
    test('shows the last of thousands of events a second, and keeps little of them', async () => {
      for (let part = 0; part < 40; part++) {
        const last = part === 39 ? ['the last word'] : [];
        await say([...Array.from({ length: 500 }, (_, i) => `flood ${part} ${i}`), ...last]);
        await wait(100);
      }
      await watched.page.locator('.transcript .row', { hasText: 'the last word' }).waitFor();
      expect(await elements()).toBeLessThan(3000);
    });

  test('is replayed from its headlines, with what was said at any moment', async () => {
    await watched.open(run, 'replay');
    const slider = watched.page.getByRole('slider', { name: 'Moment' });
    await slider.fill(String((EVENTS / 2) * EVERY_MS));
    await expect.poll(async () => Math.abs(((await lines()).at(-1) ?? 0) - EVENTS / 2)).toBeLessThan(1000);
  });

  test('nothing complains', () => {
    expect(watched.complaints).toEqual([]);
  });
});
