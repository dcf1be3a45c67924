import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser.ts';
import { iterationsInLog, type ServedDashboard, serveDashboard } from '../support/dashboard.ts';
import { needs } from '../support/debian.ts';
import { easySteps, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { until } from '../support/until.ts';

const missing = await needs('chromium');

let project: Project | null = null;
let dashboard: ServedDashboard | null = null;
let browser: TestBrowser | null = null;

afterEach(async () => {
  await browser?.close();
  await dashboard?.kill();
  await project?.remove();
  project = dashboard = browser = null;
});

/** A project, its dashboard, and a browser that has opened what the dashboard printed. */
async function watch(options: ProjectOptions) {
  const made = await makeProject(options);
  project = made;
  const served = await serveDashboard(made);
  dashboard = served;
  const opened = await openBrowser();
  browser = opened;
  await opened.page.goto(served.address);
  return { project: made, dashboard: served, browser: opened, page: opened.page };
}

/** The steps of a story, held back until the test lets it go on. */
function heldSteps(id: string) {
  const [implement, review] = easySteps(id);
  const actions = implement?.['do'] as readonly unknown[];
  return [{ ...implement, do: [{ 'wait-for-file': `../outside/${id}` }, ...actions] }, review ?? {}];
}

const letGo = (from: Project, id: string) => mkdir(join(from.outside, id));

const runState = (page: Page) => page.locator('.run-title .pill');

async function openFirstRun(page: Page): Promise<void> {
  await page.locator('.row-link').first().click();
  await page.locator('.run-head').waitFor();
}

/** Presses a control, answers its question, reads what came of it, and closes that. */
async function control(
  page: Page,
  name: string,
  confirm: string,
  fill?: (dialog: ReturnType<Page['locator']>) => Promise<void>,
) {
  await page.getByRole('button', { name, exact: true }).click();
  const dialog = page.locator('dialog[open]');
  await fill?.(dialog);
  await dialog.getByRole('button', { name: confirm, exact: true }).click();
  const answer = dialog.locator('.answer');
  await answer.waitFor();
  const text = await answer.innerText();
  await dialog.locator('.dialog-foot button').click();
  await dialog.waitFor({ state: 'detached' });
  return text;
}

describe.skipIf(missing)('the page of a live run', () => {
  test('shows a run from its start to its end, by itself', async () => {
    const { project, page, browser } = await watch({
      stories: [{ id: 'US-001' }, { id: 'US-002', dependsOn: ['US-001'] }],
      steps: [...heldSteps('US-001'), ...easySteps('US-002')],
      verifyCommands: ['true'],
    });
    await page.getByText('No runs yet').waitFor();
    const running = project.run();
    await page.locator('.runs .pill', { hasText: 'running' }).waitFor();
    await openFirstRun(page);
    await page.locator('.now-story', { hasText: 'US-001' }).waitFor();
    await letGo(project, 'US-001');
    await page.locator('.run-title .pill', { hasText: 'complete' }).waitFor();
    expect((await running).code).toBe(0);
    await page.locator('.outcome', { hasText: 'COMPLETE' }).waitFor();
    expect(await page.locator('.iteration').count()).toBe(await iterationsInLog(project));
    await page.getByRole('link', { name: /^Stories/ }).click();
    expect(await page.locator('.board-column', { hasText: 'Done' }).locator('.card').count()).toBe(2);
    expect(browser.complaints).toEqual([]);
    expect(browser.strangers).toEqual([]);
  });

  test('steers it: note, limits, pause, resume, an answer, an approval and a stop', async () => {
    const { project, page, browser } = await watch({
      stories: [{ id: 'US-001' }, { id: 'US-002' }, { id: 'US-003' }, { id: 'US-004' }],
      steps: [
        // The note goes to whoever is prompted next.
        {
          when: { story: 'US-001', mode: 'review' },
          do: [
            { 'expect-prompt': 'mind the umlauts' },
            { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } },
          ],
        },
        ...heldSteps('US-001'),
        {
          when: { story: 'US-002', mode: 'implement', attempt: 1, reviewCount: 0, iteration: 3 },
          do: [{ tool: { name: 'ask_question', arguments: { question: 'Euro or dollar?' } } }, { say: 'I ask.' }],
        },
        ...heldSteps('US-002'),
        ...heldSteps('US-003'),
        ...easySteps('US-004'),
      ],
      verifyCommands: ['true'],
    });
    const running = project.run();
    await page.locator('.runs .pill', { hasText: 'running' }).waitFor();
    await openFirstRun(page);
    await page.locator('.now-story', { hasText: 'US-001' }).waitFor();

    await control(page, 'Note', 'Send', (dialog) => dialog.locator('textarea').fill('mind the umlauts'));
    await control(page, 'Limits', 'Change', (dialog) => dialog.getByLabel('Iterations').fill('40'));
    await control(page, 'Pause', 'Pause');
    await letGo(project, 'US-001');
    await page.locator('.run-title .pill', { hasText: 'paused' }).waitFor();
    await page.locator('.gauge', { hasText: 'of 40' }).waitFor();
    await control(page, 'Resume', 'Resume');
    await page.locator('.run-title .pill', { hasText: 'running' }).waitFor();

    await page.getByText('Euro or dollar?').first().waitFor();
    await control(page, 'Answer', 'Answer', (dialog) => dialog.locator('textarea').fill('euros only'));
    await page.locator('.now-story', { hasText: /US-00[23]/ }).waitFor();

    await page.getByRole('link', { name: /^Stories/ }).click();
    await control(page, 'Approve US-004', 'Approve');
    await control(page, 'Stop after this', 'Stop after it');
    await letGo(project, 'US-002');
    await letGo(project, 'US-003');
    await page.locator('.run-title .pill', { hasText: 'stopped' }).waitFor();
    await running;
    const stories = await project.stories();
    expect(stories[0]).toMatchObject({ id: 'US-001', passes: true });
    expect(browser.complaints).toEqual([]);
  });

  test('says what cannot be done, with the way out, and keeps the question open', async () => {
    const { project, page } = await watch({
      stories: [{ id: 'US-001' }],
      steps: heldSteps('US-001'),
      verifyCommands: ['true'],
    });
    const { child, ended } = project.start(['run', '--scenario', project.scenario]);
    await page.locator('.runs .pill', { hasText: 'running' }).waitFor();
    await openFirstRun(page);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    child.kill('SIGKILL');
    await ended;
    await page.locator('dialog[open]').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.locator('dialog[open] .problem').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.run-title .pill', { hasText: 'cut off' }).waitFor();
  });

  test('comes back by itself after the server was killed: nothing is lost, nothing is doubled', async () => {
    const {
      project,
      page,
      dashboard: first,
    } = await watch({
      stories: [{ id: 'US-001' }, { id: 'US-002' }],
      steps: [...heldSteps('US-001'), ...heldSteps('US-002')],
      verifyCommands: ['true'],
    });
    const running = project.run();
    await page.locator('.runs .pill', { hasText: 'running' }).waitFor();
    await openFirstRun(page);
    await first.kill();
    await page.getByText('reconnecting…').waitFor();
    await letGo(project, 'US-001');
    await until(async () => (await iterationsInLog(project)) === 3);
    dashboard = await serveDashboard(project, first.port);
    await page.locator('.connection.live').waitFor();
    await letGo(project, 'US-002');
    await page.locator('.run-title .pill', { hasText: 'complete' }).waitFor();
    await running;
    const shown = await page.locator('.i-number').allInnerTexts();
    expect(shown).toEqual(['4', '3', '2', '1']);
    expect(await runState(page).innerText()).toBe('complete');
  });
});
