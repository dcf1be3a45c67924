import { allTokens } from '../../../../rules/usage.ts';
import { counted, elapsed, tokens } from '../../../terminal/format.ts';
import type { Report } from '../../model.ts';
import { beginAndEnd, money, percent, shortened, TONE_HUE } from '../../words.ts';
import { html, type Markup } from '../markup.ts';

/** What it was, how it ended, and the figures that matter most. */
export function summary(report: Report): Markup {
  const { outcome, project } = report;
  return html`<header><div class="eyebrow">ralph report · <b>${project}</b> · ${runsText(report)}</div>
<h1>${outcome.sentence}</h1>
<p class="dim"><span class="pill ${TONE_HUE[outcome.tone]}">${outcome.label}</span> ${facts(report).join(' · ')}</p>
<dl class="figures">${figures(report).map(([title, value, more]) => html`<div><dt>${title}</dt><dd>${value}</dd>${more === '' ? null : html`<dd>${more}</dd>`}</div>`)}</dl></header>`;
}

function runsText({ runs }: Report): string {
  return runs.length === 1 ? `run ${runs[0]?.run}` : `${runs.length} runs`;
}

function facts({ outcome, time, branch, isolation }: Report): readonly string[] {
  return [
    ...(outcome.exitCode === null ? [] : [`exit code ${outcome.exitCode}`]),
    ...(time.from === null || time.to === null ? [] : [beginAndEnd(time.from, time.to).join(' to ')]),
    ...(branch === null ? [] : [`branch ${shortened(branch, 80)}`]),
    ...(isolation === null ? [] : [`isolation ${isolation}`]),
  ];
}

type Figure = readonly [title: string, value: string, more: string];

function figures({
  storyCounts,
  iterations,
  time,
  costUsd,
  usage,
  cacheShare,
  reviews,
  verdicts,
}: Report): readonly Figure[] {
  const { total, done, blocked } = storyCounts;
  const accepted = verdicts.find(({ verdict }) => verdict === 'accepted')?.count ?? 0;
  const spent = allTokens(usage);
  return [
    ...one(total > 0, ['stories done', `${done} of ${total}`, blocked > 0 ? `${blocked} blocked` : '']),
    ['iterations', String(iterations.length), `${accepted} accepted`],
    [
      'time',
      elapsed(time.totalMs),
      time.waitedMs > 0 ? `${elapsed(time.waitedMs)} of it waiting` : `${elapsed(time.agentMs)} by agents`,
    ],
    ...one(costUsd !== null, [
      'cost',
      money(costUsd),
      done > 0 ? `${money((costUsd ?? 0) / done)} per story done` : '',
    ]),
    ...one(spent > 0, [
      'tokens',
      tokens(spent),
      cacheShare === null ? '' : `${percent(cacheShare)} of the input cached`,
    ]),
    ...one(reviews.stories > 0, [
      'approved at once',
      `${reviews.approvedAtOnce} of ${reviews.stories}`,
      counted(reviews.decided, 'review'),
    ]),
  ];
}

function one(holds: boolean, figure: Figure): readonly Figure[] {
  return holds ? [figure] : [];
}

/** What only a person can do now. */
export function needs({ needs: all }: Report): Markup | null {
  if (all.length === 0) return null;
  const items = all.map(
    ({ what, command }) =>
      html`<li>${shortened(what, 400)}${command === null ? null : html`<br><code>${command}</code>`}</li>`,
  );
  return html`\n<section class="needs"><h2>Needs a person</h2><ul>${items}</ul></section>`;
}
