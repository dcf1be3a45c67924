import type { RalphEvent } from '../../contracts/events.ts';
import { shortLine } from '../printable.ts';
import type { NoticeView } from './model.ts';

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

/** What an event has to say among the notices; null when nothing. */
export function noticeOf(event: RalphEvent): Told | null {
  const words = NOTICES[event.type] as ((event: RalphEvent) => Told) | undefined;
  if (words === undefined) return null;
  const { level, text } = words(event);
  return { level, text: shortLine(text, MOST_CHARS) };
}
