import { rescueName } from '../../../rules/rescue-name.ts';
import { renderEstimate } from '../estimate.ts';
import { counted } from '../format.ts';
import type { Paint } from '../paint.ts';
import { oneLine, safeLines } from '../sanitise.ts';
import { type Event, type Lines, labelled } from './page.ts';

/** Start and end of a run, and what belongs to no iteration. */
export const RUN_LINES: Lines<'run-start' | 'backlog' | 'estimate' | 'baseline' | 'recovered' | 'notice' | 'run-end'> =
  {
    'run-start': (event, { paint, verbose }) => runStart(event, paint, verbose),
    // For boards; the log tells of each story when its turn comes.
    backlog: () => [],
    estimate: (event, { paint }) => [renderEstimate(event, paint)],
    // Each of its checks has said it.
    baseline: () => [],
    recovered: (event, { row }) => [row('recovered', recovery(event), 'warn')],
    notice: ({ level, text, mend }, { row, state }) => {
      // Once is enough on a terminal: the end says how often, and `ralph log` has each of them.
      if (level !== 'error' && state.told.has(text)) return [];
      const tone = level === 'info' ? 'dim' : level === 'warning' ? 'warn' : 'bad';
      const label = level === 'info' ? 'note' : level;
      const lines = safeLines(text).map((line, i) => row(i === 0 ? label : '', line, tone));
      return mend ? [...lines, row('', `mend: ${oneLine(mend)}`)] : lines;
    },
    // The summary tells the rest of the end.
    'run-end': (_, { row, state }) =>
      [...state.told].flatMap(([text, times]) =>
        times > 1 ? [row('note', `told ${times} times: ${oneLine(text)}`, 'dim')] : [],
      ),
  };

function runStart(event: Event<'run-start'>, paint: Paint, verbose: boolean): readonly string[] {
  const { total, done, blocked } = event.stories;
  const agent = event.model ? `${event.agent} (${event.model})` : event.agent;
  const facts = [
    `${event.resumed ? 'resumes run' : 'run'} ${event.run}`,
    `agent ${agent}`,
    `isolation ${event.isolation}`,
    event.branch ? `branch ${event.branch}` : 'no branch (detached HEAD)',
    ...(event.ownTree === undefined ? [] : [event.ownTree ? 'in a work tree of its own' : 'in this checkout']),
  ];
  const stories = event.lonePrompt
    ? 'a prompt without stories'
    : [counted(total, 'story', 'stories'), `${done} done`, ...(blocked > 0 ? [`${blocked} blocked`] : [])].join(', ');
  // The same on every run of a machine: `ralph sandbox status` tells it as well.
  const instead = verbose ? (event.isolationInstead ?? []).map((text) => `not ${oneLine(text)}`).join('; ') : '';
  return [
    `${paint('strong', `ralph ${event.ralph}`)} · ${facts.map(oneLine).join(' · ')}`,
    `${oneLine(event.backlog)}: ${stories} · at most ${counted(event.maxIterations, 'iteration')}`,
    ...(instead === '' ? [] : [labelled(paint, 'isolation', instead, 'dim')]),
  ];
}

const RECOVERY: Readonly<Record<Event<'recovered'>['action'], string>> = {
  finished: 'its conclusion was completed',
  'rolled-back': 'it was rolled back',
  settled: 'the agent had ended: its work was judged now',
  nothing: 'nothing was left to do',
  stopped: 'left as it is',
};

function recovery({ phase, action, rescue, story }: Event<'recovered'>): string {
  const kept = rescue ? `; what it had changed is kept: ralph rescue show ${rescueName(rescue)}` : '';
  return `an iteration${story ? ` on ${story}` : ''} had been cut off (${phase}): ${Object.hasOwn(RECOVERY, action) ? RECOVERY[action] : oneLine(action)}${kept}`;
}
