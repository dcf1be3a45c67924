import {
  type ArmFigures,
  type Comparison,
  costText,
  evidence,
  intervalText,
  type LabResult,
  pairText,
  solvedText,
  type Tried,
} from '../../rules/lab/index.ts';
import { counted, elapsed, tokens } from '../../rules/text/index.ts';
import { bar, dots, type Hue, legend } from './charts.ts';
import { html } from './markup.ts';
import { type Cell, type Page, remark, type Section, table } from './page.ts';
import { money, percent, shortened } from './words.ts';

/** The report on a lab. `linkTo`: the path of an attempt's folder, relative to the report. Pure. */
export function labPage(
  lab: Comparison,
  extra: Pick<Page, 'project' | 'generatedAt' | 'ralph'>,
  linkTo: (folder: string) => string,
): Page {
  const { arms, tried, mined, costUsd, suggestion } = lab;
  const attempts = tried.flatMap((task) => task.attempts.flat());
  const errors = attempts.filter(({ outcome }) => outcome === 'error').length;
  const chosen = arms.find(({ arm }) => arm.name === suggestion.arm);
  const seconds = attempts.reduce((sum, one) => sum + one.seconds, 0);
  const sections = [
    { title: 'Suggestion', parts: [chosen ? { items: evidence(chosen, lab) } : null, chosen ? APPLY : null] },
    armTable(lab),
    picture(lab),
    { title: 'Compared in pairs', parts: [lab.pairs.length === 0 ? null : { items: pairs(lab) }] },
    tasks(lab, linkTo),
    failures(lab, linkTo),
    dropped(lab),
    { title: 'Method and limits', parts: METHOD },
  ];
  return {
    ...{ ...extra, command: 'ralph lab report', whole: '--json', about: counted(arms.length, 'arm') },
    ...(chosen ? { tone: 'good', label: 'suggestion' } : { tone: 'warn', label: 'no suggestion' }),
    sentence: chosen
      ? `${chosen.arm.name} is suggested: ${solvedText(chosen)} solved`
      : `${suggestion.why.charAt(0).toUpperCase()}${suggestion.why.slice(1)}`,
    facts: chosen ? [suggestion.why] : [],
    figures: [
      ['tasks tried', `${tried.length} of ${mined}`, ''],
      ['attempts', String(attempts.length), errors > 0 ? counted(errors, 'error') : ''],
      ['time of agents', elapsed(1000 * seconds), ''],
      ['cost', money(costUsd), costUsd === null ? 'not reported' : 'errors included'],
    ],
    sections: sections.filter(({ parts }) => parts.some((part) => part !== null)),
  };
}

const APPLY = { remark: 'ralph lab suggest shows the commands that set it; with --apply it asks and sets it.' };

function hueOf({ arm, front }: ArmFigures, { suggestion }: Comparison): Hue {
  return arm.name === suggestion.arm ? 'good' : front ? 'accent' : 'idle';
}

function armTable(lab: Comparison): Section {
  const { arms, measure, tried } = lab;
  const numbered = arms.map((figures, i) => ({ ...figures, number: i + 1 }));
  const mean = (value: number) => value.toFixed(1);
  const rows = table<(typeof numbered)[number]>(
    [
      { title: '#', kind: 'n', cell: ({ number }) => number },
      { title: 'arm', kind: 'text', cell: ({ arm }) => shortened(arm.name, 80) },
      { title: 'solved', kind: 'n', cell: solvedText },
      { title: '95 %', kind: 'n', cell: ({ interval }) => intervalText(interval) },
      { title: 'per solved', kind: 'n', cell: ({ costPerSolved }) => money(costPerSolved) },
      { title: 'cost', kind: 'n', wide: true, cell: ({ costUsd }) => money(costUsd) },
      { title: 'time', kind: 'n', cell: ({ seconds }) => elapsed(1000 * seconds) },
      { title: 'tokens', kind: 'n', wide: true, cell: (one) => tokens(Math.round(one.tokens)) },
      { title: 'iterations', kind: 'n', wide: true, cell: ({ iterations }) => mean(iterations) },
      { title: 'sent back', kind: 'n', wide: true, cell: ({ sentBack }) => mean(sentBack) },
      { title: 'broke', kind: 'n', wide: true, cell: ({ broke }) => broke },
      { title: 'size', kind: 'n', wide: true, cell: ({ size }) => (size === null ? '–' : `${mean(size)} ×`) },
      { title: 'errors', kind: 'n', wide: true, cell: ({ errors }) => errors },
    ],
    numbered,
  );
  const isUneven = arms.some((one) => one.tasks < tried.length);
  return {
    title: 'Arms',
    parts: [
      rows,
      remark(
        'An arm is an agent, a model and a prompt, with or without review. Cost, time, tokens, iterations and changes requested by reviews are averages per attempt. Broke: attempts that made a passing check fail. Size: changed lines, compared with the original commit.',
      ),
      remark(isUneven && 'Not every arm was judged on every task: only the comparison in pairs uses the same tasks.'),
      remark(measure === 'seconds' && arms.length > 0 && 'No agent reports its cost, so time is used instead below.'),
    ],
  };
}

function picture(lab: Comparison): Section {
  const { arms, measure } = lab;
  const most = Math.max(...arms.map((one) => one[measure] ?? 0));
  const shown = arms.map((one, i) => ({ one, i, hue: hueOf(one, lab) }));
  const placed = arms.map((one) => ({
    ...{ hue: hueOf(one, lab), ends: one.interval, y: one.share, front: one.front },
    x: most > 0 ? (0.94 * (one[measure] ?? most)) / most : 0,
  }));
  const steps = placed.filter(({ front }) => front).toSorted((a, b) => a.x - b.x || a.y - b.y);
  const what = measure === 'costUsd' ? 'cost' : 'time';
  const drawn = html`<figure>${dots(`Share of tasks solved, against mean ${what} of an attempt; the table above has the figures`, placed, steps)}
<div class="axis"><span>${costText(0, measure)}</span><span>mean ${what} of an attempt</span><span>${costText(most / 0.94, measure)}</span></div>
${legend(shown.map(({ one, i, hue }) => ({ label: `${i + 1} ${shortened(one.arm.name, 60)}${one[measure] === null ? ' (cost unknown)' : ''}`, hue })))}
<figcaption>Solved tasks with 95 % intervals. The line is the front: no other arm solves as much for less. Green: suggested; blue: on the front.</figcaption></figure>`;
  return { title: `Solved, against ${what}`, parts: [arms.length === 0 ? null : { drawn }] };
}

/** Differences that are shown come first. */
function pairs({ pairs: all }: Comparison): readonly Cell[] {
  const sorted = all.toSorted((a, b) => Number(b.shown) - Number(a.shown) || a.corrected - b.corrected);
  return sorted.map((pair) => pairText(pair, all.length));
}

type LinkTo = (folder: string) => string;

const LOOK: Readonly<Record<LabResult['outcome'], readonly [text: string, look: Hue]>> = {
  solved: ['solved', 'good'],
  unsolved: ['not solved', 'bad'],
  error: ['error', 'idle'],
};

function linked({ outcome, folder }: LabResult, linkTo: LinkTo): Cell {
  const [text, look] = LOOK[outcome];
  return { text, look, link: linkTo(folder) };
}

function tasks({ arms, tried }: Comparison, linkTo: LinkTo): Section {
  const rows = table<Tried>(
    [
      { title: 'task', kind: 'text', cell: ({ id, title }) => [shortened(title, 120), { text: id, look: 'dim' }] },
      ...arms.map(({ arm }, i) => ({
        title: `${i + 1} ${shortened(arm.name, 30)}`,
        kind: 'k' as const,
        cell: ({ attempts }: Tried) => (attempts[i] ?? []).map((one) => linked(one, linkTo) as never),
      })),
    ],
    tried,
    { most: [300, 100], what: 'tasks' },
  );
  return { title: 'Tasks', parts: [rows] };
}

function failures({ tried }: Comparison, linkTo: LinkTo): Section {
  const failed = tried.flatMap(({ title, attempts }) =>
    attempts.flat().flatMap((one) => (one.outcome === 'solved' ? [] : { ...one, title })),
  );
  const rows = table<(typeof failed)[number]>(
    [
      { title: 'task', kind: 'text', cell: ({ title }) => shortened(title, 80) },
      { title: 'arm', kind: 'text', cell: ({ arm }) => shortened(arm.name, 60) },
      { title: 'ended', kind: 'k', cell: (one) => linked(one, linkTo) },
      {
        title: 'why',
        kind: 'text',
        cell: ({ reason, broke }) => [
          shortened(reason, 240),
          ...broke.map((command) => ({ text: `broke ${shortened(command, 80)}`, look: 'dim' as const })),
        ],
      },
    ],
    failed,
    { most: [300, 60], what: 'failed attempts', stack: true },
  );
  return {
    title: 'What failed, and why',
    parts: [
      rows,
      rows && remark('Each link leads to the folder of the attempt: transcripts, the change, the judge’s results.'),
    ],
  };
}

function dropped({ dropped: all, mined }: Comparison): Section {
  const most = Math.max(...all.map(({ count }) => count));
  const total = all.reduce((sum, { count }) => sum + count, 0);
  const rows = table(
    [
      { title: 'why', kind: 'k', cell: ({ reason }) => shortened(reason, 60) },
      { title: 'commits', kind: 'n', cell: ({ count }) => count },
      { title: '', kind: 'bar', wide: true, cell: ({ count }) => bar(count / most, 'idle') },
      { title: 'such as', kind: 'text', cell: ({ example }) => shortened(example, 160) },
    ],
    all,
  );
  const share = percent(mined / Math.max(1, mined + total));
  return {
    title: 'Dropped while mining',
    parts: [rows && `${mined} of ${mined + total} commits became tasks (${share}).`, rows],
  };
}

const METHOD: Section['parts'] = [
  'Each task is a commit of this repository that came with tests, which fail before it and pass after it. An agent gets the tree before it and a story, without the tests; they judge its work in a clean room, together with everything that was green.',
  'Intervals of solved tasks are Wilson’s for 95 %, over tasks. Two arms are compared on the tasks that both tried: an exact two-sided sign test, which is McNemar’s where each task was tried once, corrected by Holm’s method for the number of pairs; the interval of a difference is a bootstrap over tasks. An error, such as a usage limit, says nothing about an arm and is left out.',
  `Limits: a commit is not a story, and its message may say less than a person would. Tests judge only what they test. A model may have been trained on public history, including these solutions. Few tasks show only large differences; that none is shown does not mean that there is none.`,
];
