import type { RunView } from '../../rules/view/model.ts';
import { clockTime, elapsed } from '../terminal/format.ts';
import type { Paint, Tone } from '../terminal/paint.ts';
import { oneLine } from '../terminal/sanitise.ts';
import type { Canvas } from './scene.ts';
import { cutStyled } from './styled.ts';

interface Entry {
  readonly at: number;
  readonly iteration: number;
  readonly label: string;
  readonly tone: Tone;
  readonly text: string;
}

/** What was refused, tested, checked and worth a warning, newest first. */
function entriesOf(view: RunView): readonly Entry[] {
  const entries: readonly Entry[] = [
    ...view.denials.last.map((one) => ({
      ...one,
      label: 'denied',
      tone: 'bad' as const,
      text: `${one.tool} ${one.subject} · ${one.rule}: ${one.reason}`,
    })),
    ...view.tests.last.map((one) => ({
      ...one,
      label: 'tests',
      tone: one.outcome === 'pass' ? ('dim' as const) : ('warn' as const),
      text: `the agent reports ${one.outcome}${countsOf(one.passed, one.failed)} · ${one.command}`,
    })),
    ...view.checks.last.map((one) => ({
      ...one,
      label: 'check',
      tone: one.ok ? ('good' as const) : ('bad' as const),
      text: `${one.ok ? 'ok' : `failed (${one.exitCode ?? 'no exit code'})`} after ${elapsed(one.durationMs)} · ${one.command}${one.baselineRed ? ' · red before the run already' : ''}`,
    })),
    ...view.notices.last.map((one) => ({
      ...one,
      label: one.level,
      tone: one.level === 'info' ? ('dim' as const) : ('warn' as const),
      text: one.text,
    })),
  ];
  return entries.toSorted((a, b) => b.at - a.at);
}

function countsOf(passed: number | null, failed: number | null): string {
  const parts = [...(passed === null ? [] : [`${passed} passed`]), ...(failed === null ? [] : [`${failed} failed`])];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** How many entries there are to move through. Pure. */
export function judgedCount(view: RunView): number {
  return view.denials.last.length + view.tests.last.length + view.checks.last.length + view.notices.last.length;
}

/** The pane: counts, then the newest entries; `from`: how many are left out on top. Pure. */
export function judgedPane(view: RunView, { paint, width, height, now }: Canvas, from: number): readonly string[] {
  const counts = `${view.denials.count} denied · ${view.tests.count} test runs reported · ${view.checks.count} checks · ${view.notices.count} notices`;
  const shown = entriesOf(view).slice(from, from + height - 1);
  return [
    paint('dim', cutStyled(counts, width)),
    ...(shown.length === 0
      ? [paint('dim', 'nothing yet')]
      : shown.map((entry) => cutStyled(entryLine(entry, now, paint), width))),
  ];
}

function entryLine({ at, iteration, label, tone, text }: Entry, now: number, paint: Paint): string {
  const where = iteration === 0 ? '   ' : `#${iteration}`.padStart(3);
  return `${paint('dim', `${clockTime(at, now)} ${where}`)} ${paint(tone, label.padEnd(7))} ${oneLine(text)}`;
}
