import type { LedgerIteration } from '../../contracts/state/ledger.ts';
import { shellWord } from '../shell-word.ts';
import type { Alarm } from './breaker-alarm.ts';
import { errorOf } from './error-of-line.ts';

/** Characters of an iteration's reason, or of an error, that one line shows. */
const SHORT = 160;

const RESCUES = 'refs/ralph/rescue/';

type Cause = Alarm['cause'];

const REASON: Readonly<Record<Cause, (alarm: Alarm) => string>> = {
  'no-progress': ({ times }) =>
    times === 1 ? 'the last iteration brought nothing' : `${times} iterations in a row brought nothing`,
  'same-error': ({ times, lines }) =>
    `${times === 1 ? 'an error came' : `the same error came ${times} times`} since the last good iteration${errorIn(lines)}`,
  'blocked-twice': ({ lines }) => {
    const [story, ...others] = storiesOf(lines);
    const who =
      others.length === 0
        ? `${story} ran out of attempts twice`
        : `${[story, ...others].join(' and ')} ran out of attempts`;
    return `${who}, without anything good between`;
  },
  'output-decline': () => 'the agent says far less than it used to, and nothing gets done',
};

/** The setting to raise when it was too strict. */
const SETTING: Readonly<Record<Cause, string>> = {
  'no-progress': '`circuit.noProgress` (CB_NO_PROGRESS_THRESHOLD)',
  'same-error': '`circuit.sameError` (CB_SAME_ERROR_THRESHOLD)',
  'blocked-twice': '`storyMaxAttempts` (`--story-max-attempts`)',
  'output-decline': '`circuit.outputDecline` (CB_OUTPUT_DECLINE_THRESHOLD)',
};

/** Why, in one sentence without a full stop. */
export function reasonOf(alarm: Alarm): string {
  return REASON[alarm.cause](alarm);
}

/** What was tried and how it ended, one line each. */
export function evidenceOf(lines: readonly LedgerIteration[]): readonly string[] {
  return lines.map(
    ({ iteration, story, mode, verdict, reason }) =>
      `iteration ${iteration} (${story}, ${mode}): ${verdict} – ${short(reason)}`,
  );
}

/** What to look at, then how to go on. */
export function mendOf(cause: Cause, state: Alarm['state'], lines: readonly LedgerIteration[]): readonly string[] {
  const last = lines.at(-1);
  const rescue = lines.findLast((line) => line.rescue !== null)?.rescue ?? null;
  return [
    ...(last ? [`\`ralph log ${last.iteration} --run ${last.run}\` shows what the last of them did`] : []),
    ...storiesOf(lines)
      .slice(-2)
      .map((story) => `\`ralph stories show ${shellWord(story)}\`: is it clear, and small enough for one iteration?`),
    ...(rescue === null
      ? []
      : [`\`ralph rescue show ${rescue.replace(RESCUES, '')}\` has the work that was taken back`]),
    state === 'open'
      ? '`ralph circuit reset`, then `ralph run`; or both at once: `ralph run --reset-circuit`'
      : 'nothing has to be done to go on: a good iteration closes the circuit',
    `if this came too early, raise ${SETTING[cause]}`,
  ];
}

function errorIn(lines: readonly LedgerIteration[]): string {
  const error = lines[0] ? errorOf(lines[0]) : null;
  return error === null ? '' : `: ${short(error)}`;
}

function storiesOf(lines: readonly LedgerIteration[]): readonly string[] {
  return [...new Set(lines.map(({ story }) => story))];
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SHORT ? line : `${line.slice(0, SHORT)}…`;
}
