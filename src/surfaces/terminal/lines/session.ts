import { tokens } from '../format.ts';
import { oneLine } from '../sanitise.ts';
import type { Event, Lines, Page } from './page.ts';

/** What hooks and tools saw inside the agent's session. */
export const SESSION_LINES: Lines<
  | 'denied'
  | 'unresolved'
  | 'test-verdict'
  | 'stop-refused'
  | 'tool-call'
  | 'context-use'
  | 'hook-error'
  | 'egress-refused'
> = {
  denied: ({ tool, subject, rule, reason }, { row, quoted, paint }) => [
    row('denied', quoted(`${oneLine(tool)} ${oneLine(subject)}`), 'warn'),
    row('', paint('dim', `${rule}: ${oneLine(reason)}`)),
  ],
  'egress-refused': ({ host, port, reason, times }, { row, paint, state }) => [
    row('no access', `${oneLine(host)}:${port}${times > 1 ? ` (${times} times)` : ''}`, 'warn'),
    ...(state.refused.includes(host) ? [] : [row('', paint('dim', oneLine(reason)))]),
  ],
  unresolved: ({ parts }, { row, verbose }) =>
    verbose ? [row('guard', `let through unresolved: ${parts.map(oneLine).join('; ')}`)] : [],
  'test-verdict': (event, page) => [page.row('tests', testVerdict(event, page))],
  'stop-refused': ({ reasons }, { row }) =>
    reasons.map((reason, i) => row(i === 0 ? 'not done' : '', oneLine(reason), 'warn')),
  'tool-call': ({ tool, summary, refused }, { row, verbose, paint }) => {
    if (refused !== null) return [row('refused', `${tool}: ${oneLine(refused)}`, 'warn')];
    return verbose ? [row('ralph', `${tool} ${paint('dim', oneLine(summary))}`)] : [];
  },
  'context-use': ({ percent, tokens: used, window }, { row }) => [
    row('context', `${percent} % used (${tokens(used)} of ${tokens(window)})`, 'warn'),
  ],
  'hook-error': ({ hook, message }, { row, verbose }) =>
    verbose ? [row('hook', `${oneLine(hook)} could not decide: ${oneLine(message)}`, 'warn')] : [],
};

/** A hook reported it, and a hook call can be forged: no surface may show it as a fact, nor in green. */
function testVerdict(
  { outcome, passed, failed, command, unannounced }: Event<'test-verdict'>,
  { paint, quoted }: Page,
): string {
  const tone = outcome === 'pass' ? 'dim' : 'warn';
  const counts = [
    ...(passed === null ? [] : [`${passed} passed`]),
    ...(failed === null || failed === 0 ? [] : [`${failed} failed`]),
  ];
  const facts = `the agent reports ${[outcome, ...counts].join(', ')}${unannounced ? ' of a call that never began' : ''}`;
  // Cut first, painted after: a cut must not go through an escape sequence.
  const line = quoted(`${facts} · ${oneLine(command)}`);
  return paint(tone, line.slice(0, facts.length)) + paint('dim', line.slice(facts.length));
}
