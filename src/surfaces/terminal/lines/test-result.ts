import type { EventEnvelope } from '../../../contracts/index.ts';
import { oneLine } from '../../../rules/text/index.ts';
import type { Event, Page } from './page.ts';

/** A hook reported it, and a hook call can be forged: no surface may show it as a fact, or in green. */
export function testResult(
  { outcome, passed, failed, command, unannounced }: Omit<Event<'test-result'>, keyof EventEnvelope>,
  { paint, quoted }: Pick<Page, 'paint' | 'quoted'>,
  runs = 1,
): string {
  const tone = outcome === 'pass' ? 'dim' : 'warn';
  const counts = [
    ...(passed === null ? [] : [`${passed} passed`]),
    ...(failed === null || failed === 0 ? [] : [`${failed} failed`]),
  ];
  const last = runs > 1 ? ` (the last of ${runs} runs)` : '';
  const facts = `the agent reports ${[outcome, ...counts].join(', ')}${unannounced ? ' of a call that never began' : ''}${last}`;
  // Cut first, painted after: a cut must not split an escape sequence.
  const line = quoted(`${facts} · ${oneLine(command)}`);
  return paint(tone, line.slice(0, facts.length)) + paint('dim', line.slice(facts.length));
}
