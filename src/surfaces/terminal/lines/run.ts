import type { EventBody } from '../../../contracts/index.ts';
import { counted, dollars, oneLine, rescueName, safeLines, tokens } from '../../../rules/text/index.ts';
import { refusalKey } from '../log-state.ts';
import type { Paint } from '../paint.ts';
import { type Event, type Lines, labelled, testResult } from './page.ts';

/** Start and end of a run, and what belongs to no iteration. */
export const RUN_LINES = {
  'run-start': (event, { paint, verbose }) => runStart(event, paint, verbose),
  // For boards; the log reports each story when its turn comes.
  backlog: () => [],
  estimate: (event, { paint }) => [renderEstimate(event, paint)],
  // Each of its checks has reported it.
  baseline: () => [],
  recovered: (event, { row }) => [row('recovered', recovery(event), 'warn')],
  notice: ({ level, text, fix }, { row, state }) => {
    // Once is enough on a terminal: the end says how often, and `ralph log` has each of them.
    if (level !== 'error' && state.told.has(text)) return [];
    const tone = level === 'info' ? 'dim' : level === 'warning' ? 'warn' : 'bad';
    const label = level === 'info' ? 'note' : level;
    const lines = safeLines(text).map((line, i) => row(i === 0 ? label : '', line, tone));
    return fix ? [...lines, row('', `fix: ${oneLine(fix)}`)] : lines;
  },
  // The summary covers the rest of the end.
  'run-end': (_, { row, state }) =>
    [...state.told].flatMap(([text, times]) =>
      times > 1 ? [row('note', `repeated ${times} times: ${oneLine(text)}`, 'dim')] : [],
    ),
} satisfies Partial<Lines>;

function runStart(event: Event<'run-start'>, paint: Paint, verbose: boolean): readonly string[] {
  const { total, done, blocked } = event.stories;
  const agent = event.model ? `${event.agent} (${event.model})` : event.agent;
  const facts = [
    `${event.resumed ? 'resumes run' : 'run'} ${event.run}`,
    `agent ${agent}`,
    `isolation ${event.isolation}`,
    event.branch ? `branch ${event.branch}` : 'no branch (detached HEAD)',
    ...(event.ownTree ? ['in its own worktree'] : []),
  ];
  const stories = event.lonePrompt
    ? 'a prompt without stories'
    : [counted(total, 'story', 'stories'), `${done} done`, ...(blocked > 0 ? [`${blocked} blocked`] : [])].join(', ');
  // The same on every run of a machine, and `ralph sandbox status` shows it as well.
  const instead = verbose ? (event.isolationInstead ?? []).map((text) => `not ${oneLine(text)}`).join('; ') : '';
  return [
    `${paint('strong', `ralph ${event.ralph}`)} · ${facts.map(oneLine).join(' · ')}`,
    `${oneLine(event.backlog)}: ${stories} · at most ${counted(event.maxIterations, 'iteration')}`,
    ...(instead === '' ? [] : [labelled(paint, 'isolation', instead, 'dim')]),
  ];
}

const RECOVERY: Readonly<Record<Event<'recovered'>['action'], string>> = {
  finished: 'its last steps were completed',
  'rolled-back': 'it was rolled back',
  settled: 'the agent had already finished; its work was judged now',
  stopped: 'it was left unchanged',
};

function recovery({ phase, action, rescue, story }: Event<'recovered'>): string {
  const kept = rescue ? `; its work is kept: ralph rescue show ${rescueName(rescue)}` : '';
  const how = Object.hasOwn(RECOVERY, action) ? RECOVERY[action] : oneLine(action);
  return `an iteration${story ? ` on ${oneLine(story)}` : ''} was cut off (${phase}): ${how}${kept}`;
}

/** What hooks and tools saw inside the agent's session. */
export const SESSION_LINES = {
  denied: (event, { row, quoted, paint, state }) => {
    const what = refusalKey(event);
    if (state.repeats.has(what)) return [];
    const why = `${oneLine(event.reason)} (${event.rule})`;
    return [row('denied', quoted(what), 'warn'), row('', paint('dim', why))];
  },
  'egress-refused': ({ host, port, reason, times }, { row, paint, state }) => [
    row('no access', `${oneLine(host)}:${port}${times > 1 ? ` (${times} times)` : ''}`, 'warn'),
    ...(state.refused.includes(host) ? [] : [row('', paint('dim', oneLine(reason)))]),
  ],
  unresolved: ({ parts }, { row, verbose }) =>
    verbose ? [row('guard', `allowed unresolved: ${parts.map(oneLine).join('; ')}`)] : [],
  // The end of the agent's process shows the last one.
  'test-result': (event, page) => (page.verbose ? [page.row('tests', testResult(event, page))] : []),
  'stop-refused': (event, { row, state, brief, verbose }) => {
    if (verbose)
      return event.reasons.map((reason, i) => row(i === 0 ? 'refused' : '', `stopping: ${oneLine(reason)}`, 'warn'));
    const what = refusalKey(event);
    const more = event.reasons.length > 1 ? [row('', `and ${event.reasons.length - 1} more`, 'warn')] : [];
    return state.repeats.has(what) ? [] : [row('refused', brief(what), 'warn'), ...more];
  },
  'tool-call': (event, { row, verbose, paint, brief, state }) => {
    const { tool, summary, refused } = event;
    if (refused === null) return verbose ? [row('ralph', `${tool} ${paint('dim', oneLine(summary))}`)] : [];
    const what = refusalKey(event);
    return state.repeats.has(what) ? [] : [row('refused', verbose ? what : brief(what), 'warn')];
  },
  'context-use': ({ percent, tokens: used, window }, { row }) => [
    row('context', `${percent} % used (${tokens(used)} of ${tokens(window)})`, 'warn'),
  ],
  'hook-error': ({ hook, message }, { row, verbose }) =>
    verbose ? [row('hook', `${oneLine(hook)} could not decide: ${oneLine(message)}`, 'warn')] : [],
} satisfies Partial<Lines>;

/** Whether the iterations will suffice: one line before the first of them. */
function renderEstimate(estimate: Omit<Extract<EventBody, { type: 'estimate' }>, 'type'>, paint: Paint): string {
  const { storiesLeft, iterationsNeeded, limit, costUsd, enough } = estimate;
  const cost = costUsd === null ? '' : `, about ${dollars(costUsd)}`;
  const needed = `about ${counted(iterationsNeeded, 'iteration')}${cost} for ${counted(storiesLeft, 'story', 'stories')}`;
  if (enough) return `estimate: ${needed}; the limit is ${limit}`;
  return paint('warn', `estimate: ${needed}; ${limit} will not be enough, try \`ralph run ${iterationsNeeded}\``);
}
