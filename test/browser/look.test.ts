import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser.ts';
import { type ServedDashboard, serveDashboard } from '../support/dashboard.ts';
import { needs } from '../support/debian.ts';
import { easySteps, makeProject, type Project } from '../support/project.ts';

const missing = await needs('chromium');

const SECTIONS = ['', '/iteration/1', '/stories', '/transcript', '/checks', '/charts', '/replay'];

let project: Project;
let dashboard: ServedDashboard;
/** Addresses of every page, the overview first. */
let pages: readonly string[] = [];

describe.skipIf(missing)('the look of the page', () => {
  beforeAll(async () => {
    project = await makeProject({
      stories: [
        { id: 'US-001', title: 'a title that is '.repeat(20) },
        { id: 'US-002', dependsOn: ['US-001'] },
      ],
      steps: [
        {
          when: { story: 'US-001', mode: 'implement', attempt: 1 },
          do: [{ write: { path: 'red', content: '' } }, { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } }],
        },
        ...easySteps('US-001'),
        ...easySteps('US-002'),
      ],
      verifyCommands: ['test ! -e red'],
    });
    await project.run();
    dashboard = await serveDashboard(project);
    const { page, close } = await openBrowser();
    await page.goto(dashboard.address);
    const run = await page.locator('.row-link').first().getAttribute('href');
    pages = ['#/', ...SECTIONS.map((section) => `${run}${section}`)];
    await close();
  });
  afterAll(async () => {
    await dashboard?.kill();
    await project?.remove();
  });

  async function withPage(
    options: Parameters<typeof openBrowser>[0],
    use: (browser: TestBrowser) => Promise<void>,
    address = dashboard.address,
  ): Promise<void> {
    const browser = await openBrowser(options);
    try {
      await browser.page.goto(address);
      await browser.page.locator('.runs').waitFor();
      await use(browser);
    } finally {
      await browser.close();
    }
  }

  async function show({ page }: TestBrowser, address: string): Promise<void> {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    await page.locator(address === '#/' ? '.runs' : '.run-head').waitFor();
    await page.waitForTimeout(300);
  }

  test.each(['light', 'dark'] as const)('axe finds nothing wrong on any page in %s', async (colorScheme) => {
    const axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    // Only to put axe into the page: every other test runs under the policy.
    await withPage({ colorScheme, bypassCSP: true }, async (browser) => {
      await browser.page.addScriptTag({ content: axe });
      const wrong: Record<string, readonly string[]> = {};
      for (const address of pages) {
        await show(browser, address);
        const found = (await browser.page.evaluate(
          `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
            violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.target + ' ' + node.failureSummary).join('; ')))`,
        )) as readonly string[];
        if (found.length > 0) wrong[address] = found;
      }
      expect(wrong).toEqual({});
    });
  });

  test('no page is wider than the screen of a phone, a tablet, a session', async () => {
    await withPage({}, async (browser) => {
      for (const address of pages) {
        await show(browser, address);
        for (const width of [360, 820, 1440]) {
          await browser.page.setViewportSize({ width, height: 800 });
          const wider = await browser.page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect({ address, width, wider }).toEqual({ address, width, wider: 0 });
        }
      }
      expect(browser.complaints).toEqual([]);
      expect(browser.strangers).toEqual([]);
    });
  });

  test('everything is reached by keys', async () => {
    await withPage({}, async (browser) => {
      const { page } = browser;
      const address = () => page.evaluate('location.hash') as Promise<string>;
      await page.keyboard.press('?');
      await page.locator('dialog[open]', { hasText: 'switch theme' }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });

      await show(browser, pages[1] ?? '');
      await page.keyboard.press('j');
      await page.locator('.detail').waitFor();
      const latest = await address();
      await page.keyboard.press('j');
      await expect.poll(() => address()).not.toBe(latest);
      await page.keyboard.press('k');
      await expect.poll(() => address()).toBe(latest);
      await page.keyboard.press('Escape');
      await expect.poll(() => address()).toBe(pages[1]);

      await page.keyboard.press('/');
      await page.keyboard.type('rejected');
      await page.locator('.iteration').nth(1).waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await page.locator('.iteration').nth(1).waitFor();

      const before = await page.evaluate('document.documentElement.dataset.theme');
      await page.keyboard.press('t');
      expect(await page.evaluate('document.documentElement.dataset.theme')).not.toBe(before);
      await page.reload();
      await page.locator('.run-head').waitFor();
      expect(await page.evaluate('document.documentElement.dataset.theme')).not.toBe(before);

      await page.keyboard.press('g');
      await page.keyboard.press('o');
      await page.locator('.runs').waitFor();
      await expect.poll(() => address()).toBe('#/');
    });
  });

  test('without the token in its store the page only looks, and says how to steer', async () => {
    await withPage({}, async (browser) => {
      await browser.page.evaluate('localStorage.clear()');
      await browser.page.reload();
      await show(browser, pages[1] ?? '');
      await browser.page.getByText('Read only.').waitFor();
      await show(browser, pages[3] ?? '');
      await expect
        .poll(() => browser.page.getByRole('button', { name: /^(Approve|Request changes|Reopen) / }).count())
        .toBe(0);
    });
  });

  test('a browser that was never let in is told which command prints the address', async () => {
    const browser = await openBrowser();
    try {
      await browser.page.goto(`http://127.0.0.1:${dashboard.port}/`);
      await expect.poll(() => browser.page.innerText('body')).toContain('ralph dashboard');
    } finally {
      await browser.close();
    }
  });
});
