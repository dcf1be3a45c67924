/** Medians of loading, selecting from and editing large backlogs. */

import { fullOutline, quickOutline } from '../src/rules/backlog/formats/markdown-outline.ts';
import { editBacklog, type LoadInput, loadBacklog, select } from '../src/rules/backlog/index.ts';
import { median, ms, ratio, report, target } from './support/statistics.ts';

function nativeBacklog(count: number): string {
  const userStories = Array.from({ length: count }, (_, index) => ({
    id: `US-${String(index + 1).padStart(5, '0')}`,
    title: `Story number ${index + 1} of the benchmark`,
    description: 'As a user I want one more thing, so that the list is long.',
    acceptanceCriteria: ['It does what it says', 'Tests pass'],
    priority: index + 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: index === 0 ? [] : [`US-${String(index).padStart(5, '0')}`],
  }));
  const top = { project: 'bench', branchName: 'ralph/bench', description: '', verifyCommands: ['npm test'] };
  return `${JSON.stringify({ ...top, userStories }, null, 2)}\n`;
}

function markdownPlan(lines: number): string {
  const text = ['# Plan', ''];
  for (let story = 1; text.length < lines; story++) {
    text.push(
      `- [ ] US-${story}: Story number ${story} of the benchmark`,
      '  - It does what it says',
      '  - Tests pass',
      '',
    );
  }
  return text.slice(0, lines).join('\n');
}

/** @returns the median, milliseconds */
function measure(name: string, rounds: number, run: () => unknown, limit = ''): number {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  const first = times[0] ?? 0;
  report(name, ms(median(times)), `${limit} first ${ms(first)}`.trim());
  return median(times);
}

function input(format: LoadInput['format'], text: string) {
  return {
    format,
    file: 'backlog',
    bytes: new TextEncoder().encode(text),
    reviewsFile: 'reviews.json',
    reviewsBytes: null,
  } satisfies LoadInput;
}

function loadAndSelect(source: LoadInput): unknown {
  return select(loadBacklog(source).document?.backlog.stories ?? [], { skipReview: false });
}

const selected: number[] = [];
for (const count of [10_000, 100_000]) {
  const source = input('tasks-json', nativeBacklog(count));
  const label = `tasks.json, ${count} stories (${(source.bytes.length / 1e6).toFixed(1)} MB)`;
  const rounds = count > 10_000 ? 5 : 15;
  const text = new TextDecoder().decode(source.bytes);
  measure(`${label}: JSON.parse`, rounds, () => JSON.parse(text));
  measure(`${label}: load`, rounds, () => loadBacklog(source));
  const limit = count === 10_000 ? target('<', 30, 'ms') : '';
  selected.push(measure(`${label}: load + select`, rounds, () => loadAndSelect(source), limit));
  const { document } = loadBacklog(source);
  if (!document) throw new Error('the benchmark made an invalid backlog');
  const edit = { kind: 'set', id: 'US-05000', fields: { reviewStatus: 'needs_review', notes: 'done' } } as const;
  measure(`${label}: edit`, rounds, () => editBacklog(document, [edit]));
}

const [small = Number.NaN, large = Number.NaN] = selected;
report('10 times the stories take', ms(large), ratio(large / small, 12));

const plan = markdownPlan(10_000);
const source = input('markdown', plan);
measure('plan.md, 10000 lines: quick outline', 15, () => quickOutline(plan));
measure('plan.md, 10000 lines: full outline', 3, () => fullOutline(plan));
measure('plan.md, 10000 lines: load', 15, () => loadBacklog(source));
measure('plan.md, 10000 lines: load + select', 15, () => loadAndSelect(source));
const { document } = loadBacklog(source);
if (!document) throw new Error('the benchmark made an invalid plan');
measure('plan.md, 10000 lines: tick', 15, () =>
  editBacklog(document, [{ kind: 'set', id: 'US-1250', fields: { passes: true } }]),
);
