/**
 * `node scripts/bootstrap.mjs scripts/picture/dashboard.ts`: photographs the page of a real run for docs/dashboard.png.
 * Builds dist/ if need be; needs Chromium.
 */
import { join } from 'node:path';
import { openBrowser } from '../../test/support/browser.ts';
import { serveDashboard } from '../../test/support/dashboard.ts';
import { makeProject } from '../../test/support/project.ts';
import { isStale } from '../build/freshness.ts';
import { root } from '../root.ts';
import { CHECK, STEPS, STORIES } from './dashboard-story.ts';

/** The agent's last step takes a while: long enough to look settled, short of its end. */
const SETTLE_MS = 6000;

if (await isStale()) await (await import('../build/bundle.ts')).bundle();
const project = await makeProject({
  stories: STORIES,
  steps: STEPS,
  verifyCommands: [CHECK],
  branchName: 'ralph/till',
  files: { 'src/till.js': 'exports.till = [];\n' },
});
const dashboard = await serveDashboard(project);
const browser = await openBrowser({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
try {
  const run = project.start(['run', '--scenario', project.scenario, '--max-cost', '3'], {
    RALPH_CONTEXT_WINDOW: '200000',
  });
  const { page } = browser;
  await page.goto(dashboard.address);
  await page.locator('.row-link').first().click();
  await page.locator('.now-story', { hasText: 'US-004' }).waitFor({ timeout: 120_000 });
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: join(root, 'docs/dashboard.png') });
  run.child.kill('SIGINT');
  await run.ended;
} finally {
  await browser.close();
  await dashboard.kill();
  await project.remove();
}
