import type { AddedTokens, AgentEvent, ProviderLimit, StopReason } from '../../../contracts/index.ts';
import {
  addedTokens,
  allTokens,
  counted,
  dollars,
  elapsed,
  limitText,
  moment,
  oneLine,
  rescueName,
  safeLines,
  tokens,
} from '../../../rules/text/index.ts';
import { truncate } from '../layout.ts';
import { type Event, type Lines, type Page, testResult } from './page.ts';

/** An agent's process: its start, what it does, its end. */
export const AGENT_LINES = {
  'agent-start': (event, { row, verbose }) => (verbose ? [row('agent', agentStart(event))] : []),
  agent: ({ event }, page) => agentEvent(event, page),
  'agent-end': (event, page) => [
    ...(page.verbose ? [] : summed(page)),
    ...agentEnd(event, page).map((text) => page.row('agent', text)),
    ...(page.verbose && event.added ? [page.row('added', addedText(event.added))] : []),
  ],
  transient: ({ reason, try: number, retries, delayMs, rescue }, { row }) => {
    const kept = rescue ? `, its work kept: ralph rescue show ${rescueName(rescue)}` : '';
    return [row('retry', `retrying: ${oneLine(reason)} ${retryOf(number, retries, delayMs)}${kept}`, 'warn')];
  },
} satisfies Partial<Lines>;

function agentStart(event: Event<'agent-start'>): string {
  const model = event.model ? ` (${event.model})` : '';
  return `${oneLine(event.agent + model)} started${event.try > 1 ? ` again, try ${event.try}` : ''}, pid ${event.pid}`;
}

function agentEvent(event: AgentEvent, { paint, verbose, row, quoted }: Page): readonly string[] {
  switch (event.type) {
    case 'limit':
      return [row('limit', limit(event.limit), event.limit.status === 'rejected' ? 'bad' : 'dim')];
    case 'retry':
      return [row('retry', `retrying: ${oneLine(event.reason)} ${retryOf(event.attempt, event.of, event.delayMs)}`)];
    case 'tool-call':
      return verbose ? [row('tool', quoted(`${oneLine(event.name)} ${oneLine(event.summary)}`))] : [];
    case 'tool-result':
      return verbose && !event.ok ? [row('', paint('bad', quoted(`✗ ${oneLine(event.summary)}`)))] : [];
    case 'text':
      return verbose ? safeLines(event.text.trim()).map((line, i) => row(i === 0 ? 'says' : '', line)) : [];
    case 'notice':
      return verbose ? [row('note', oneLine(event.text))] : [];
    case 'session':
    case 'usage':
      return [];
  }
}

/** `(1 of 4, in 0.6s)`. */
function retryOf(number: number, of: number | undefined, delayMs: number | null): string {
  return `(${number}${of === undefined ? '' : ` of ${of}`}${delayMs === null ? '' : `, in ${elapsed(delayMs)}`})`;
}

function limit({ status, kind, resetsAt }: ProviderLimit): string {
  const until = resetsAt === null ? '' : `; resets ${moment(resetsAt)}`;
  return `${limitText(kind)} ${status === 'rejected' ? 'reached' : 'nearly reached'}${until}`;
}

/** What happened several times, the last test run, and the last thing that the agent said. */
function summed({ row, quoted, brief, paint, state: { repeats, tests, said } }: Page): readonly string[] {
  return [
    ...[...repeats].flatMap(([what, times]) =>
      times > 1 ? [row('', paint('warn', quoted(`${times} times: ${truncate(what, LONGEST_REPEAT)}`)))] : [],
    ),
    ...(tests === null ? [] : [row('tests', testResult(tests.last, { paint, quoted }, tests.runs))]),
    ...(said === '' ? [] : [row('says', brief(truncate(said, LONGEST_SAYING)))]),
  ];
}

/** Of a message, where no terminal's width cuts it. */
const LONGEST_SAYING = 300;
/** Enough to tell which of the lines above it repeats. */
const LONGEST_REPEAT = 60;

/** One condensed line for everything the agent did, and one more when it was stopped. */
function agentEnd(event: Event<'agent-end'>, { state, paint, verbose }: Page): readonly string[] {
  const used = [...state.tools];
  const calls = used.reduce((sum, [, count]) => sum + count, 0);
  const names = verbose ? `: ${used.map(([name, count]) => `${name} ${count}`).join(', ')}` : '';
  const tools = calls === 0 ? 'no tools' : `${counted(calls, 'tool call')}${names}`;
  const spent = allTokens(event.usage);
  const facts = [
    elapsed(event.durationMs),
    tools,
    ...(spent > 0 ? [`${tokens(spent)} tokens`] : []),
    ...(event.costUsd === null ? [] : [dollars(event.costUsd)]),
  ].join(' · ');
  const bad = badEnd(event, verbose);
  return bad === null ? [facts] : [facts, paint('bad', bad)];
}

/** What ralph itself put into the context. */
function addedText(added: AddedTokens): string {
  const parts = [`prompt ${added.prompt}`, `tools ${added.tools}`, `hooks ${added.hooks}`];
  return `about ${addedTokens(added)} tokens by ralph: ${parts.join(', ')}; plus ${added.story} for the story`;
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  timeout: 'its time is up',
  'idle-timeout': 'it was silent for too long',
  interrupted: 'the run was interrupted',
  terminated: 'the run was terminated',
  stopped: 'on request (`ralph stop --now`)',
  budget: 'a budget is spent',
};

function badEnd({ stopped, error, ok, exitCode, signal }: Event<'agent-end'>, verbose: boolean): string | null {
  if (stopped !== null)
    return `stopped by the loop: ${Object.hasOwn(STOPPED, stopped) ? STOPPED[stopped] : oneLine(stopped)}`;
  // The verdict, or the next try, says it.
  if (error !== null && !verbose) return null;
  if (error !== null) return `${error.kind}: ${oneLine(error.message)}`;
  if (ok) return null;
  return signal === null ? `ended with exit code ${exitCode}` : `ended by ${signal}`;
}
