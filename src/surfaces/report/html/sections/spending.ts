import type { Usage } from '../../../../contracts/model.ts';
import { allTokens } from '../../../../rules/usage.ts';
import { elapsed, tokens } from '../../../terminal/format.ts';
import type { BudgetUse, Report } from '../../model.ts';
import { amount, money, percent, shortened } from '../../words.ts';
import { bar, type Hue, stackedBar } from '../charts.ts';
import { html, type Markup } from '../markup.ts';
import { remark, section } from '../section.ts';
import { table } from '../table.ts';

/** What the run used of its limits. */
export function budgets({ budgets: all }: Report): Markup | null {
  if (all.length === 0) return null;
  return section(
    'Budget use',
    table(
      'Budget use',
      [
        { title: 'budget', kind: 'k', cell: ({ name }) => name },
        { title: 'used', kind: 'n', cell: ({ unit, used }) => amount(unit, used) },
        { title: 'of', kind: 'n', cell: ({ unit, limit }) => amount(unit, limit) },
        { title: 'share', kind: 'n', cell: ({ used, limit }) => percent(used / limit) },
        { title: '', kind: 'bar', wide: true, cell: (use) => bar(use.used / use.limit, hueOfUse(use)) },
      ],
      all,
    ),
  );
}

function hueOfUse({ used, limit }: BudgetUse): Hue {
  return used >= limit ? 'bad' : used >= 0.8 * limit ? 'warn' : 'accent';
}

/** Who worked, in which modes, and with how many tokens. */
export function agents({ agents: all, modes, usage, cacheShare }: Report): Markup | null {
  if (all.length === 0) return null;
  return section('Agents', [
    table(
      'Agents',
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
    ),
    remark(`On average: ${modes.map(modeText).join('; ')}.`),
    allTokens(usage) === 0 ? null : html`<h3>Tokens</h3>${tokenBar(usage)}`,
    remark(cacheShare === null ? null : `${percent(cacheShare)} of the input came from the cache.`),
  ]);
}

function modeText({ mode, count, durationMs, costUsd }: Report['modes'][number]): string {
  const cost = costUsd > 0 ? ` and ${money(costUsd / count)}` : '';
  return `${mode} (${count}) ${elapsed(durationMs / count)}${cost}`;
}

function tokenBar(usage: Usage): Markup {
  const pieces = [
    { label: 'input', hue: 'accent', value: usage.inputTokens },
    { label: 'output', hue: 'odd', value: usage.outputTokens },
    { label: 'read from the cache', hue: 'good', value: usage.cacheReadTokens },
    { label: 'written to the cache', hue: 'warn', value: usage.cacheWriteTokens },
  ] as const;
  return stackedBar(
    'Tokens by kind',
    pieces.filter(({ value }) => value > 0).map((piece) => ({ ...piece, shown: tokens(piece.value) })),
  );
}
