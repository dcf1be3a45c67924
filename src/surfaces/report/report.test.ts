/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: controls are what must not come through */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { RunView } from '../../rules/view/index.ts';
import { extra, viewOf } from './report.fixture.ts';
import { FORMATS, reportData } from './report.ts';

const { html, md, json } = FORMATS;
const reportHtml = (view: RunView, more = extra) => html(reportData([view], more));
const HOSTILE =
  '"><script>alert(1)</script><img src=x onerror=alert(1)>\u001b]0;x\u0007\u202e | [a](javascript:b) @una #1 `';

/** Nothing needs more room in Markdown than this. */
const long = viewOf({ iterations: 10_000, text: '@'.repeat(300) });

describe('the HTML report', () => {
  test('is one page without a script that may load nothing', () => {
    const page = reportHtml(viewOf());
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;`);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|<form|<a |href=|src=|url\(|https?:/i);
    expect(tagsIn(page)).toEqual([]);
  });

  test('tells outcome, stories, reviews, rejections, rescues and what needs a person', () => {
    const page = reportHtml(viewOf());
    for (const words of [
      'Only blocked stories are left: 1 of 2 stories, 3 iterations',
      'Needs a person',
      'ralph answer Q1 &quot;…&quot;',
      '1 review on 1 story. The first review approved 1 of 1 (100 %).',
      'a check that passed before fails',
      'ralph rescue show 20260101-100000-abcd/1-1',
      'git/push',
      '$0.30',
    ])
      expect(page).toContain(words);
  });

  test('gives hostile text no markup, attribute, control or turned-round character', () => {
    const page = reportHtml(viewOf({ text: HOSTILE }), { ...extra, project: HOSTILE });
    expect(page).not.toMatch(/<script|<img|\u001b|\u0007|\u202e/);
    expect(page).toContain('&lt;script&gt;');
    expect(attributesIn(page).filter((value) => value.includes('alert'))).toEqual([]);
  });

  test('has the same elements and attributes whatever an agent writes', () => {
    const skeleton = (text: string) => reportHtml(viewOf({ text }), { ...extra, project: text }).match(/<[^>]*>/g);
    const calm = skeleton('x');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (text) => {
        expect(skeleton(text)).toEqual(calm);
      }),
      { numRuns: runs(10), examples: [[HOSTILE], ['</title><svg onload=a>'], ['constructor'], ['__proto__']] },
    );
  });

  test('of 100 iterations stays below 150 KB, and of 10,000 it is usable and says what is left out', () => {
    expect(reportHtml(viewOf({ iterations: 100 })).length).toBeLessThan(150_000);
    const page = reportHtml(long);
    expect(page.length).toBeLessThan(300_000);
    expect(page).toContain('9800 more iterations before these are left out');
  });

  test('does not call it good when an exit condition ended a run whose work is not done', () => {
    const view = viewOf();
    const ended = { ...view.ended!, reason: 'condition' as const };
    expect(reportData([{ ...view, ended: { ...ended, exitCode: 1 } }], extra).outcome).toMatchObject({
      tone: 'warn',
      sentence: expect.stringContaining('An exit condition was met, and work is left'),
    });
    expect(reportData([{ ...view, ended: { ...ended, exitCode: 0 } }], extra).outcome.tone).toBe('good');
  });

  test('has tables that scroll with the keyboard, each with a name', () => {
    const scrolling = reportHtml(viewOf()).match(/<div class="scroll[^>]*>/g) ?? [];
    expect(scrolling.length).toBeGreaterThan(3);
    for (const tag of scrolling) expect(tag).toMatch(/ tabindex="0" role="region" aria-label="[A-Z][^"]+"/);
    expect(new Set(scrolling).size).toBe(scrolling.length);
  });

  test('shows a run without an end and one without any iteration', () => {
    expect(reportHtml(viewOf({ ended: false }), { ...extra, live: false })).toContain('The run was cut off');
    expect(reportHtml(viewOf({ ended: false }), { ...extra, live: true })).toContain('The run is under way');
    const between = { ...viewOf({ ended: false }), betweenSince: 1 };
    expect(reportHtml(between, { ...extra, live: false })).toContain('The run waits for its next turn');
    expect(reportData([between], { ...extra, live: false }).needs.map(({ what }) => what)).not.toContain(
      'The run was cut off: the next start recovers it',
    );
    expect(reportHtml(viewOf({ iterations: 0 }))).toContain('0 iterations');
  });
});

describe('the Markdown report', () => {
  test('says what ralph itself adds to the context of an iteration', () => {
    expect(md(reportData([viewOf()], extra))).toMatch(/On average.* 2\.0k tokens added by ralph/);
  });

  test('has tables with as many cells in every row, and neither HTML nor mentions of an agent', () => {
    const page = md(reportData([viewOf({ text: HOSTILE.replace('`', ''), iterations: 6 })], extra));
    expect(page).toContain('# app: needs you');
    expect(page.replaceAll(/`[^`]*`/g, '')).not.toMatch(/<script|<img|(?<!\\)\[a\]|@una|\u001b/);
    for (const table of page.split('\n\n').filter((block) => block.startsWith('|'))) {
      const widths = table.split('\n').map((row) => row.split('|').length);
      expect(new Set(widths).size).toBe(1);
    }
  });

  test('fits into a comment, whatever the length of the run', () => {
    const page = md(reportData([long], extra));
    expect(page.length).toBeLessThan(60_000);
    expect(page).toContain('lines did not fit');
  });
});

describe('the JSON report', () => {
  test('has a version and the figures', () => {
    const report = JSON.parse(json(reportData([viewOf()], extra)));
    expect(report).toMatchObject({
      version: 1,
      outcome: { reason: 'blocked', exitCode: 6 },
      costUsd: 0.3,
      storyCounts: { total: 2, done: 1, blocked: 1 },
      verdicts: [
        { verdict: 'accepted', count: 2 },
        { verdict: 'rejected', count: 1 },
      ],
      reviews: { decided: 1, stories: 1, approvedAtOnce: 1, rounds: [1], undecided: 0 },
      rejections: [{ cause: 'a check that passed before fails', count: 1 }],
      rescues: [{ name: '20260101-100000-abcd/1-1', kept: true, story: 'US-001' }],
      denials: { count: 3, rules: [{ rule: 'git/push', count: 3 }] },
      cacheShare: 0.75,
    });
    expect(report.budgets[0]).toEqual({ name: 'iterations', unit: 'count', used: 3, limit: 15 });
  });

  test('of several runs adds them up, and each story is there once', () => {
    const report = reportData([viewOf(), viewOf()], extra);
    expect(report.runs).toHaveLength(2);
    expect(report.costUsd).toBe(0.6);
    expect(report.stories.map(({ iterations }) => iterations)).toEqual([6, 0, 0]);
    expect(report.storyCounts).toEqual({ total: 2, done: 1, blocked: 1 });
    expect(html(report)).toContain('<h2>Runs</h2>');
  });

  test('a rescue with a name that a shell would take apart gets no command', () => {
    const view = viewOf();
    const [first, ...others] = view.iterations;
    const iterations = [{ ...first!, rescue: 'refs/ralph/rescue/x; rm -rf ~' }, ...others];
    expect(reportData([{ ...view, iterations }], extra).rescues[0]).toMatchObject({ show: null, restore: null });
  });
});

/** Tags without their partner: nothing may be left open. */
function tagsIn(page: string): readonly string[] {
  const open: string[] = [];
  for (const [, slash, name = '', end] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/gi)) {
    if (end === '/' || ['meta', 'br', 'doctype'].includes(name)) continue;
    if (slash === '') open.push(name);
    else if (open.at(-1) === name) open.pop();
    else open.push(`/${name}`);
  }
  return open;
}

function attributesIn(page: string): readonly string[] {
  return [...page.matchAll(/<[^>]*>/g)].flatMap(([tag]) =>
    [...tag.matchAll(/="([^"]*)"/g)].map(([, value = '']) => value),
  );
}
