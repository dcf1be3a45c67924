import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listRuns } from '../../src/adapters/workspace/index.ts';
import { needs } from '../support/debian.ts';
import { EVENTFUL } from '../support/eventful.ts';
import { makeProject, type Project } from '../support/project.ts';
import { type Watched, watch } from './watched.ts';

const missing = await needs('chromium');

describe.skipIf(missing)('the transcript of a run', () => {
  let project: Project;
  let watched: Watched;
  let run: string;

  beforeAll(async () => {
    project = await makeProject(EVENTFUL);
    await project.run();
    run = (await listRuns(project.root)).at(-1)!;
    watched = await watch(project.root, project.outside);
  });
  afterAll(async () => {
    await watched?.close();
    await project?.remove();
  });

  const rows = () => watched.page.locator('.transcript .row');
  const lineOf = (at: number) => rows().nth(at).getAttribute('data-line');

  test('opens at its end, and the keys Home and End go through all of it', async () => {
    await watched.open(run, 'transcript');
    await rows().filter({ hasText: 'ended' }).last().waitFor();
    await watched.page.locator('.transcript .scroller').focus();
    await watched.page.keyboard.press('Home');
    await rows().filter({ hasText: 'started' }).first().waitFor();
    await expect.poll(async () => Number(await lineOf(0))).toBeLessThan(10);
    await watched.page.getByRole('button', { name: 'To the end' }).click();
    await rows().filter({ hasText: 'ended' }).last().waitFor();
  });

  test('a tool call and what it answered are one row', async () => {
    await watched.open(run, 'transcript');
    const call = rows()
      .filter({ has: watched.page.locator('.label', { hasText: 'Write' }) })
      .first();
    await call.waitFor();
    await expect.poll(() => call.locator('.outcome').getAttribute('aria-label')).toBe('succeeded');
    await expect.poll(() => watched.page.locator('.row .label', { hasText: /^ *result$/ }).count()).toBe(0);
  });

  test('search goes from hit to hit, marks the words, and says when there are no more', async () => {
    await watched.open(run, 'transcript');
    await rows().first().waitFor();
    const field = watched.page.getByLabel('Search the transcript');
    await field.fill('CHANGES requested');
    await field.press('Enter');
    await watched.page.locator('.row.chosen mark').first().waitFor();
    const first = await watched.page.locator('.row.chosen').getAttribute('data-line');
    for (let hits = 0; hits < 30; hits++) {
      await field.press('Enter');
      await expect.poll(() => watched.page.locator('.transcript output').first().textContent()).not.toBe('Looking…');
      if ((await watched.page.locator('.transcript output').first().textContent()) !== '') break;
    }
    await expect
      .poll(() => watched.page.locator('.transcript output').first().textContent())
      .toBe('No more matches below.');
    for (let hits = 0; hits < 30; hits++) {
      await field.press('Shift+Enter');
      await expect.poll(() => watched.page.locator('.transcript output').first().textContent()).not.toBe('Looking…');
      if ((await watched.page.locator('.transcript output').first().textContent()) !== '') break;
    }
    await expect.poll(() => watched.page.locator('.row.chosen').getAttribute('data-line')).toBe(first);
  });

  test('filters leave out what nobody wants to see', async () => {
    await watched.open(run, 'transcript');
    await rows().first().waitFor();
    for (const kind of ['Tools', 'Tests & checks', 'Denials', 'Iterations', 'Run']) {
      await watched.page.locator('.kinds').getByLabel(kind, { exact: true }).uncheck();
    }
    await expect.poll(() => watched.page.locator('.transcript .row.words').count()).toBeGreaterThan(3);
    await expect.poll(() => watched.page.locator('.transcript .row:not(.words)').count()).toBe(0);
  });

  test('a link to a line brings whoever opens it there', async () => {
    await watched.open(run, 'transcript');
    await rows().first().waitFor();
    const line = await lineOf(3);
    await watched.open(run, `transcript?line=${line}`);
    await watched.page.locator(`.row.chosen[data-line="${line}"]`).waitFor();
    // By its number: the list may still be on its way to the line that was chosen.
    const other = await lineOf(2);
    await watched.page.locator(`.row[data-line="${other}"] .when`).click();
    await expect.poll(() => watched.page.url()).toContain(`?line=${other}`);
  });

  test('of one iteration only its own events are shown', async () => {
    await watched.open(run, 'iteration/2');
    await rows().first().waitFor();
    await expect.poll(() => watched.page.locator('.row.iteration').count()).toBe(1);
    await expect.poll(() => watched.page.locator('.row.iteration').textContent()).toContain('#2');
  });

  test('the diff of a commit numbers its lines and marks them by signs', async () => {
    await watched.open(run, 'iteration/1');
    const diff = watched.page.locator('.diff-file').filter({ hasText: 'src/one.txt' });
    await diff.locator('tr.added').first().waitFor();
    await expect.poll(() => diff.locator('tr.added').first().textContent()).toBe('1+one');
  });

  test('each chart also is a table, and has words for who does not see it', async () => {
    await watched.open(run, 'charts');
    await watched.page.locator('.chart canvas').first().waitFor();
    for (const chart of await watched.page.locator('.chart:has(canvas)').all()) {
      await expect.poll(() => chart.getByRole('img').first().getAttribute('aria-label')).toMatch(/last .*, highest /);
      await chart.locator('summary').click();
      await expect.poll(() => chart.locator('tbody tr').count()).toBeGreaterThan(0);
    }
  });

  test('the place stays for a reader who looks at another part and comes back', async () => {
    await watched.open(run, 'transcript');
    await rows().first().waitFor();
    await watched.page.locator('.transcript .scroller').focus();
    await watched.page.keyboard.press('Home');
    await expect.poll(async () => Number(await lineOf(0))).toBeLessThan(10);
    await watched.open(run, 'checks');
    await watched.page.locator('.transcript').waitFor({ state: 'detached' });
    await watched.open(run, 'transcript');
    await rows().first().waitFor();
    await expect.poll(async () => Number(await lineOf(0))).toBeLessThan(10);
  });

  test('a story opens by keyboard, with its criteria and its iterations', async () => {
    await watched.open(run, 'stories');
    const card = watched.page.locator('.card').first();
    await card.locator('.card-title').focus();
    await watched.page.keyboard.press('Enter');
    await card.getByRole('heading', { name: 'Acceptance criteria' }).waitFor();
    expect(await card.locator('.criteria li').count()).toBeGreaterThan(0);
    await card
      .getByRole('link', { name: /^#\d+$/ })
      .first()
      .click();
    await watched.page.locator('.detail').waitFor();
    await watched.open(run, 'stories');
    await card.locator('.story-detail').waitFor();
    await watched.page.keyboard.press('Tab');
    await card.locator('.card-title').click();
    await card.locator('.story-detail').waitFor({ state: 'detached' });
  });

  test('nothing complains, and nothing leaves', () => {
    expect(watched.complaints).toEqual([]);
    expect(watched.strangers).toEqual([]);
  });
});
