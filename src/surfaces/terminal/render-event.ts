import type { AgentEvent } from '../../contracts/agent.ts';
import type { EventBody, RalphEvent } from '../../contracts/events.ts';
import type { CheckResult } from '../../contracts/model.ts';
import { renderEstimate } from './estimate.ts';
import { counted, dollars, elapsed, moment, tokens } from './format.ts';
import { allTokens, type LogState } from './log-state.ts';
import type { Paint, Tone } from './paint.ts';
import { oneLine, safeLines } from './sanitise.ts';
import { truncate } from './width.ts';
import { MODE_TEXT, VERDICT_TONE } from './words.ts';

export interface RenderOptions {
  readonly paint: Paint;
  /** Also what the agent says and each tool it uses. */
  readonly verbose: boolean;
  /** Width that quoted lines (tools, output of checks) are cut to; what ralph itself says is never cut. */
  readonly columns: number;
}

type Event<T extends EventBody['type']> = Extract<EventBody, { readonly type: T }>;

const LABEL_WIDTH = 10;
const TAIL_LINES = 8;

/**
 * The lasting lines that an event adds to the log of a run. Pure.
 * @param state before the event
 */
export function renderEvent(event: RalphEvent, state: LogState, options: RenderOptions): readonly string[] {
  const { paint, verbose } = options;
  const row = (label: string, text: string, tone: Tone = 'dim') => `  ${paint(tone, label.padEnd(LABEL_WIDTH))}${text}`;
  switch (event.type) {
    case 'run-start':
      return runStart(event, event.run, paint);
    case 'estimate':
      return [renderEstimate(event, paint)];
    case 'baseline':
      return event.checks.map((check) =>
        row('baseline', checkLine(check, paint) + (check.ok ? '' : paint('warn', RED_BEFORE))),
      );
    case 'recovered':
      return [row('recovered', recovery(event), 'warn')];
    case 'select':
      return ['', header(event, event.iteration, state, paint)];
    case 'checkpoint':
      return verbose ? [row('start', `checkpoint of ${event.head.slice(0, 7)} in ${elapsed(event.durationMs)}`)] : [];
    case 'agent-start':
      return verbose || event.try > 1 ? [row('agent', agentStart(event))] : [];
    case 'agent':
      return agentEvent(event.event, options, row);
    case 'agent-end':
      return agentEnd(event, state, paint).map((text) => row('agent', text));
    case 'transient':
      return [
        row(
          'again',
          `${oneLine(event.reason)}; the same iteration again in ${elapsed(event.delayMs)}${event.rescue ? `, its work kept: ralph rescue show ${rescueName(event.rescue)}` : ''}`,
          'warn',
        ),
      ];
    case 'check':
      return [row('check', checkLine(event.result, paint) + redBefore(event, paint)), ...tail(event.result, options)];
    case 'violation':
      return [row('rule', `${event.violation.rule}: ${oneLine(event.violation.message)}`, 'warn')];
    case 'verdict':
      return [row('verdict', `${paint(VERDICT_TONE[event.verdict], event.verdict)} · ${oneLine(event.reason)}`)];
    case 'story':
      return [
        row(
          'story',
          `${oneLine(event.story)}: ${words(event.from)} → ${paint('strong', words(event.to))}${event.reason ? ` (${oneLine(event.reason)})` : ''}`,
        ),
      ];
    case 'commit':
      return [
        row(
          'commit',
          `${paint('accent', event.commit.slice(0, 7))} ${oneLine(event.subject)} (${counted(event.files, 'file')})`,
        ),
      ];
    case 'rollback':
      return [row('rollback', rollback(event), 'warn')];
    case 'iteration-end':
      return verbose ? [row('end', `after ${elapsed(event.durationMs)}`)] : [];
    case 'denied':
      return [row('denied', denial(event, options), 'warn')];
    case 'unresolved':
      return verbose ? [row('guard', `let through unresolved: ${event.parts.map(oneLine).join('; ')}`)] : [];
    case 'test-verdict':
      return [row('tests', testVerdict(event, options))];
    case 'stop-refused':
      return event.reasons.map((reason, i) => row(i === 0 ? 'not done' : '', oneLine(reason), 'warn'));
    case 'tool-call':
      return toolCall(event, options, row);
    case 'tampering':
      return [row('tests', `${oneLine(event.path)}:${event.line}: ${oneLine(event.detail)}`, 'warn')];
    case 'context-use':
      return [row('context', `${event.percent} % used (${tokens(event.tokens)} of ${tokens(event.window)})`, 'warn')];
    case 'hook-error':
      return verbose ? [row('hook', `${oneLine(event.hook)} could not decide: ${oneLine(event.message)}`, 'warn')] : [];
    case 'notice':
      return notice(event, row);
    // The live line shows these, and the summary block tells the end.
    case 'check-start':
    case 'run-end':
      return [];
  }
}

type Row = (label: string, text: string, tone?: Tone) => string;

const RED_BEFORE = ' · red before the run: it does not block, but once green it must stay green';

function runStart(event: Event<'run-start'>, run: string, paint: Paint): readonly string[] {
  const { total, done, blocked } = event.stories;
  const agent = event.model ? `${event.agent} (${event.model})` : event.agent;
  const facts = [
    `${event.resumed ? 'resumes run' : 'run'} ${run}`,
    `agent ${agent}`,
    `isolation ${event.isolation}`,
    event.branch ? `branch ${event.branch}` : 'no branch (detached HEAD)',
  ];
  const stories = [
    counted(total, 'story', 'stories'),
    `${done} done`,
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
  ].join(', ');
  return [
    `${paint('strong', `ralph ${event.ralph}`)} · ${facts.map(oneLine).join(' · ')}`,
    `${oneLine(event.backlog)}: ${stories} · at most ${counted(event.maxIterations, 'iteration')}`,
  ];
}

function recovery(event: Event<'recovered'>): string {
  const actions = {
    finished: 'its conclusion was completed',
    'rolled-back': 'it was rolled back',
    settled: 'the agent had ended: its work was judged now',
    nothing: 'nothing was left to do',
    stopped: 'left as it is',
  } as const;
  const story = event.story ? ` on ${event.story}` : '';
  const kept = event.rescue ? `; what it had changed is kept: ralph rescue show ${rescueName(event.rescue)}` : '';
  return `an iteration${story} had been cut off (${event.phase}): ${actions[event.action]}${kept}`;
}

function header(event: Event<'select'>, iteration: number, state: LogState, paint: Paint): string {
  const again = [
    ...(event.attempt > 1 ? [`attempt ${event.attempt}`] : []),
    ...(event.mode === 'review' && event.reviewCount > 0 ? [`review ${event.reviewCount + 1}`] : []),
  ];
  const position = paint('dim', `[${iteration}/${state.maxIterations}]`);
  const subject = paint('strong', `${MODE_TEXT[event.mode]} · ${oneLine(`${event.story} ${event.title}`)}`);
  return `${position} ${subject}${again.length > 0 ? paint('warn', ` (${again.join(', ')})`) : ''}`;
}

function agentStart(event: Event<'agent-start'>): string {
  const model = event.model ? ` (${event.model})` : '';
  return `${oneLine(event.agent + model)} started${event.try > 1 ? ` again, try ${event.try}` : ''}, pid ${event.pid}`;
}

function agentEvent(event: AgentEvent, { paint, verbose, columns }: RenderOptions, row: Row): readonly string[] {
  const quoted = (text: string) => truncate(text, columns - LABEL_WIDTH - 2);
  switch (event.type) {
    case 'limit':
      return [row('limit', limit(event.limit), event.limit.status === 'rejected' ? 'bad' : 'dim')];
    case 'retry':
      return [
        row(
          'waits',
          `${oneLine(event.reason)} (try ${event.attempt}${event.delayMs === null ? '' : `, in ${elapsed(event.delayMs)}`})`,
        ),
      ];
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

function limit({ status, kind, resetsAt }: Extract<AgentEvent, { type: 'limit' }>['limit']): string {
  const until = resetsAt === null ? '' : `, resets ${moment(resetsAt)}`;
  return status === 'rejected'
    ? `usage limit of the provider reached: ${oneLine(kind)}${until}`
    : `near the usage limit ${oneLine(kind)}${until}`;
}

function denial({ tool, rule, subject, reason }: Event<'denied'>, { paint, columns }: RenderOptions): string {
  const what = truncate(`${oneLine(tool)} ${oneLine(subject)}`, columns - LABEL_WIDTH - 2);
  return `${what}\n${' '.repeat(LABEL_WIDTH + 2)}${paint('dim', `${rule}: ${oneLine(reason)}`)}`;
}

function testVerdict(event: Event<'test-verdict'>, { paint, columns }: RenderOptions): string {
  const { outcome, passed, failed, command } = event;
  const tone = outcome === 'pass' ? 'good' : outcome === 'no-tests' ? 'warn' : 'bad';
  const counts = [
    ...(passed === null ? [] : [`${passed} passed`]),
    ...(failed === null || failed === 0 ? [] : [`${failed} failed`]),
  ].join(', ');
  const line = `${outcome}${counts === '' ? '' : `, ${counts}`} ${paint('dim', `· ${oneLine(command)}`)}`;
  return paint(tone, truncate(line, columns - LABEL_WIDTH - 2));
}

function toolCall(
  { tool, summary, refused }: Event<'tool-call'>,
  { verbose, paint }: RenderOptions,
  row: Row,
): readonly string[] {
  if (refused !== null) return [row('refused', `${tool}: ${oneLine(refused)}`, 'warn')];
  return verbose ? [row('ralph', `${tool} ${paint('dim', oneLine(summary))}`)] : [];
}

/** One condensed line for all that the agent did, and one more when it ended badly. */
function agentEnd(event: Event<'agent-end'>, state: LogState, paint: Paint): readonly string[] {
  const used = Object.entries(state.tools);
  const calls = used.reduce((sum, [, count]) => sum + count, 0);
  const tools =
    calls === 0
      ? 'no tools'
      : `${counted(calls, 'tool call')}: ${used.map(([name, count]) => `${name} ${count}`).join(', ')}`;
  const spent = allTokens(event.usage);
  const facts = [
    elapsed(event.durationMs),
    tools,
    ...(spent > 0 ? [`${tokens(spent)} tokens`] : []),
    ...(event.costUsd === null ? [] : [dollars(event.costUsd)]),
  ];
  const bad = badEnd(event);
  return bad === null ? [facts.join(' · ')] : [facts.join(' · '), paint('bad', bad)];
}

function badEnd({ stopped, error, ok, exitCode, signal }: Event<'agent-end'>): string | null {
  if (stopped !== null) return `stopped by the loop: ${stopped}`;
  if (error !== null) return `${error.kind}: ${oneLine(error.message)}`;
  if (ok) return null;
  return signal === null ? `ended with exit code ${exitCode}` : `ended by ${signal}`;
}

function checkLine({ ok, command, exitCode, timedOut, durationMs, tests }: CheckResult, paint: Paint): string {
  const count = tests?.passed ? ` · ${counted(tests.passed, 'test')}` : '';
  if (ok) return `${paint('good', '✓')} ${oneLine(command)} ${paint('dim', `${elapsed(durationMs)}${count}`)}`;
  const masked = exitCode === 0 ? 'exit 0, but its tests failed' : `exit ${exitCode}`;
  const how = timedOut ? 'timed out' : exitCode === null ? 'killed' : masked;
  return `${paint('bad', '✗')} ${oneLine(command)} ${paint('bad', how)} ${paint('dim', elapsed(durationMs))}`;
}

function redBefore({ baselineRed, result }: Event<'check'>, paint: Paint): string {
  if (!baselineRed) return '';
  return result.ok ? paint('good', ' · red before, now green') : paint('warn', ' · red before the run already');
}

function tail({ ok, tail: output }: CheckResult, { paint, columns }: RenderOptions): readonly string[] {
  if (ok) return [];
  const lines = safeLines(output).filter((line) => line !== '');
  return lines.slice(-TAIL_LINES).map((line) => paint('dim', truncate(`    │ ${line}`, columns)));
}

function rollback({ rescue, files }: Event<'rollback'>): string {
  return rescue === null
    ? 'the work tree is as before; nothing had to be kept'
    : `the work tree is as before; ${counted(files, 'file')} kept: ralph rescue show ${rescueName(rescue)}`;
}

/** `refs/ralph/rescue/<run>/3-1` → the name people type. */
function rescueName(ref: string): string {
  return ref.replace(/^refs\/ralph\/rescue\//, '');
}

function notice(event: Event<'notice'>, row: Row): readonly string[] {
  const tone = event.level === 'info' ? 'dim' : event.level === 'warning' ? 'warn' : 'bad';
  const label = event.level === 'info' ? 'note' : event.level;
  const lines = safeLines(event.text).map((line, i) => row(i === 0 ? label : '', line, tone));
  return event.mend ? [...lines, row('', `mend: ${oneLine(event.mend)}`)] : lines;
}

/** A review state as people say it; the file's `null` is a story nobody has worked on. */
function words(state: string): string {
  return state === 'null' ? 'to do' : oneLine(state).replaceAll('_', ' ');
}
