import { afterEach, describe, expect, test } from 'vitest';
import { fleetSource } from '../../src/commands/dashboard/fleet-source.ts';
import type { StreamStanding } from '../../src/contracts/index.ts';
import { openEngineClient } from '../../src/streams/engine/dbos/client.ts';
import { memoryIo } from '../../src/surfaces/terminal/io.fixture.ts';
import { openBrowser, type TestBrowser } from '../support/browser.ts';
import { needs } from '../support/debian.ts';
import { startPostgres } from '../support/postgres.ts';
import { type LoggedEvent, type Many, makeMany, selected, standing, started, TURN_OVER, worker } from './many.ts';

const missing = await needs('chromium');

let opened: (Many | TestBrowser)[] = [];

afterEach(async () => {
  for (const one of opened.reverse()) await one.close();
  opened = [];
});

async function show(many: Many, options: Parameters<typeof openBrowser>[0] = {}) {
  opened.push(many);
  const browser = await openBrowser(options);
  opened.push(browser);
  await browser.page.goto(many.address);
  await browser.page.locator('.page').waitFor();
  return browser;
}

const LATER: LoggedEvent = {
  type: 'turn-end',
  next: 'later',
  until: Date.now() + 3_000_000,
  why: 'limit',
  text: 'the usage limit of the provider',
};
const TREES = {
  '': [started('main', 0, 3), selected(1, 'US-009', 'By hand')],
  'PRD-1': [started('ralph/login', 2, 5), selected(3, 'US-003', 'Log out everywhere')],
  'PRD-2': [started('ralph/search', 1, 4), selected(2, 'US-002', 'Umlauts'), TURN_OVER],
  'PRD-10': [started('ralph/export', 0, 2), LATER],
  'PRD-1-lane-1': [started('ralph/lane/login-1', 0, 5), selected(1, 'US-004', 'Lane work')],
};

/** Names of the work trees as they stand below each other. */
const treesOn = ({ page }: TestBrowser) => page.locator('.runs tbody strong').allInnerTexts();

describe.skipIf(missing)('many at once', () => {
  test('the work trees of a repository stand together, each with what it does or waits for', async () => {
    const many = await makeMany(TREES);
    await many.live('PRD-1');
    const browser = await show(many);
    const { page } = browser;
    await page.locator('.runs .pill', { hasText: 'running' }).waitFor();
    // The main run was cut off and needs a person; what only waits for its turn does not.
    expect(await treesOn(browser)).toEqual(['PRD-1', 'lane 1', 'shop', 'PRD-2', 'PRD-10']);
    const row = (name: string) => page.locator('.runs tbody tr', { hasText: name });
    expect(await row('PRD-2').innerText()).toMatch(/between turns[\s\S]*waits for its turn: ralph stream start 2/);
    expect(await row('PRD-10').innerText()).toMatch(/between turns[\s\S]*usage limit, \d\d:\d\d left/);
    expect(await row('lane 1').getAttribute('class')).toBe('lane');
    expect(await page.getByText('5 work trees').isVisible()).toBe(true);
    await many.log('PRD-2', selected(3, 'US-003', 'The next turn'));
    await many.live('PRD-2');
    await row('PRD-2').locator('.pill', { hasText: 'running' }).waitFor();
    expect(await row('PRD-2').innerText()).toContain('US-003 The next turn');
    expect(browser.complaints).toEqual([]);
  });

  test('the page of a run between turns says so, and follows the next turn', async () => {
    const many = await makeMany(TREES);
    const { page, complaints } = await show(many);
    await page.evaluate(`location.hash = ${JSON.stringify(many.hrefOf('PRD-2'))}`);
    await page.getByRole('heading', { name: 'Between two turns' }).waitFor();
    await page.getByText('ralph stream start 2 continues it.').waitFor();
    expect(await page.title()).toContain('between');
    const controls = () => page.getByRole('group', { name: 'Controls' }).getByRole('button').allInnerTexts();
    expect(await controls()).toEqual(['Pause', 'Note', 'Limits', 'Stop']);
    await many.log('PRD-2', selected(3, 'US-003', 'The next turn'));
    await page.getByText('The next turn').first().waitFor();
    await page.locator('.run-title .pill', { hasText: 'running' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('one that is paused between turns is resumed, and no other way to continue is named', async () => {
    const pause = { why: 'pause', until: null, text: 'paused' } as const;
    const many = await makeMany({ 'PRD-2': [started('ralph/search', 1, 4), { ...LATER, ...pause }] });
    const { page, complaints } = await show(many);
    await page.evaluate(`location.hash = ${JSON.stringify(many.hrefOf('PRD-2'))}`);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('done', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    expect(await page.getByText('continues it').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a fleet shows its streams and workers, and why it cannot be asked', async () => {
    let gone = false;
    const streams: readonly StreamStanding[] = [
      standing('PRD-1', { state: 'working', turns: 4, attempts: 2, worker: 'w1', costUsd: 1.5 }),
      standing('PRD-2', { state: 'later', turns: 1, until: Date.now() + 3_000_000, text: 'calls per hour' }),
      standing('PRD-3', { state: 'done', turns: 9, ended: { reason: 'complete', exitCode: 0 } }),
      standing('PRD-4', { state: 'failed', text: '<b>broken</b>' }),
    ];
    const many = await makeMany(
      {},
      {
        engine: 'postgres://db.example.com/fleet',
        async look() {
          if (gone) throw new Error('the database cannot be reached');
          return { streams, workers: [worker('w1', { streams: ['PRD-1'] }), worker('w2', { state: 'gone' })] };
        },
        close: async () => {},
      },
    );
    const { page, complaints } = await show(many);
    const fleet = page.getByRole('region', { name: 'Fleet' });
    const row = (name: string) => fleet.locator('tr', { hasText: name });
    expect(await row('PRD-1').first().innerText()).toMatch(/working[\s\S]*4 turns attempt 2[\s\S]*\$1\.50[\s\S]*w1/);
    expect(await row('PRD-2').innerText()).toMatch(/later[\s\S]*calls per hour, \d\d:\d\d left/);
    expect(await row('PRD-4').innerText()).toContain('<b>broken</b>');
    expect(await row('w2').innerText()).toMatch(/gone[\s\S]*0 of 2[\s\S]*build-1/);
    expect(await fleet.getByText('postgres://db.example.com/fleet').isVisible()).toBe(true);
    gone = true;
    await fleet.getByText('the database cannot be reached (last known state, now)').waitFor();
    expect(await row('PRD-3').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test.each([360, 1440])('nothing is wider than a screen of %d', async (width) => {
    const fleet = { engine: 'postgres://db/fleet', close: async () => {} };
    const streams = [
      standing(`PRD-${'1'.repeat(60)}`, { state: 'later', text: 'x'.repeat(300), worker: 'w'.repeat(80) }),
    ];
    const many = await makeMany(TREES, {
      ...fleet,
      look: async () => ({ streams, workers: [worker('w'.repeat(80))] }),
    });
    const { page } = await show(many, { viewport: { width, height: 800 } });
    await page.getByRole('region', { name: 'Fleet' }).locator('tbody tr').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });
});

const noDatabase = missing ?? (await needs('postgres'));

describe.skipIf(noDatabase)('a fleet in a real database', () => {
  test('is shown as it is, and when its server is restarted, without its password', async () => {
    const postgres = await startPostgres();
    try {
      const source = fleetSource({ engine: postgres.url }, memoryIo());
      const many = await makeMany({}, source);
      const { page, complaints } = await show(many);
      const fleet = page.getByRole('region', { name: 'Fleet' });
      await fleet.getByText('No streams yet.').waitFor();
      const client = await openEngineClient(postgres.url);
      await client.submit({ stream: 'PRD-7', task: null });
      await client.close();
      await fleet.locator('tr', { hasText: 'PRD-7' }).getByText('ready').waitFor();
      await postgres.restart(async () => {
        await fleet.getByRole('alert').waitFor();
        expect(await page.content()).not.toContain(new URL(postgres.url).password);
      });
      await fleet.getByRole('alert').waitFor({ state: 'detached' });
      expect(await fleet.locator('tr', { hasText: 'PRD-7' }).isVisible()).toBe(true);
      expect(complaints).toEqual([]);
    } finally {
      for (const one of opened.splice(0).reverse()) await one.close();
      await postgres.stop();
    }
  });
});
