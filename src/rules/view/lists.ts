import type { RalphEvent } from '../../contracts/events.ts';
import { shortLine } from '../printable.ts';
import { keptList } from './kept.ts';
import type { CheckView, DenialView, NoticeView, RunView, TestRunView } from './model.ts';
import { noticeOf } from './notices.ts';

type Lists = Pick<RunView, 'denials' | 'tests' | 'checks' | 'notices' | 'steered'>;

/** What agents and people did, of which only the last is kept. */
export interface RunLists {
  see(event: RalphEvent, at: number): void;
  view(): Lists;
}

/** Goes on from what an earlier fold kept. */
export function runLists(from?: Lists): RunLists {
  const denials = keptList<DenialView>(from?.denials);
  const tests = keptList<TestRunView>(from?.tests);
  const checks = keptList<CheckView>(from?.checks);
  const notices = keptList<NoticeView>(from?.notices);
  const steered = keptList<RunView['steered']['last'][number]>(from?.steered);

  return {
    see(event, at) {
      const { iteration } = event;
      if (event.type === 'denied') {
        const { tool, rule, reason, subject } = event;
        denials.add({ at, iteration, tool, rule, reason: shortLine(reason, 500), subject: shortLine(subject) });
      } else if (event.type === 'test-verdict') {
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
    view: () => ({
      denials: denials.view(),
      tests: tests.view(),
      checks: checks.view(),
      notices: notices.view(),
      steered: steered.view(),
    }),
  };
}
