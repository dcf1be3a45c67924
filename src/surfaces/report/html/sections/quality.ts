import { counted, elapsed } from '../../../terminal/format.ts';
import type { Report } from '../../model.ts';
import { percent, shortened } from '../../words.ts';
import { bar } from '../charts.ts';
import { html, type Markup, type Part } from '../markup.ts';
import { remark, section } from '../section.ts';
import { table } from '../table.ts';

const MOST_ROWS = 40;

/** How many reviews it took. */
export function reviews({ reviews: figures }: Report): Markup | null {
  const { decided, stories, approvedAtOnce, rounds, undecided } = figures;
  if (decided === 0 && undecided === 0) return null;
  const most = Math.max(1, ...rounds);
  const rows = rounds.map((count, i) => ({ needed: counted(i + 1, 'review'), count }));
  const more = undecided > 0 ? ` ${counted(undecided, 'review')} ended without a decision.` : '';
  const share =
    stories > 0
      ? ` The first review approved ${approvedAtOnce} of ${stories} (${percent(approvedAtOnce / stories)}).`
      : '';
  return section('Reviews', [
    html`<p>${counted(decided, 'review')} on ${counted(stories, 'story', 'stories')}.${share}${more}</p>`,
    rows.length === 0
      ? null
      : table(
          'Reviews',
          [
            { title: 'approved after', kind: 'k', cell: ({ needed }) => needed },
            { title: 'stories', kind: 'n', cell: ({ count }) => count },
            { title: '', kind: 'bar', cell: ({ count }) => bar(count / most, 'good') },
          ],
          rows,
        ),
  ]);
}

/** Why iterations came to nothing. */
export function rejections({ rejections: all }: Report): Markup | null {
  if (all.length === 0) return null;
  const most = Math.max(...all.map(({ count }) => count));
  const total = all.reduce((sum, { count }) => sum + count, 0);
  return section('Rejected, by cause', [
    html`<p>${counted(total, 'iteration')} came to nothing.</p>`,
    table(
      'Rejected, by cause',
      [
        { title: 'cause', cell: ({ cause }) => cause },
        { title: 'times', kind: 'n', cell: ({ count }) => count },
        { title: '', kind: 'bar', wide: true, cell: ({ count }) => bar(count / most, 'bad') },
        { title: 'the last one', kind: 'text', cell: ({ example }) => shortened(example, 240) },
      ],
      all,
    ),
  ]);
}

/** What roll-backs took away, and how to get it. */
export function rescues({ rescues: all }: Report): Markup | null {
  if (all.length === 0) return null;
  const shown = all.slice(-MOST_ROWS);
  return section('Rescued work', [
    html`<p>What was rolled back is kept in the repository that the run worked in.</p>`,
    table(
      'Rescued work',
      [
        { title: 'iteration', kind: 'n', cell: ({ iteration }) => iteration },
        { title: 'story', kind: 'k', cell: ({ story }) => shortened(story, 40) },
        { title: 'rolled back because', kind: 'text', cell: ({ reason }) => shortened(reason, 200) },
        { title: 'to look at it, to get it back', kind: 'text', cell: rescueCommands },
      ],
      shown,
      'stack',
    ),
    remark(shown.length < all.length ? `Shown are the last ${shown.length} of ${all.length}: ralph rescue list` : null),
  ]);
}

function rescueCommands({ name, kept, show, restore }: Report['rescues'][number]): Part {
  if (!kept) return html`<span class="dim">${shortened(name, 80)} is no longer there</span>`;
  return show === null ? shortened(name, 80) : html`<code>${show}</code><br><code>${restore}</code>`;
}

/** The checks that the loop ran, the tests that agents ran. */
export function checks({ checks: all, tests }: Report): Markup | null {
  if (all.count === 0 && tests.count === 0) return null;
  const shown = all.commands.slice(0, MOST_ROWS);
  const told = all.commands.reduce((sum, { runs }) => sum + runs, 0);
  const outcomes = Object.entries(tests.outcomes).flatMap(([outcome, count]) =>
    count > 0 ? [`${count} ${outcome}`] : [],
  );
  return section('Checks', [
    shown.length === 0
      ? null
      : table(
          'Checks',
          [
            { title: 'command', kind: 'text', cell: ({ command }) => html`<code>${shortened(command, 160)}</code>` },
            { title: 'runs', kind: 'n', cell: ({ runs }) => runs },
            { title: 'red', kind: 'n', cell: ({ red }) => red },
            { title: 'mean time', kind: 'n', cell: ({ meanMs }) => elapsed(meanMs) },
            { title: 'red share', kind: 'bar', wide: true, cell: ({ red, runs }) => bar(red / runs, 'bad') },
          ],
          shown,
        ),
    remark(told < all.count ? `The last ${told} of ${all.count} runs of checks.` : null),
    remark(
      tests.count > 0
        ? `Agents reported ${counted(tests.count, 'test run')} (their word, which decides nothing): ${outcomes.join(', ')}.`
        : null,
    ),
  ]);
}

/** What hooks refused before it happened. */
export function denials({ denials: all }: Report): Markup | null {
  if (all.count === 0) return null;
  const told = all.rules.reduce((sum, { count }) => sum + count, 0);
  return section('Denied by hooks', [
    table(
      'Denied by hooks',
      [
        { title: 'rule', kind: 'k', cell: ({ rule }) => shortened(rule, 60) },
        { title: 'times', kind: 'n', cell: ({ count }) => count },
        { title: 'the last one', kind: 'text', cell: ({ example }) => html`<code>${shortened(example, 160)}</code>` },
      ],
      all.rules.slice(0, MOST_ROWS),
    ),
    remark(told < all.count ? `The last ${told} of ${all.count}.` : null),
  ]);
}
