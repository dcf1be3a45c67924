import type { SeenTests } from '../../contracts/state/agent-outcome.ts';
import type { HookDecision, HookEvent } from '../../rules/hooks/api.ts';

const TAIL_LINES = 100;

/** The test run that a hook call was about; null when it was about something else. */
export function seenTests({ effects }: HookDecision, event: HookEvent): SeenTests | null {
  for (const effect of effects) {
    if (effect.kind !== 'event' || effect.body.type !== 'test-verdict') continue;
    const { command, outcome, passed, failed } = effect.body;
    return {
      command,
      exitCode: exitCodeOf(event),
      outcome,
      passed,
      failed,
      tail: outcome === 'pass' ? '' : outputOf(event),
    };
  }
  return null;
}

function outputOf({ error, response }: HookEvent): string {
  const said = response as { readonly stdout?: unknown; readonly stderr?: unknown } | null;
  const parts = [error, said?.stdout, said?.stderr].filter((part): part is string => typeof part === 'string');
  return parts.join('\n').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

/** The client tells it in the text of a failure only: `Exit code 1`, then the output. */
function exitCodeOf({ error }: HookEvent): number {
  return Number(/^Exit code (\d+)/.exec(error)?.[1] ?? 0);
}
