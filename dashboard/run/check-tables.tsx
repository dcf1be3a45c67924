import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CheckView, DenialView, Kept, RunView, TestRunView } from '../../src/rules/view/index.ts';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Pill } from '../parts/pills.tsx';
import { Empty, Heads } from '../parts/problem.tsx';
import { runHref } from '../route.ts';
import { clockTime, elapsed, said } from '../text.ts';

interface TableProps {
  readonly project: string;
  readonly view: RunView;
  /** Shows only entries of this iteration. */
  readonly iteration: number | null;
}

type Kind = 'all' | 'denials' | 'tests' | 'checks';

export function CheckTables({ project, view, iteration }: TableProps) {
  const [text, setText] = useState('');
  const [kind, setKind] = useState<Kind>('all');
  const chosen = <T extends { readonly iteration: number }>(kept: Kept<T>): readonly T[] =>
    kept.last.filter((one) => (iteration === null || one.iteration === iteration) && has(one, text)).toReversed();
  const denials = chosen(view.denials);
  const tests = chosen(view.tests);
  const checks = chosen(view.checks);
  const shows = (which: Kind) => kind === 'all' || kind === which;
  const context = { view, iteration, href: (number: number) => runHref(project, view.run, number) };
  const nothing = denials.length + tests.length + checks.length === 0;
  if (iteration !== null && nothing) return null;
  return (
    <div class="stack-4">
      {iteration === null && (
        <FilterBar
          label="Filter checks and denials"
          text={text}
          onText={setText}
          choices={[
            { value: 'all', text: 'All' },
            { value: 'denials', text: 'Denials', count: view.denials.count },
            { value: 'tests', text: 'Tests', count: view.tests.count },
            { value: 'checks', text: 'Checks', count: view.checks.count },
          ]}
          choice={kind}
          onChoice={setKind}
        />
      )}
      {shows('denials') && (
        <Table
          {...context}
          title="Denials"
          note="Tool calls that the guard and the hooks refused."
          rows={denials}
          kept={view.denials}
          columns={DENIALS}
        />
      )}
      {shows('tests') && (
        <Table
          {...context}
          title="Test runs reported by the agent"
          note="For information only: these come from the agent."
          rows={tests}
          kept={view.tests}
          columns={TESTS}
        />
      )}
      {shows('checks') && (
        <Table
          {...context}
          title="Checks of the loop"
          note="Run by ralph itself; these decide."
          rows={checks}
          kept={view.checks}
          columns={CHECKS}
        />
      )}
      {nothing && (
        <Empty title={text === '' ? 'No denials, test runs or checks yet.' : 'Nothing matches the filter.'} />
      )}
    </div>
  );
}

interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly look?: string;
}

/** Some lines of it, and all in the tooltip. */
function Long({ text }: { readonly text: string }) {
  return (
    <span class="clamped" title={said(text)}>
      {said(text)}
    </span>
  );
}

const DENIALS: readonly Column<DenialView>[] = [
  { head: 'Rule', cell: (one) => <Long text={one.rule} />, look: 'mono wide' },
  { head: 'What', cell: (one) => <Long text={`${one.tool}: ${one.subject}`} />, look: 'mono wide' },
  { head: 'Why', cell: (one) => <Long text={one.reason} />, look: 'wide' },
];

const OUTCOME = {
  pass: { tone: 'good', icon: 'check-circle' },
  fail: { tone: 'bad', icon: 'cross-circle' },
  error: { tone: 'bad', icon: 'alert' },
  'no-tests': { tone: 'warn', icon: 'minus-circle' },
  unknown: { tone: 'warn', icon: 'minus-circle' },
} as const;

/** Never green: only the agent saw it. */
const REPORTED = { ...OUTCOME, pass: { tone: 'plain', icon: 'check-circle' } } as const;

const TESTS: readonly Column<TestRunView>[] = [
  { head: 'Outcome', cell: ({ outcome }) => <Pill {...REPORTED[outcome]}>{`reported: ${outcome}`}</Pill> },
  { head: 'Command', cell: (one) => <Long text={one.command} />, look: 'mono wide' },
  {
    head: 'Tests',
    cell: ({ passed, failed }) => (passed === null && failed === null ? '' : `${passed ?? 0} ✓  ${failed ?? 0} ✗`),
    look: 'number nowrap',
  },
  { head: 'Confidence', cell: (one) => `${Math.round(one.confidence * 100)} %`, look: 'number' },
];

const CHECKS: readonly Column<CheckView>[] = [
  {
    head: 'Outcome',
    cell: ({ ok, exitCode }) => (
      <Pill {...(ok ? OUTCOME.pass : OUTCOME.fail)}>
        {ok ? 'passed' : exitCode === null ? 'no exit code' : `exit ${exitCode}`}
      </Pill>
    ),
  },
  {
    head: 'Command',
    cell: (one) => <Long text={one.command + (one.baselineRed ? ' (failed before, too)' : '')} />,
    look: 'mono wide',
  },
  { head: 'Took', cell: (one) => elapsed(one.durationMs), look: 'number nowrap' },
];

function Table<T extends { readonly at: number; readonly iteration: number }>(props: {
  readonly title: string;
  readonly note: string;
  readonly rows: readonly T[];
  readonly kept: Kept<T>;
  readonly columns: readonly Column<T>[];
  readonly view: RunView;
  readonly iteration: number | null;
  readonly href: (iteration: number) => string;
}) {
  const { rows, kept, view } = props;
  if (rows.length === 0) return null;
  const Heading = props.iteration === null ? 'h2' : 'h3';
  const gone = kept.count - kept.last.length;
  return (
    <section class="part stack-2">
      <Heading>
        {props.title} <span class="count">{rows.length}</span>
        <span class="dim note">{props.note}</span>
      </Heading>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached by keys too. */}
      <section class="panel scroll-x" tabIndex={0} aria-label={props.title}>
        <table class="plain">
          <Heads
            heads={['Time', ...(props.iteration === null ? ['#'] : []), ...props.columns.map(({ head }) => head)]}
          />
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two may be alike to the millisecond.
              <tr key={`${row.at} ${index}`}>
                <td class="number nowrap dim">{clockTime(row.at, view.lastEventAt)}</td>
                {props.iteration === null && (
                  <td class="number">{row.iteration > 0 && <a href={props.href(row.iteration)}>{row.iteration}</a>}</td>
                )}
                {props.columns.map(({ head, cell, look }) => (
                  <td key={head} class={look ?? ''}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {props.iteration === null && gone > 0 && <p class="dim note">{gone} earlier ones are in the transcript.</p>}
    </section>
  );
}

function has(row: object, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return wanted === '' || Object.values(row).some((value) => String(value).toLowerCase().includes(wanted));
}
