import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aContext, aRun, files } from '../../../test/support/hook-context.ts';
import { malformedPayload } from '../../../test/support/malformed-hook.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { decide } from './decide.ts';
import { parseHook, renderAnswer, renderLegacy } from './wire.ts';

const RUNS = 100_000;

const paths = files({
  '/project/a.ts': 'x',
  '/t/s1.jsonl': '{"usage":"compact_boundary"}\n{"type":"assistant","usage":1,',
});
const CONTEXTS = [
  aContext({ paths }),
  aContext({ paths, run: null, profile: 'interactive' }),
  aContext({ paths, run: aRun({ mode: 'review', rollbackAtOnce: true }), window: { env: 1, seen: {} } }),
  aContext({ paths, stop: { violations: [{ rule: 'x', message: 'y' }], uncommitted: ['z'] } }),
];

test('whatever a client sends is answered by a JSON object that it understands', () => {
  const check = fc.property(
    malformedPayload,
    fc.constantFrom(...CONTEXTS),
    fc.boolean(),
    (payload, context, legacy) => {
      const event = parseHook(payload, { legacy });
      const { answer, effects } = decide(event, context);
      // A fault inside would be let through as well, and must not hide here.
      expect(effects.filter((effect) => effect.kind === 'event' && effect.body.type === 'hook-error')).toEqual([]);
      const rendered = legacy ? renderLegacy(answer) : renderAnswer(event, answer);
      expect(JSON.parse(JSON.stringify(rendered))).toEqual(rendered);
      expect(isUnderstood(rendered, event.name, legacy)).toBe(true);
      for (const effect of effects) if (effect.kind === 'log') expect(effect.text.endsWith('\n')).toBe(true);
    },
  );
  fc.assert(check, { numRuns: runs(RUNS) });
});

/** The forms of an answer that the client takes; anything else it would report as a faulty hook. */
function isUnderstood(rendered: Readonly<Record<string, unknown>>, name: string, legacy: boolean): boolean {
  const keys = Object.keys(rendered).sort().join(' ');
  if (keys === '') return true;
  if (legacy) return keys === 'message' || (keys === 'decision message reason' && rendered['decision'] === 'block');
  if (keys === 'decision reason') return rendered['decision'] === 'block' && typeof rendered['reason'] === 'string';
  const output = rendered['hookSpecificOutput'] as Readonly<Record<string, unknown>>;
  if (keys !== 'hookSpecificOutput' || output['hookEventName'] !== name) return false;
  const denied = output['permissionDecision'] === 'deny' && typeof output['permissionDecisionReason'] === 'string';
  return denied || typeof output['additionalContext'] === 'string';
}
