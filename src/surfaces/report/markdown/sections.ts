import { allTokens } from '../../../rules/usage.ts';
import { counted, elapsed, tokens } from '../../terminal/format.ts';
import type { Report } from '../model.ts';
import { amount, money, percent, took } from '../words.ts';
import { type Column, table } from './table.ts';
import { code, plain } from './text.ts';

/** A part of the report: its heading and lines; none when it has nothing to say. */
export type Section = readonly string[];

function section(title: string, lines: readonly string[]): Section {
  return lines.length === 0 ? [] : [`## ${title}`, '', ...lines, ''];
}

function rows<Row>(title: string, columns: readonly Column<Row>[], all: readonly Row[], most = 50): Section {
  if (all.length === 0) return [];
  const shown = all.slice(0, most);
  const left = all.length - shown.length;
  return section(title, [...table(columns, shown), ...(left > 0 ? ['', `… and ${left} more.`] : [])]);
}

/** Outcome and figures. */
export function head(report: Report): Section {
  const { outcome, project, runs, usage, cacheShare, time, reviews, branch } = report;
  const spent = allTokens(usage);
  const facts = [
    runs.length === 1 ? `run ${code(runs[0]?.run ?? '')}` : `${runs.length} runs`,
    ...(branch === null ? [] : [`branch ${code(branch)}`]),
    ...(outcome.exitCode === null ? [] : [`exit code ${outcome.exitCode}`]),
    `agents ${elapsed(time.agentMs)}, checks ${elapsed(time.checkMs)}${time.waitedMs > 0 ? `, waits ${elapsed(time.waitedMs)}` : ''}, ralph itself ${elapsed(time.ownMs)}`,
    ...(spent > 0
      ? [`${tokens(spent)} tokens${cacheShare === null ? '' : `, ${percent(cacheShare)} of the input cached`}`]
      : []),
    ...(reviews.stories > 0 ? [`approved at once: ${reviews.approvedAtOnce} of ${reviews.stories}`] : []),
  ];
  return [`# ${plain(project)}: ${outcome.label}`, '', `**${outcome.sentence}**`, '', facts.join(' · '), ''];
}

const needs = ({ needs: all }: Report): Section =>
  section(
    'Needs a person',
    all.slice(0, 30).map(({ what, command }) => `- ${plain(what, 300)}${command === null ? '' : `: ${code(command)}`}`),
  );

const stories = ({ stories: all }: Report): Section => {
  const worked = all.length <= 50 ? all : all.filter(({ iterations, state }) => iterations > 0 || state === 'blocked');
  return rows(
    'Stories',
    [
      { title: 'story', cell: ({ id }) => plain(id, 40) },
      { title: 'title', cell: ({ title }) => plain(title, 100) },
      { title: 'state', cell: ({ state }) => plain(state) },
      { title: 'iterations', align: 'right', cell: ({ iterations }) => String(iterations) },
      { title: 'reviews', align: 'right', cell: (story) => String(story.reviews) },
      { title: 'rejected', align: 'right', cell: ({ rejected }) => String(rejected) },
      { title: 'time', align: 'right', cell: ({ durationMs }) => took(durationMs) },
      { title: 'cost', align: 'right', cell: ({ costUsd }) => money(costUsd) },
    ],
    worked,
  );
};

const rejections = ({ rejections: all }: Report): Section =>
  rows(
    'Rejected, by cause',
    [
      { title: 'cause', cell: ({ cause }) => plain(cause) },
      { title: 'times', align: 'right', cell: ({ count }) => String(count) },
      { title: 'the last one', cell: ({ example }) => plain(example, 200) },
    ],
    all,
    20,
  );

const rescues = ({ rescues: all }: Report): Section =>
  rows(
    'Rescued work',
    [
      { title: 'iteration', align: 'right', cell: ({ iteration }) => String(iteration) },
      { title: 'story', cell: ({ story }) => plain(story, 40) },
      { title: 'rolled back because', cell: ({ reason }) => plain(reason) },
      { title: 'look at it', cell: ({ show, kept, name }) => (kept ? code(show ?? name) : 'no longer there') },
    ],
    all.slice(-20),
  );

const budgets = ({ budgets: all }: Report): Section =>
  rows(
    'Budget use',
    [
      { title: 'budget', cell: ({ name }) => name },
      { title: 'used', align: 'right', cell: ({ unit, used }) => amount(unit, used) },
      { title: 'of', align: 'right', cell: ({ unit, limit }) => amount(unit, limit) },
      { title: 'share', align: 'right', cell: ({ used, limit }) => percent(used / limit) },
    ],
    all,
  );

const reviews = ({ reviews: { rounds, undecided } }: Report): Section =>
  section('Reviews', [
    ...rounds.flatMap((count, i) =>
      count > 0 ? [`- ${counted(count, 'story', 'stories')} approved after ${counted(i + 1, 'review')}`] : [],
    ),
    ...(undecided > 0 ? [`- ${counted(undecided, 'review')} ended without a decision`] : []),
  ]);

const agents = ({ agents: all }: Report): Section =>
  rows(
    'Agents',
    [
      { title: 'agent', cell: ({ agent }) => plain(agent, 40) },
      { title: 'model', cell: ({ model }) => plain(model ?? 'its default', 60) },
      { title: 'iterations', align: 'right', cell: ({ iterations }) => String(iterations) },
      { title: 'of use', align: 'right', cell: ({ good, iterations }) => percent(good / iterations) },
      { title: 'tokens', align: 'right', cell: (use) => tokens(use.tokens) },
      { title: 'cost', align: 'right', cell: ({ costUsd }) => money(costUsd) },
    ],
    all,
  );

const checks = ({ checks: { commands } }: Report): Section =>
  rows(
    'Checks',
    [
      { title: 'command', cell: ({ command }) => code(command) },
      { title: 'runs', align: 'right', cell: ({ runs }) => String(runs) },
      { title: 'red', align: 'right', cell: ({ red }) => String(red) },
      { title: 'mean time', align: 'right', cell: ({ meanMs }) => elapsed(meanMs) },
    ],
    commands,
    20,
  );

const denials = ({ denials: { rules } }: Report): Section =>
  rows(
    'Denied by hooks',
    [
      { title: 'rule', cell: ({ rule }) => plain(rule) },
      { title: 'times', align: 'right', cell: ({ count }) => String(count) },
      { title: 'the last one', cell: ({ example }) => code(example) },
    ],
    rules,
    20,
  );

const runs = ({ runs: all }: Report): Section =>
  all.length < 2
    ? []
    : rows(
        'Runs',
        [
          { title: 'run', cell: ({ run }) => code(run) },
          { title: 'ended', cell: ({ reason }) => plain(reason ?? '–') },
          { title: 'iterations', align: 'right', cell: ({ iterations }) => String(iterations) },
          { title: 'stories done', align: 'right', cell: (run) => `${run.storiesDone} of ${run.storiesTotal}` },
          { title: 'cost', align: 'right', cell: ({ costUsd }) => money(costUsd) },
        ],
        all.slice(-50),
      );

const iterations = ({ iterations: all }: Report): Section =>
  section('Iterations', [
    ...(all.length > 100 ? [`The last 100 of ${all.length}:`, ''] : []),
    ...(all.length === 0
      ? []
      : table(
          [
            { title: '#', align: 'right', cell: ({ iteration }) => String(iteration) },
            { title: 'mode', cell: ({ mode }) => plain(mode) },
            { title: 'story', cell: ({ story }) => plain(story, 40) },
            { title: 'verdict', cell: ({ verdict }) => plain(verdict ?? '–') },
            {
              title: 'time',
              align: 'right',
              cell: ({ durationMs }) => took(durationMs),
            },
            { title: 'commit', cell: ({ commit }) => (commit === null ? '–' : code(commit.slice(0, 7))) },
            { title: 'why', cell: ({ reason }) => plain(reason, 120) },
          ],
          all.slice(-100),
        )),
  ]);

/** In the order of what people ask first; what does not fit any more is left out from the end. */
export const SECTIONS: readonly ((report: Report) => Section)[] = [
  needs,
  runs,
  stories,
  rejections,
  rescues,
  reviews,
  budgets,
  agents,
  checks,
  denials,
  iterations,
];
