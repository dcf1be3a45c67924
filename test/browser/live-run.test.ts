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

/** The steps of a story, held back until the test lets it go on; `cost` in US dollars. */
function heldSteps(id: string, cost = 0) {
  const [implement, review] = easySteps(id);
  const actions = implement?.['do'] as readonly unknown[];
  const held = [{ 'wait-for-file': `../outside/${id}` }, { usage: { input: 100, output: 10, cost } }];
  return [{ ...implement, do: [...held, ...actions] }, review ?? {}];
}

const letGo = (from: Project, id: string) => mkdir(join(from.outside, id));

const runState = (page: Page) => page.locator('.run-title .pill');

async function openFirstRun(page: Page): Promise<void> {
  await page.locator('.row-link').first().click();
  await page.locator('.run-head').waitFor();
}

/** What the time line says: of the whole run, and of each iteration. */
async function figures(page: Page) {
  return {
    run: await page.locator('.outcome').innerText(),
    cost: await page.locator('.gauge', { hasText: 'cost' }).innerText(),
    iterations: await page.locator('.iteration').allInnerTexts(),
  };
}

/** All lines of the log that the transcript shows, with their text; the log is short enough to be there as a whole. */
async function transcriptLines(page: Page): Promise<readonly string[]> {
  await page.locator('.transcript .row', { hasText: 'ended' }).last().waitFor();
  return page
    .locator('.transcript .row')
    .evaluateAll((rows: readonly { dataset: { line: string }; textContent: string }[]) =>
      rows.map((row) => `${row.dataset.line} ${row.textContent}`),
    );
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
  test('shows a run from its start to its end, by itself', { tags: ['promise'] }, async () => {
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
    await expect.poll(() => page.locator('.iteration').count()).toBe(await iterationsInLog(project));
    await page.getByRole('link', { name: /^Stories/ }).click();
    await expect.poll(() => page.locator('.board-column', { hasText: 'Done' }).locator('.card').count()).toBe(2);
    expect(await control(page, 'Reopen US-002', 'Reopen')).toBe(
      'US-002 is reopened: to do, without reviews or failed attempts',
    );
    expect(await project.stories()).toMatchObject([{ passes: true }, { id: 'US-002', passes: false }]);
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

    const note = await control(page, 'Note', 'Send', (dialog) => dialog.locator('textarea').fill('mind the umlauts'));
    expect(note).toMatch(/^noted: the next prompt of run \S+ contains it, once$/);
    const limits = await control(page, 'Limits', 'Change', (dialog) => dialog.getByLabel('Iterations').fill('40'));
    expect(limits).toMatch(/has new limits:.* 40\b/);
    expect(await control(page, 'Pause', 'Pause')).toContain('pauses before its next iteration');
    expect(await control(page, 'Pause', 'Pause')).toContain('was already asked to pause');
    await letGo(project, 'US-001');
    await page.locator('.run-title .pill', { hasText: 'paused' }).waitFor();
    await page.locator('.gauge', { hasText: 'of 40' }).waitFor();
    expect(await control(page, 'Resume', 'Resume')).toContain('continues');
    await page.locator('.run-title .pill', { hasText: 'running' }).waitFor();

    await page.getByText('Euro or dollar?').first().waitFor();
    const answer = await control(page, 'Answer', 'Answer', (dialog) => dialog.locator('textarea').fill('euros only'));
    expect(answer).toContain('Q1 is answered');
    await page.locator('.now-story', { hasText: /US-00[23]/ }).waitFor();

    await page.getByRole('link', { name: /^Stories/ }).click();
    expect(await control(page, 'Approve US-004', 'Approve')).toContain('US-004 will be approved');
    expect(await control(page, 'Stop after iteration', 'Stop')).toContain('stops after this iteration');
    await letGo(project, 'US-002');
    await letGo(project, 'US-003');
    await page.locator('.run-title .pill', { hasText: 'stopped' }).waitFor();
    await running;
    const stories = await project.stories();
    expect(stories[0]).toMatchObject({ id: 'US-001', passes: true });
    expect(browser.complaints).toEqual([]);
  });

  test('stops it at once and keeps the work; what a person says of a story counts without a run, too', async () => {
    const { project, page } = await watch({
      stories: [{ id: 'US-001' }],
      steps: heldSteps('US-001'),
      verifyCommands: ['true'],
    });
    const running = project.run();
    await page.locator('.runs .pill', { hasText: 'running' }).waitFor();
    await openFirstRun(page);
    await page.locator('.now-story', { hasText: 'US-001' }).waitFor();
    expect(await control(page, 'Stop now', 'Stop now')).toContain('stops now');
    await page.locator('.run-title .pill', { hasText: 'stopped' }).waitFor();
    await running;
    await expect.poll(() => page.locator('.iteration').innerText()).toContain('interrupted');
    await page.getByRole('button', { name: 'Stop now' }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: /^Stories/ }).click();
    expect(await control(page, 'Approve US-001', 'Approve')).toBe('US-001 is approved by you: done');
    expect(await project.stories()).toMatchObject([{ id: 'US-001', passes: true }]);
    const card = page.locator('.card', { hasText: 'US-001' });
    await card.getByText('approved by you just now').waitFor();
    await expect
      .poll(() => card.locator('.card-actions button').allInnerTexts())
      .toEqual(['Request changes', 'Reopen']);
    await page.getByText('The stories at the end of the run.').waitFor();
    expect(await control(page, 'Reopen US-001', 'Reopen')).toContain('US-001 is reopened');
    await card.getByText('reopened by you just now').waitFor();
    expect(await project.stories()).toMatchObject([{ id: 'US-001', passes: false }]);
  });

  test('offers changes in a story that waits for approval, too', async () => {
    const { project, page } = await watch({ stories: [{ id: 'US-001' }], steps: easySteps('US-001') });
    const running = project.run(['--gate', 'story', '--max-duration', '2m']);
    await openFirstRun(page);
    await page.getByRole('link', { name: /^Stories/ }).click();
    const card = page.locator('.card', { hasText: 'waits for your approval' });
    await card.waitFor();
    const offered = () => card.locator('.card-actions button').allInnerTexts();
    await expect.poll(offered).toEqual(['Approve', 'Request changes', 'Reopen']);
    expect(await control(page, 'Approve US-001', 'Approve')).toContain('US-001');
    await running;
  });

  test('shows why the breaker opened, and closes it', async () => {
    const { project, page } = await watch({
      stories: [{ id: 'US-001' }, { id: 'US-002' }],
      steps: [{ when: { story: 'US-001' }, do: [{ say: 'I looked around.' }] }],
    });
    expect((await project.run(['--story-max-attempts', '5'])).code).toBe(3);
    await openFirstRun(page);
    const card = page.locator('.attention', { hasText: 'The circuit breaker is open' });
    await card.waitFor();
    await expect.poll(() => card.innerText()).toContain('ralph circuit reset');
    expect(await control(page, 'Reset breaker', 'Reset')).toContain('was open and is closed now');
    expect((await project.ralph(['circuit', 'reset'])).stdout).toContain('is already closed');
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
    const problem = page.locator('dialog[open] .problem');
    await problem.waitFor();
    await expect.poll(() => problem.locator('p').innerText()).toContain('no run is active here');
    await expect
      .poll(() => problem.locator('li').allInnerTexts())
      .toEqual(['`ralph run` continues it', '`ralph status` shows the last one']);
    await page.keyboard.press('Escape');
    await page.locator('.run-title .pill', { hasText: 'cut off' }).waitFor();
  });

  test('opens a dialog on its field or its safe button, and gives the focus back', async () => {
    const { project, page } = await watch({ stories: [{ id: 'US-001' }], steps: heldSteps('US-001') });
    const running = project.run();
    await page.locator('.runs .pill', { hasText: 'running' }).waitFor();
    await openFirstRun(page);
    // A page that is not connected yet draws its buttons once more.
    await page.locator('.connection.live').waitFor();
    const focused = () => page.evaluate('document.activeElement.name || document.activeElement.innerText.trim()');
    const dialog = page.locator('dialog[open]');
    const ways: readonly (readonly [control: string, first: string, close: () => Promise<void>])[] = [
      ['Pause', 'Cancel', () => page.keyboard.press('Escape')],
      ['Stop now', 'Cancel', () => page.keyboard.press('Enter')],
      ['Note', 'text', () => dialog.getByRole('button', { name: 'Close' }).click()],
      ['Limits', 'maxIterations', () => dialog.getByRole('button', { name: 'Cancel' }).click()],
    ];
    for (const [name, first, close] of ways) {
      await page.getByRole('button', { name, exact: true }).press('Enter');
      await dialog.waitFor();
      expect([name, await focused()]).toEqual([name, first]);
      await close();
      await dialog.waitFor({ state: 'detached' });
      await until(async () => (await focused()) === name);
    }
    // The browser reports the end of one dialog after the next one has opened.
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.evaluate(`
      const press = (text) => [...document.querySelectorAll('button')].find((one) => one.innerText.trim() === text).click();
      press('Cancel');
      press('Note');
      new Promise((done) => setTimeout(done, 100));
    `);
    await dialog.locator('textarea').fill('ü'.repeat(40_000));
    await dialog.getByText('80000 of 65536 bytes').waitFor();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('The note has 80000 bytes; the maximum is 65536.').waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await letGo(project, 'US-001');
    await running;
  });

  test('says at once that its token was renewed, with the way in, and rests', async () => {
    const {
      project,
      page,
      dashboard: first,
    } = await watch({ stories: [{ id: 'US-001' }], steps: heldSteps('US-001') });
    const running = project.run();
    await page.locator('.runs .pill', { hasText: 'running' }).waitFor();
    await openFirstRun(page);
    await page.locator('.connection.live').waitFor();
    await first.kill();
    dashboard = await serveDashboard(project, first.port, ['--new-token']);
    await page.getByRole('alert').getByText('Open the address that `ralph dashboard` prints.').waitFor();
    await page.locator('.connection.shut-out').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Stop now' }).isDisabled()).toBe(true);
    let asked = 0;
    page.on('request', () => asked++);
    await page.waitForTimeout(3000);
    expect(asked).toBeLessThan(3);
    await page.goto(dashboard.address);
    await openFirstRun(page);
    await page.locator('.connection.live').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Stop now' }).isDisabled()).toBe(false);
    await letGo(project, 'US-001');
    await running;
  });

  test('comes back by itself after the server was killed: nothing is lost, nothing is doubled', async () => {
    const {
      project,
      page,
      dashboard: first,
    } = await watch({
      stories: [{ id: 'US-001' }, { id: 'US-002' }],
      steps: [...heldSteps('US-001', 0.25), ...heldSteps('US-002', 0.5)],
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
    await expect.poll(() => runState(page).innerText()).toBe('complete');
    // What was folded through the break is what a page shows that was opened just now.
    const followed = await figures(page);
    expect(followed.iterations).toHaveLength(4);
    expect(followed.iterations[0]).toContain('$0.');
    await page.getByRole('link', { name: 'Transcript' }).click();
    const lines = await transcriptLines(page);
    expect(new Set(lines).size).toBe(lines.length);
    await page.getByRole('link', { name: /^Timeline/ }).click();
    await page.reload();
    await page.locator('.outcome', { hasText: 'COMPLETE' }).waitFor();
    await expect.poll(() => figures(page)).toEqual(followed);
    await page.getByRole('link', { name: 'Transcript' }).click();
    await expect.poll(() => transcriptLines(page)).toEqual(lines);
  });
});
