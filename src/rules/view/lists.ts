import type { RalphEvent } from '../../contracts/index.ts';
import { shortLine } from '../text/index.ts';
import {
  type CheckView,
  type DenialView,
  KEPT,
  type Kept,
  type NoticeView,
  type RunView,
  type TestRunView,
} from './model.ts';

type Lists = Pick<RunView, 'denials' | 'tests' | 'checks' | 'notices' | 'steered'>;

/** Actions of agents and people, of which only the last are kept. Continues from those that an earlier fold kept. */
export function runLists(from?: Lists) {
  const denials = keptList<DenialView>(from?.denials);
  const tests = keptList<TestRunView>(from?.tests);
  const checks = keptList<CheckView>(from?.checks);
  const notices = keptList<NoticeView>(from?.notices);
  const steered = keptList<RunView['steered']['last'][number]>(from?.steered);

  return {
    see(event: RalphEvent, at: number): void {
      const { iteration } = event;
      if (event.type === 'denied') {
        const { tool, rule, reason, subject } = event;
        denials.add({ at, iteration, tool, rule, reason: shortLine(reason, 500), subject: shortLine(subject) });
      } else if (event.type === 'test-result') {
        const { outcome, framework, passed, failed, confidence } = event;
        const command = shortLine(event.command);
        tests.add({ at, iteration, command, outcome, framework, passed, failed, confidence });
      } else if (event.type === 'check') {
        const { ok, exitCode, known } = event.result;
        const durationMs = known ? 0 : event.result.durationMs;
        const command = shortLine(event.result.command);
        checks.add({ at, iteration, command, ok, exitCode, durationMs, baselineRed: event.baselineRed });
      } else if (event.type === 'steering') {
        steered.add({ at, iteration, text: shortLine(event.text, 500) });
      }
      const notice = noticeOf(event);
      if (notice !== null) notices.add({ at, iteration, ...notice });
    },
    view: (): Lists => ({
      denials: denials.view(),
      tests: tests.view(),
      checks: checks.view(),
      notices: notices.view(),
      steered: steered.view(),
    }),
  };
}

/**
 * The kept part of an unlimited number of entries: the last {@link KEPT}, and the total count. Continues from those that
 * an earlier list kept. The cost of adding does not depend on their number.
 */
function keptList<T>(from?: Kept<T>) {
  let count = from?.count ?? 0;
  let last = [...(from?.last ?? [])];
  let shown: Kept<T> | null = null;
  return {
    add(entry: T): void {
      count += 1;
      shown = null;
      last.push(entry);
      // Cut at twice the length, not at every entry: moving hundreds each time would dominate the cost.
      if (last.length > 2 * KEPT) last = last.slice(-KEPT);
    },
    view(): Kept<T> {
      shown ??= { count, last: last.slice(-KEPT) };
      return shown;
    },
  };
}

/** The longest text of one notice. */
const MOST_CHARS = 500;

type Told = Pick<NoticeView, 'level' | 'text'>;

const NOTICES: {
  readonly [Type in RalphEvent['type']]?: (event: Extract<RalphEvent, { type: Type }>) => Told;
} = {
  notice: ({ level, text }) => ({ level, text }),
  violation: ({ violation }) => ({ level: 'warning', text: violation.message }),
  'egress-refused': ({ host, port, reason, times }) => ({
    level: 'warning',
    text: `${host}:${port} was refused${times > 1 ? ` ${times} times` : ''}: ${reason}`,
  }),
  'plugin-failed': ({ plugin, doing, message }) => ({
    level: 'error',
    text: `the plugin ${plugin} is left out from here on: ${doing}: ${message}`,
  }),
  'hook-error': ({ hook, message }) => ({ level: 'warning', text: `the hook ${hook} could not decide: ${message}` }),
  tampering: ({ path, line, detail }) => ({ level: 'warning', text: `${path}:${line}: ${detail}` }),
  unresolved: ({ parts }) => ({ level: 'info', text: `the guard could not resolve: ${parts.join(' · ')}` }),
  'agent-switch': ({ from, to, reason }) => ({ level: 'info', text: `${to} takes over from ${from}: ${reason}` }),
  budget: ({ overrun, story }) => ({
    level: 'warning',
    text: `the budget for ${overrun.budget}${story === null ? '' : ` of ${story}`} is spent: ${overrun.spent} of ${overrun.limit}`,
  }),
  transient: ({ reason }) => ({ level: 'info', text: `tries again: ${reason}` }),
  recovered: ({ action }) => ({ level: 'warning', text: `recovered what a crash left: ${action}` }),
};

function noticeOf(event: RalphEvent): Told | null {
  // A type that only a later version knows may be called like anything, also `constructor`.
  if (!Object.hasOwn(NOTICES, event.type)) return null;
  const words = NOTICES[event.type] as (event: RalphEvent) => Told;
  const { level, text } = words(event);
  return { level, text: shortLine(text, MOST_CHARS) };
}
