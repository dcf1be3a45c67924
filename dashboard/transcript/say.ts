import type { AgentEvent, EventBody, EventEnvelope, RalphEvent, Verdict } from '../../src/contracts/index.ts';
import { budgetText } from '../../src/rules/safeguards/index.ts';
import { MODE_TEXT, outcomeOf, VERDICT_TONE, WAIT_TEXT } from '../../src/rules/text/index.ts';
import { clockTime, counted, dollars, elapsed, tokens } from '../text.ts';
import { shortWords as short } from './plain.ts';

type Tone = 'good' | 'warn' | 'bad' | 'accent' | 'dim' | 'plain';

/** An event in words for people. Others wrote all of it: text, never markup. */
export interface Said {
  /** One or two words: the kind of the event. */
  readonly label: string;
  readonly tone: Tone;
  readonly head: string;
  /** More of it, unprocessed; long, with controls in it: the caller has to make it plain before showing it. */
  readonly body?: string;
}

type Sayings<Union extends { readonly type: string }, Envelope = unknown> = {
  readonly [T in Union['type']]: (event: Extract<Union, { readonly type: T }> & Envelope) => Said | null;
};

/** @returns null for an event that is not shown here */
export function say(event: RalphEvent): Said | null {
  try {
    return event.type === 'agent' ? from(AGENT, event.event) : from(EVENTS, event);
  } catch {
    // The log was tampered with: an unreadable event must not break the page.
    return said('unreadable', 'dim', String(event.type));
  }
}

/** A log of a later version has types that this page does not know. */
function from<T extends { readonly type: string }>(sayings: object, event: T): Said | null {
  if (!Object.hasOwn(sayings, event.type)) return null;
  const saying = (sayings as Readonly<Record<string, (event: T) => Said | null>>)[event.type];
  return saying?.(event) ?? null;
}

const said = (label: string, tone: Tone, head: string, body?: string): Said => ({
  label: short(label, 48),
  tone,
  head: short(head),
  ...(body === undefined || body === '' ? {} : { body: String(body) }),
});

const AGENT: Sayings<AgentEvent> = {
  session: () => null,
  usage: () => null,
  text: ({ text }) => said('says', 'plain', '', text),
  // The head is one line of it.
  'tool-call': ({ name, summary }) => said(name, 'plain', summary, short(summary) === summary ? '' : summary),
  'tool-result': ({ ok, summary }) => said('result', ok ? 'dim' : 'bad', '', summary),
  limit: ({ limit }) => said('limit', limit.status === 'rejected' ? 'bad' : 'warn', `usage limit: ${limit.kind}`),
  retry: ({ attempt, reason }) => said('retries', 'warn', `${reason} (try ${attempt})`),
  notice: ({ text }) => said('note', 'dim', text),
};

/** Never green: it is the agent's claim. */
const OUTCOME_TONE = { pass: 'plain', fail: 'warn', error: 'warn', 'no-tests': 'warn', unknown: 'warn' } as const;
const LEVEL_TONE = { info: 'dim', warning: 'warn', error: 'bad' } as const;

const EVENTS: Sayings<Exclude<EventBody, { readonly type: 'agent' }>, EventEnvelope> = {
  'run-start': ({ resumed, agent, model, isolation, branch }) =>
    said(
      resumed ? 'resumed' : 'started',
      'accent',
      [model ? `${agent} (${model})` : agent, `isolation ${isolation}`, branch ?? 'no branch'].join(' · '),
    ),
  'run-end': ({ reason, lonePrompt, summary }) => {
    const { text, tone } = outcomeOf(reason, lonePrompt === true);
    return said('ended', tone as Tone, summary || text);
  },
  estimate: ({ storiesLeft, iterationsNeeded, limit, enough }) =>
    said(
      'estimate',
      enough ? 'dim' : 'warn',
      `${counted(storiesLeft, 'story', 'stories')} left, about ${iterationsNeeded} of ${limit} iterations`,
    ),
  recovered: ({ phase, action, story }) =>
    said('recovered', 'warn', `an iteration${story ? ` on ${story}` : ''} was cut off (${phase}): ${action}`),
  wait: ({ why, text }) => said('waits', 'warn', `${WAIT_TEXT[why] ?? why}: ${text}`),
  'wait-end': ({ why, waitedMs }) => said('waited', 'dim', `${elapsed(waitedMs)} (${WAIT_TEXT[why] ?? why})`),
  'turn-end': ({ next, text }) =>
    said('turn', next === 'later' ? 'warn' : 'dim', text || 'continues with the next turn'),
  circuit: ({ to, reason, evidence }) =>
    said(
      'breaker',
      to === 'closed' ? 'good' : to === 'open' ? 'bad' : 'warn',
      reason ? `${to}: ${reason}` : to,
      evidence?.join('\n'),
    ),
  budget: ({ overrun, story }) => said('budget', 'warn', budgetText(overrun, story)),
  'agent-switch': ({ from, to, reason }) => said('agent', 'warn', `${to} takes over from ${from}: ${reason}`),
  steering: ({ text }) => said('steered', 'accent', text),
  select: ({ iteration, mode, story, title, attempt }) =>
    said(
      `#${iteration} ${MODE_TEXT[mode] ?? mode}`,
      'accent',
      `${story} ${title}${attempt > 1 ? ` · attempt ${attempt}` : ''}`,
    ),
  'agent-start': ({ agent, model, try: attempt }) =>
    said('agent', 'dim', `${model ? `${agent} (${model})` : agent} started${attempt > 1 ? `, try ${attempt}` : ''}`),
  'agent-end': ({ ok, stopped, error, exitCode, signal, durationMs, costUsd }) =>
    said(
      'agent',
      ok ? 'dim' : 'warn',
      [
        stopped
          ? `stopped: ${stopped}`
          : error
            ? `${error.kind}: ${error.message}`
            : ok
              ? 'ended'
              : `ended, ${signal ?? `exit code ${exitCode}`}`,
        elapsed(durationMs),
        ...(costUsd === null ? [] : [dollars(costUsd)]),
      ].join(' · '),
    ),
  transient: ({ reason, delayMs }) => said('retry', 'warn', `${reason}; retrying in ${elapsed(delayMs)}`),
  check: ({ result: { ok, command, durationMs, timedOut, exitCode, tail }, baselineRed }) =>
    said(
      ok ? 'check passed' : 'check failed',
      ok ? 'good' : baselineRed ? 'warn' : 'bad',
      [
        command,
        elapsed(durationMs),
        ...(ok ? [] : [timedOut ? 'timed out' : exitCode === null ? 'killed' : `exit code ${exitCode}`]),
        ...(baselineRed ? ['failed before the run'] : []),
      ].join(' · '),
      tail,
    ),
  violation: ({ violation }) => said('rule', 'warn', `${violation.rule}: ${violation.message}`),
  'progress-compacted': ({ text }) => said('note', 'dim', 'progress log compacted', text),
  proof: ({ proof }) =>
    said('proof', proof.outcome === 'proven' ? 'good' : 'warn', `${proof.outcome} · ${proof.detail}`),
  verdict: ({ verdict, reason }) => said(verdict, toneOf(verdict), reason),
  commit: ({ commit, subject, files }) =>
    said('commit', 'accent', `${commit.slice(0, 7)} ${subject} (${counted(files, 'file')})`),
  rollback: ({ rescue, files }) =>
    said('rolled back', 'warn', rescue === null ? 'nothing to restore' : `${counted(files, 'file')} kept`),
  story: ({ story, from, to, reason }) =>
    said('story', 'plain', `${story}: ${state(from)} → ${state(to)}${reason ? ` (${reason})` : ''}`),
  question: ({ question, story, text }) => said('question', 'warn', `${question} on ${story}`, text),
  'false-completion': ({ storiesLeft, by }) =>
    said('claim', 'warn', `claims everything is done (${by}); ${counted(storiesLeft, 'story', 'stories')} left`),
  signals: ({ signals: { done, completion, testOnly, confidence } }) => {
    const seen = [done ? 'done' : completion ? 'mentions completion' : '', testOnly ? 'only tests' : ''];
    return said('signals', 'dim', `${seen.filter(Boolean).join(', ') || 'none'} (confidence ${confidence})`);
  },
  'iteration-end': ({ durationMs, costUsd }) =>
    said('end', 'dim', [elapsed(durationMs), ...(costUsd === null ? [] : [dollars(costUsd)])].join(' · ')),
  denied: ({ tool, subject, rule, reason }) => said('denied', 'bad', `${tool} ${subject}`, `${rule}: ${reason}`),
  'egress-refused': ({ host, port, reason, times }) =>
    said('no access', 'warn', `${host}:${port}${times > 1 ? ` (${times} times)` : ''}`, reason),
  unresolved: ({ parts }) => said('guard', 'dim', `allowed unresolved: ${parts.join('; ')}`),
  'test-result': ({ command, outcome, passed, failed }) =>
    said(
      'tests',
      OUTCOME_TONE[outcome] ?? 'plain',
      [
        `the agent reports ${outcome}`,
        ...(passed === null ? [] : [`${passed} passed`]),
        ...(failed ? [`${failed} failed`] : []),
        command,
      ].join(' · '),
    ),
  'hook-error': ({ hook, message }) => said('hook', 'warn', `${hook} could not decide: ${message}`),
  'stop-refused': ({ reasons }) => said('not done', 'warn', reasons[0] ?? '', reasons.slice(1).join('\n')),
  'context-use': ({ percent, tokens: used, window }) =>
    said('context', 'warn', `${percent} % used (${tokens(used)} of ${tokens(window)})`),
  'tool-call': ({ tool, summary, refused }) =>
    said('ralph', refused === null ? 'plain' : 'warn', `${tool} ${refused === null ? summary : `refused: ${refused}`}`),
  tampering: ({ path, line, detail }) => said('tests changed', 'warn', `${path}:${line}: ${detail}`),
  'plugin-failed': ({ plugin, doing, message }) =>
    said('plugin', 'warn', `${plugin} is left out: ${doing} failed: ${message}`),
  'exit-condition': ({ name, reason }) => said('exit', 'accent', `${name}: ${reason}`),
  notice: ({ level, text, fix }) =>
    said(level === 'info' ? 'note' : level, LEVEL_TONE[level] ?? 'dim', text, fix ? `fix: ${fix}` : ''),
  // Gauges, boards and the rows of later events show these.
  backlog: () => null,
  limits: () => null,
  baseline: () => null,
  checkpoint: () => null,
  'check-start': () => null,
};

/** Types of all events except what agents say and do. */
export const HEADLINES: readonly string[] = Object.keys(EVENTS);

function toneOf(verdict: Verdict): Tone {
  return (Object.hasOwn(VERDICT_TONE, verdict) ? VERDICT_TONE[verdict] : 'plain') as Tone;
}

/** The file's `null` is a story not worked on yet. */
function state(of: string): string {
  return of === 'null' ? 'to do' : of.replaceAll('_', ' ');
}

/** The time of an event, as a clock shows it. */
export function timeOf(event: RalphEvent, now: number): string {
  const at = Date.parse(event.ts);
  return Number.isNaN(at) ? '' : clockTime(at, now);
}
