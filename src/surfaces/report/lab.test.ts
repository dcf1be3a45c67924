import { expect, test } from 'vitest';
import { compare } from '../../rules/lab/index.ts';
import { aLab, anArm, upTo } from '../../rules/lab/lab.fixture.ts';
import { renderHtml } from './html.ts';
import { labPage } from './lab.ts';
import { renderMarkdown } from './markdown.ts';

const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e | [a](javascript:b) @una';
const extra = { project: 'till', generatedAt: 0, ralph: '0.1.0' };

function pageOf(n: number, text = 'x') {
  const arms = ['claude', 'codex'].map((name, i) => ({
    arm: anArm(`${name}:${text}`),
    solves: upTo(7 - i),
    costUsd: 1 + i,
  }));
  const { tasks, results, dropped } = aLab(n, arms);
  const named = results.map((one) => ({ ...one, reason: text, broke: [text], folder: `attempts/${text}/${one.task}` }));
  const told = tasks.map((task) => ({ ...task, story: { ...task.story, title: text } }));
  return labPage(
    compare(
      told,
      named,
      dropped.map((one) => ({ ...one, title: text })),
    ),
    extra,
    (folder) => folder,
  );
}

test('names, reasons and paths add no element, with any text in them', () => {
  const skeleton = (text: string) =>
    renderHtml(pageOf(12, text))
      .replaceAll(/href="[^"]*"/g, 'href')
      .match(/<[^>]*>/g);
  expect(skeleton(HOSTILE)).toEqual(skeleton('x'));
  const links = renderHtml(pageOf(12, 'javascript:alert(1)//')).match(/href="[^"]*"/g) ?? [];
  expect(links.length).toBeGreaterThan(20);
  for (const link of links) expect(link).toMatch(/^href="\.\/attempts\/[\w%()./-]*"$/);
  expect(renderMarkdown(pageOf(12, HOSTILE))).not.toMatch(/<script|\u202e|(?<!\\)\[a\]|@una/);
});

test('says what it leaves out of very many tasks, and what nothing can be suggested for', () => {
  const page = renderHtml(pageOf(400));
  expect(page).toContain('100 more tasks are left out here; `--json` has all of them.');
  expect(page.length).toBeLessThan(400_000);
  const few = pageOf(3);
  expect(few).toMatchObject({ label: 'no suggestion', sentence: expect.stringMatching(/^Too little data/) });
  expect(renderMarkdown(few)).not.toContain('## Suggestion');
});
