import { allTokens, counted, elapsed, moment, tokens } from '../../rules/text/index.ts';
import { bar, stackedBar } from './charts.ts';
import { html } from './markup.ts';
import type { Report, ReportStory } from './model.ts';
import { type Cell, type Column, type Page, remark, type Section, table } from './page.ts';
import { timeLine } from './time-line.ts';
import { amount, beginAndEnd, hueOf, hueOfState, money, percent, shortened, took } from './words.ts';

/** The report for HTML and Markdown alike, ordered by what people ask first. */
export function pageOf(report: Report): Page {
  const { outcome, project, generatedAt, ralph, runs: all } = report;
  const sections = [
    needs(report),
    runs(report),
    stories(report),
    { title: 'Time line', parts: timeLine(report) },
    reviews(report),
    rejections(report),
    rescues(report),
    budgets(report),
    agents(report),
    checks(report),
    denials(report),
    notices(report),
    iterations(report),
  ];
  return {
    ...{ command: 'ralph report', whole: '--format json', project, generatedAt, ralph },
    about: all.length === 1 ? `run ${all[0]?.run}` : `${all.length} runs`,
    ...{ tone: outcome.tone, label: outcome.label, sentence: outcome.sentence },
    facts: factsOf(report),
    figures: figuresOf(report),
    sections: sections.filter(({ parts }) => parts.some((part) => part !== null)),
  };
}

/** The first line of figures: which runs, and under what circumstances. */
function factsOf({ outcome, time, branch, isolation }: Report): readonly string[] {
  return [
    ...(outcome.exitCode === null ? [] : [`exit code ${outcome.exitCode}`]),
    ...(time.from === null || time.to === null ? [] : [beginAndEnd(time.from, time.to).join(' to ')]),
    ...(branch === null ? [] : [`branch ${shortened(branch, 80)}`]),
    ...(isolation === null ? [] : [`isolation ${isolation}`]),
  ];
}

/** The key figures, each with an explanatory one. */
function figuresOf(report: Report): Page['figures'] {
  const { storyCounts, iterations, time, costUsd, usage, cacheShare, reviews, verdicts } = report;
  const { total, done, blocked } = storyCounts;
  const accepted = verdicts.find(({ verdict }) => verdict === 'accepted')?.count ?? 0;
  const spent = allTokens(usage);
  const figures: readonly (Page['figures'][number] | false)[] = [
    total > 0 && ['stories done', `${done} of ${total}`, blocked > 0 ? `${blocked} blocked` : ''],
    ['iterations', String(iterations.length), `${accepted} accepted`],
    [
      'time',
      elapsed(time.totalMs),
      time.waitedMs > 0 ? `${elapsed(time.waitedMs)} of it waiting` : `${elapsed(time.agentMs)} by agents`,
    ],
    costUsd !== null && ['cost', money(costUsd), done > 0 ? `${money(costUsd / done)} per story done` : ''],
    spent > 0 && ['tokens', tokens(spent), cacheShare === null ? '' : `${percent(cacheShare)} of the input cached`],
    reviews.stories > 0 && [
      'approved at once',
      `${reviews.approvedAtOnce} of ${reviews.stories}`,
      counted(reviews.decided, 'review'),
    ],
  ];
  return figures.filter((figure) => figure !== false);
}

function needs({ needs: all }: Report): Section {
  const items = all.map(({ what, command }) => [
    shortened(what, 400),
    ...(command === null ? [] : [{ code: command }]),
  ]);
  return { title: 'Needs a person', parts: [items.length === 0 ? null : { items }], urgent: true };
}

function runs({ runs: all }: Report): Section {
  const rows = table(
    [
      { title: 'run', kind: 'k', cell: ({ run }) => run },
      { title: 'started', kind: 'k', wide: true, cell: ({ startedAt: at }) => (at === null ? '–' : moment(at)) },
      { title: 'ended', kind: 'k', cell: ({ reason }) => reason ?? '–' },
      { title: 'iterations', kind: 'n', cell: (run) => run.iterations },
      { title: 'stories done', kind: 'n', wide: true, cell: (run) => `${run.storiesDone} of ${run.storiesTotal}` },
      { title: 'time', kind: 'n', cell: ({ durationMs }) => took(durationMs) },
      { title: 'cost', kind: 'n', cell: ({ costUsd }) => money(costUsd) },
    ],
    all.length < 2 ? [] : all,
    { most: [50, 50], keep: 'last', what: 'runs before these' },
  );
  return { title: 'Runs', parts: [rows] };
}

function stories({ stories: all }: Report): Section {
  const byCost = all.some(({ costUsd }) => costUsd !== null && costUsd > 0);
  const spent = (story: ReportStory) => (byCost ? (story.costUsd ?? 0) : story.durationMs);
  const most = Math.max(...all.map(spent)) || 1;
  const cost: readonly Column<ReportStory>[] = byCost
    ? [{ title: 'cost', kind: 'n', cell: ({ costUsd }) => money(costUsd) }]
    : [];
  const rows = table<ReportStory>(
    [
      { title: 'story', kind: 'k', cell: ({ id }) => shortened(id, 40) },
      { title: 'title', kind: 'text', cell: titleOf },
      { title: 'state', kind: 'k', cell: ({ state }) => ({ text: state, look: hueOfState(state) }) },
      { title: 'iterations', kind: 'n', wide: true, cell: ({ iterations }) => iterations },
      { title: 'reviews', kind: 'n', wide: true, cell: ({ reviews }) => reviews },
      { title: 'rejected', kind: 'n', wide: true, cell: ({ rejected }) => rejected },
      { title: 'time', kind: 'n', cell: ({ durationMs }) => took(durationMs) },
      ...cost,
      {
        title: byCost ? 'cost, compared' : 'time, compared',
        kind: 'bar',
        wide: true,
        cell: (story) => bar(spent(story) / most, hueOfState(story.state)),
      },
    ],
    // In a long backlog the stories that were worked on, or need a person, come first.
    all.toSorted((a, b) => (all.length <= 50 ? 0 : Number(isNews(b)) - Number(isNews(a)))),
    { most: [200, 50], what: 'stories' },
  );
  return { title: 'Stories', parts: [rows] };
}

function isNews({ iterations, state }: ReportStory): boolean {
  return iterations > 0 || state === 'blocked';
}

function titleOf({ title, blocked, state }: ReportStory): Cell {
  const why = state === 'blocked' && blocked !== null;
  return [shortened(title, 160), ...(why ? [{ text: shortened(blocked, 200), look: 'dim' as const }] : [])];
}

function reviews({ reviews: figures }: Report): Section {
  const { decided, stories, approvedAtOnce, rounds, undecided } = figures;
  const most = Math.max(1, ...rounds);
  const more = undecided > 0 ? ` ${counted(undecided, 'review')} ended without a decision.` : '';
  const share =
    stories > 0
      ? ` The first review approved ${approvedAtOnce} of ${stories} (${percent(approvedAtOnce / stories)}).`
      : '';
  const rows = table(
    [
      { title: 'approved after', kind: 'k', cell: ({ needed }) => needed },
      { title: 'stories', kind: 'n', cell: ({ count }) => count },
      { title: '', kind: 'bar', cell: ({ count }) => bar(count / most, 'good') },
    ],
    rounds.map((count, i) => ({ needed: counted(i + 1, 'review'), count })),
  );
  const sum = `${counted(decided, 'review')} on ${counted(stories, 'story', 'stories')}.${share}${more}`;
  return { title: 'Reviews', parts: decided === 0 && undecided === 0 ? [] : [sum, rows] };
}

function rejections({ rejections: all }: Report): Section {
  const most = Math.max(...all.map(({ count }) => count));
  const total = all.reduce((sum, { count }) => sum + count, 0);
  const rows = table(
    [
      { title: 'cause', cell: ({ cause }) => cause },
      { title: 'times', kind: 'n', cell: ({ count }) => count },
      { title: '', kind: 'bar', wide: true, cell: ({ count }) => bar(count / most, 'bad') },
      { title: 'the last one', kind: 'text', cell: ({ example }) => shortened(example, 240) },
    ],
    all,
  );
  return { title: 'Rejected, by cause', parts: [rows && `${counted(total, 'iteration')} failed.`, rows] };
}

/** What roll-backs removed, and how to get it. */
function rescues({ rescues: all }: Report): Section {
  const rows = table(
    [
      { title: 'iteration', kind: 'n', cell: ({ iteration }) => iteration },
      { title: 'story', kind: 'k', cell: ({ story }) => shortened(story, 40) },
      { title: 'rolled back because', kind: 'text', cell: ({ reason }) => shortened(reason, 200) },
      { title: 'to look at it, to get it back', kind: 'text', cell: rescueCommands },
    ],
    all,
    { most: [40, 20], keep: 'last', stack: true, what: 'rescues before these' },
  );
  return {
    title: 'Rescued work',
    parts: [rows && 'Rolled-back work is kept in the repository of the run.', rows],
  };
}

function rescueCommands({ name, kept, show, restore }: Report['rescues'][number]): Cell {
  if (!kept) return { text: `${shortened(name, 80)} is no longer there`, look: 'dim' };
  return show === null || restore === null ? shortened(name, 80) : [{ code: show }, { code: restore }];
}

function budgets({ budgets: all }: Report): Section {
  const rows = table(
    [
      { title: 'budget', kind: 'k', cell: ({ name }) => name },
      { title: 'used', kind: 'n', cell: ({ unit, used }) => amount(unit, used) },
      { title: 'of', kind: 'n', cell: ({ unit, limit }) => amount(unit, limit) },
      { title: 'share', kind: 'n', cell: ({ used, limit }) => percent(used / limit) },
      {
        title: '',
        kind: 'bar',
        wide: true,
        cell: ({ used, limit }) => bar(used / limit, used >= limit ? 'bad' : used >= 0.8 * limit ? 'warn' : 'accent'),
      },
    ],
    all,
  );
  return { title: 'Budget use', parts: [rows] };
}

/** Which agents worked, in which modes, and with how many tokens. */
function agents({ agents: all, modes, usage, cacheShare }: Report): Section {
  if (all.length === 0) return { title: 'Agents', parts: [] };
  const rows = table(
    [
      { title: 'agent', kind: 'k', cell: ({ agent }) => shortened(agent, 40) },
      { title: 'model', kind: 'text', cell: ({ model }) => shortened(model ?? 'its default', 60) },
      { title: 'iterations', kind: 'n', cell: ({ iterations }) => iterations },
      { title: 'of use', kind: 'n', cell: ({ good, iterations }) => percent(good / iterations) },
      { title: 'time', kind: 'n', wide: true, cell: ({ durationMs }) => elapsed(durationMs) },
      { title: 'tokens', kind: 'n', wide: true, cell: (use) => tokens(use.tokens) },
      { title: 'cost', kind: 'n', cell: ({ costUsd }) => money(costUsd) },
    ],
    all,
  );
  const kinds = [
    { label: 'input', hue: 'accent', value: usage.inputTokens },
    { label: 'output', hue: 'odd', value: usage.outputTokens },
    { label: 'read from the cache', hue: 'good', value: usage.cacheReadTokens },
    { label: 'written to the cache', hue: 'warn', value: usage.cacheWriteTokens },
  ] as const;
  const drawn = html`<h3>Tokens</h3>${stackedBar('Tokens by kind', kinds, tokens)}`;
  return {
    title: 'Agents',
    parts: [
      rows,
      remark(`On average: ${modes.map(modeText).join('; ')}.`),
      allTokens(usage) === 0 ? null : { drawn },
      remark(cacheShare !== null && `${percent(cacheShare)} of the input came from the cache.`),
    ],
  };
}

function modeText({ mode, count, durationMs, costUsd, added }: Report['modes'][number]): string {
  const cost = costUsd > 0 ? `, ${money(costUsd / count)}` : '';
  const more = added === null ? '' : `, ${tokens(added)} tokens added by ralph`;
  return `${mode} (${count}) ${elapsed(durationMs / count)}${cost}${more}`;
}

/** The checks that the loop ran, the tests that agents ran. */
function checks({ checks: all, tests }: Report): Section {
  const known = all.commands.reduce((sum, { runs }) => sum + runs, 0);
  const outcomes = Object.entries(tests.outcomes).filter(([, count]) => count > 0);
  const rows = table(
    [
      { title: 'command', kind: 'text', cell: ({ command }) => ({ code: shortened(command, 160) }) },
      { title: 'runs', kind: 'n', cell: ({ runs }) => runs },
      { title: 'red', kind: 'n', cell: ({ red }) => red },
      { title: 'mean time', kind: 'n', cell: ({ meanMs }) => elapsed(meanMs) },
      { title: 'red share', kind: 'bar', wide: true, cell: ({ red, runs }) => bar(red / runs, 'bad') },
    ],
    all.commands,
    { most: [40, 20], what: 'commands' },
  );
  return {
    title: 'Checks',
    parts: [
      rows,
      remark(known < all.count && `The last ${known} of ${all.count} runs of checks.`),
      remark(
        tests.count > 0 &&
          `Agents reported ${counted(tests.count, 'test run')} (for information only): ${outcomes.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}.`,
      ),
    ],
  };
}

/** What hooks refused in advance. */
function denials({ denials: all }: Report): Section {
  const known = all.rules.reduce((sum, { count }) => sum + count, 0);
  const rows = table(
    [
      { title: 'rule', kind: 'k', cell: ({ rule }) => shortened(rule, 60) },
      { title: 'times', kind: 'n', cell: ({ count }) => count },
      { title: 'the last one', kind: 'text', cell: ({ example }) => ({ code: shortened(example, 160) }) },
    ],
    all.rules,
    { most: [40, 20], what: 'rules' },
  );
  return { title: 'Denied by hooks', parts: [rows, remark(known < all.count && `The last ${known} of ${all.count}.`)] };
}

/** Warnings and errors of the runs themselves. */
function notices({ notices: all }: Report): Section {
  const rows = table(
    [
      { title: 'when', kind: 'k', wide: true, cell: ({ at }) => moment(at) },
      { title: 'level', kind: 'k', cell: ({ level }) => ({ text: level, look: level === 'error' ? 'bad' : 'warn' }) },
      { title: 'what', kind: 'text', cell: ({ text }) => shortened(text, 300) },
    ],
    all,
  );
  return { title: 'Warnings', parts: [rows] };
}

/** Each iteration in one row; of very many the last ones. */
function iterations({ iterations: all, runs }: Report): Section {
  const rows = table<Report['iterations'][number]>(
    [
      ...(runs.length > 1 ? [RUN_COLUMN] : []),
      { title: '#', kind: 'n', cell: ({ iteration }) => iteration },
      { title: 'mode', kind: 'k', cell: ({ mode }) => mode },
      { title: 'story', kind: 'k', cell: ({ story }) => shortened(story, 40) },
      { title: 'verdict', kind: 'k', cell: ({ verdict }) => ({ text: verdict ?? '–', look: hueOf(verdict) }) },
      { title: 'time', kind: 'n', cell: ({ durationMs }) => took(durationMs) },
      { title: 'cost', kind: 'n', wide: true, cell: ({ costUsd }) => money(costUsd) },
      {
        title: 'commit',
        kind: 'k',
        wide: true,
        cell: ({ commit }) => (commit === null ? '–' : { code: commit.slice(0, 7) }),
      },
      { title: 'why', kind: 'text', cell: ({ reason }) => shortened(reason, 160) },
    ],
    all,
    { most: [200, 100], keep: 'last', stack: true, what: 'iterations before these' },
  );
  return { title: 'Iterations', parts: [rows] };
}

const RUN_COLUMN: Column<Report['iterations'][number]> = {
  title: 'run',
  kind: 'k',
  wide: true,
  cell: ({ run }) => run,
};
