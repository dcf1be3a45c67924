import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { type ServedDashboard, serveDashboard } from '../support/dashboard.ts';
import { needs } from '../support/debian.ts';
import { easySteps, makeProject, type Project } from '../support/project.ts';

const missing = await needs('chromium');

let project: Project;
let dashboard: ServedDashboard;

describe.skipIf(missing)('comments on the diff of a story', () => {
  beforeAll(async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }], steps: easySteps('US-001') });
    await project.run();
    dashboard = await serveDashboard(project);
  });
  afterAll(async () => {
    await dashboard?.kill();
    await project?.remove();
  });

  test('are collected, and sent together as one rejection', async () => {
    const { page, close, complaints } = await openBrowser();
    try {
      await page.goto(dashboard.address);
      const run = await page.locator('.row-link').first().getAttribute('href');
      await page.evaluate(`location.hash = ${JSON.stringify(`${run}/iteration/1`)}`);
      const numbers = page.getByRole('button', { name: /^Comment on src\/.* line 1$/ });
      await numbers.first().click();
      const field = page.locator('.comment-box textarea');
      await field.fill('this is never null');
      await page.keyboard.press('Control+Enter');
      await numbers.first().click();
      await field.fill('and <b>bold</b>');
      await page.getByRole('button', { name: 'Add comment' }).click();
      await page.getByText('2 comments on US-001, not sent yet').waitFor();
      await page
        .getByRole('button', { name: /^Remove the comment/ })
        .first()
        .click();
      await page.getByText('1 comment on US-001, not sent yet').waitFor();

      await page.getByRole('button', { name: 'Request changes' }).click();
      await page.getByLabel('In general').fill('Round half to even.');
      await page.getByRole('button', { name: 'Send back' }).click();
      await page.getByText('US-001 is sent back: the next run changes it').first().waitFor();
      await page.locator('dialog').getByRole('button', { name: 'Close' }).last().click();
      await page.getByText('To comment on a line, click its number.').waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await close();
    }
    const [story] = await project.stories();
    expect(story).toMatchObject({ passes: false, reviewStatus: 'changes_requested' });
    expect(story?.reviewFeedback).toMatch(/^- Round half to even\.\n- src\/\S+:1: and <b>bold<\/b>\n\(the line: .+\)$/);
  });
});
