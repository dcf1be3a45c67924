import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventBody } from '../../src/contracts/index.ts';
import { eventLine, ownRun } from '../support/big-run.ts';
import { needs } from '../support/debian.ts';
import { makePlace, type Place, type Watched, watch } from './watched.ts';

const missing = await needs('chromium');

const RUN = '20260101-000000-evil';

/** What would run, load, link, hide or break something if any of it were taken for more than text. */
const EVIL: readonly string[] = [
  '<script>window.__pwned=1</script>',
  '<img src=x onerror="window.__pwned=1">',
  '"><svg onload=window.__pwned=1>',
  "javascript:window.__pwned=1//'",
  '</script></style></textarea><iframe src="http://192.0.2.1/"></iframe>',
  '[a link](javascript:window.__pwned=1) ![](http://192.0.2.1/x.png)',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: whoever takes it for a template must not get far
  '&lt;b&gt; &#x3c;script&#x3e; ${window.__pwned=1} {{constructor.constructor("window.__pwned=1")()}}',
  'style="x:expression(1)" ;}*{display:none!important}@import url(http://192.0.2.1/);',
  '__proto__',
  'constructor',
  '\u202e\u2066evol\u2069 \u200b\u200d\ufeff\u0000\u0007 \ud800 \udfff',
  '\u001b[31mred\u001b[0m \u001b]8;;http://192.0.2.1/\u0007link\u001b]8;;\u0007 \u001b[2J\u009b2J',
  `Z${'\u0301\u0489'.repeat(200)}`,
  'W'.repeat(5000),
];
const all = EVIL.join(' ');
/** One line of a megabyte. */
const LONG = `${'A'.repeat(1_000_000)}<script>window.__pwned=1</script>`;

function events(commit: string): readonly (readonly [number, EventBody])[] {
  const story = '<img src=x onerror=window.__pwned=1>';
  const row = { title: all, state: 'to do', priority: 1, reviewCount: 0, blocked: `question Q1: ${all}` } as const;
  const ids = [story, '__proto__', 'constructor', ...EVIL.slice(0, 8)];
  const result = { command: all, ok: false, exitCode: 1, timedOut: false, durationMs: 5, tail: `${all}\n${LONG}` };
  const said = EVIL.map((text): readonly [number, EventBody] => [1, { type: 'agent', event: { type: 'text', text } }]);
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1 };
  const counts = { total: ids.length, done: 0, blocked: 1 };
  const bodies: readonly EventBody[] = [
    { type: 'select', mode: 'implement', story, title: all, attempt: 2, reviewCount: 0 },
    { type: 'agent-start', agent: all, model: all, pid: 1, try: 1 },
    { type: 'agent', event: { type: 'text', text: LONG } },
    { type: 'agent', event: { type: 'tool-call', id: '__proto__', name: all, summary: all } },
    { type: 'agent', event: { type: 'tool-result', id: '__proto__', ok: true, summary: LONG } },
    { type: 'agent', event: { type: 'notice', text: all } },
    { type: 'denied', tool: all, rule: all, reason: all, subject: all },
    { type: 'test-result', command: all, outcome: 'fail', framework: all, passed: 1, failed: 1, confidence: 0.5 },
    { type: 'check', result, baselineRed: false },
    { type: 'violation', violation: { rule: all, message: all } },
    { type: 'tampering', kind: all, path: all, line: 1, detail: all },
    { type: 'question', question: 'Q1', story, text: all },
    { type: 'steering', request: 'note', text: all },
    { type: 'egress-refused', host: all, port: 80, reason: all, times: 2 },
    { type: 'circuit', from: 'closed', to: 'open', reason: all, evidence: EVIL, fix: EVIL },
    {
      type: 'verdict',
      verdict: 'rejected',
      mode: 'implement',
      story,
      claim: all,
      reason: all,
      counts: 'bad',
      attempts: 1,
    },
    { type: 'commit', commit, subject: all, files: 1, agentCommits: null },
    { type: 'notice', level: 'warning', text: all, fix: all },
    { type: 'iteration-end', durationMs: 10, costUsd: 0.1 },
  ];
  return [
    [
      0,
      {
        type: 'run-start',
        version: 1,
        ralph: all,
        resumed: false,
        specDir: all,
        backlog: all,
        agent: all,
        model: all,
        isolation: all,
        isolationInstead: EVIL,
        branch: all,
        maxIterations: 3,
        stories: counts,
        pid: 1,
      },
    ],
    [
      0,
      {
        type: 'backlog',
        whole: true,
        stories: ids.map((id) => ({ ...row, id, dependsOn: ids.slice(0, 2) })),
        removed: [],
      },
    ],
    ...bodies.map((body) => [1, body] as const),
    ...said,
    [
      0,
      {
        type: 'run-end',
        reason: 'blocked',
        exitCode: 6,
        summary: all,
        stories: counts,
        costUsd: 0.1,
        usage,
        durationMs: 1000,
      },
    ],
  ];
}

describe.skipIf(missing).each([
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
])('what an agent wrote, in a window of $width × $height', (viewport) => {
  let place: Place;
  let watched: Watched;

  beforeAll(async () => {
    // A file system takes nearly everything for the name of a folder.
    place = await makePlace('<img src=x onerror=window.__pwned=1>&amp;');
    await writeFile(
      join(place.root, '<svg onload=window.__pwned=1>.txt'),
      `${EVIL.join('\n').replaceAll('\0', '')}\n${LONG}\n`,
    );
    await place.git('add', '-A');
    await place.git('commit', '-q', '-m', all.replaceAll('\0', ''));
    const folder = join(place.root, '.ralph/runs', RUN);
    await mkdir(folder, { recursive: true });
    const header = `${JSON.stringify({ type: 'log', version: 1, run: RUN })}\n`;
    const lines = events(await place.git('rev-parse', 'HEAD')).map(([iteration, body], i) =>
      eventLine(RUN, Date.UTC(2026, 0, 1) + i * 1000, iteration, body),
    );
    // Events of nobody's: without what they should have, with what they should not, and no JSON at all.
    const odd = [
      `{"ts":"2026-01-01T00:00:30.000Z","run":"${RUN}","iteration":1,"type":"agent","event":{"type":"text","text":{"__html":"<b>"}}}\n`,
      `{"ts":"2026-01-01T00:00:30.000Z","run":"${RUN}","iteration":1,"type":"__proto__","__proto__":{"polluted":1}}\n`,
      `{"ts":"2026-01-01T00:00:30.000Z","run":"${RUN}","iteration":1,"type":"verdict","verdict":"constructor"}\n`,
      'not json\n',
    ];
    await writeFile(
      join(folder, 'events.jsonl'),
      header + [...lines.slice(0, -1), ...odd, ...lines.slice(-1)].join(''),
    );
    await ownRun(place.root, RUN);
    watched = await watch(place.root, place.home, { viewport });
  });
  afterAll(async () => {
    await watched?.close();
    await place?.remove();
  });

  /** Nothing ran, nothing left, nothing is wider than the window, nothing is hidden in the words. */
  async function isHarmless(): Promise<void> {
    expect(await watched.page.evaluate('window.__pwned')).toBeUndefined();
    expect(await watched.page.evaluate('({}).polluted')).toBeUndefined();
    expect(watched.complaints).toEqual([]);
    expect(watched.strangers).toEqual([]);
    expect(
      await watched.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBeLessThanOrEqual(0);
    // Neither escape sequences nor what turns text round, in tooltips and labels neither.
    const words = await watched.page.evaluate<string>(
      "[document.title, document.body.textContent, ...[...document.querySelectorAll('[title], [aria-label]')].map((one) => one.title + one.ariaLabel)].join(' ')",
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(words).not.toMatch(/[\u0000-\u0008\u001b\u009b\u202a-\u202e\u2066-\u2069]/);
    const made =
      'main script, main iframe, main img, main a[href^="javascript"], main a[href^="http"], main svg[onload]';
    await expect.poll(() => watched.page.locator(made).count()).toBe(0);
  }

  test('is text in the overview', async () => {
    await watched.page.getByText('onerror').first().waitFor();
    await isHarmless();
  });

  test.each(['', 'stories', 'transcript', 'checks', 'charts', 'replay', 'iteration/1'])(
    'is text on the page of the run: /%s',
    async (part) => {
      await watched.open(RUN, part);
      await watched.page.locator('.run-page').waitFor();
      await watched.page.waitForTimeout(400);
      if (part === 'replay') {
        const slider = watched.page.getByRole('slider', { name: 'Moment' });
        await slider.fill((await slider.getAttribute('max')) ?? '0');
        await watched.page.locator('.transcript .row').first().waitFor();
      }
      await isHarmless();
    },
  );

  test('is text when all of a megabyte is shown', async () => {
    await watched.open(RUN, 'transcript');
    await watched.page.locator('.transcript .scroller').focus();
    await watched.page.keyboard.press('Home');
    await watched.page
      .getByRole('button', { name: /Show all \(1\.0 M/ })
      .first()
      .click();
    await watched.page.getByRole('button', { name: 'Show less' }).first().waitFor();
    await isHarmless();
  });

  test('is text in the diff of a commit, whatever its files are called', async () => {
    await watched.open(RUN, 'iteration/1');
    await watched.page.locator('.diff-file').first().waitFor();
    await expect
      .poll(() => watched.page.locator('.diff-lines').first().textContent())
      .toContain('<script>window.__pwned=1</script>');
    await isHarmless();
  });
});
