import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { compare } from '../../src/rules/lab/index.ts';
import { aLab, anArm, upTo } from '../../src/rules/lab/lab.fixture.ts';
import { labPage, renderHtml } from '../../src/surfaces/report/index.ts';
import { openBrowser } from '../support/browser.ts';
import { needs } from '../support/debian.ts';

const missing = await needs('chromium');

let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(missing)('the report on a lab', () => {
  test.each(['light', 'dark'] as const)(
    'has nothing that axe finds wrong, and fits a phone, in %s',
    async (colorScheme) => {
      const names = ['claude:opus', 'claude:haiku', 'codex', 'codex · prompts/with a long name.md'];
      const arms = names.map((name, i) => ({ arm: anArm(name), solves: upTo(12 + i, 4 * i), costUsd: 1 / (i + 1) }));
      const { tasks, results, dropped } = aLab(20, arms);
      const extra = { project: 'till', generatedAt: 0, ralph: '0.1.0' };
      folder = await mkdtemp(join(tmpdir(), 'ralph-lab-page-'));
      const path = join(folder, 'report.html');
      await writeFile(path, renderHtml(labPage(compare(tasks, results, dropped), extra, (attempt) => attempt)));
      const axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
      const browser = await openBrowser({ colorScheme, bypassCSP: true });
      try {
        const { page } = browser;
        await page.goto(`file://${path}`);
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
        }
        await page.addScriptTag({ content: axe });
        const found = await page.evaluate(
          `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.target).join('; ')))`,
        );
        expect(found).toEqual([]);
        // The dots are where the figures are: of two, the one that solves more is higher, the dearer one further right.
        const dots = page.locator('.plot .dot');
        const places = await Promise.all([0, arms.length - 1].map((i) => dots.nth(i).boundingBox()));
        expect(await dots.count()).toBe(arms.length);
        expect(places[0]!.y).toBeLessThan(places[1]!.y);
      } finally {
        await browser.close();
      }
    },
  );
});
