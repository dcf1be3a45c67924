import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aContext, files } from '../../rules/hooks/context.fixture.ts';
import { decide } from '../../rules/hooks/decide.ts';
import { malformedPayload } from '../../rules/hooks/malformed.fixture.ts';
import { parseHook } from '../../rules/hooks/wire.ts';
import { decideLean } from './decide-lean.ts';

const paths = files({ '/t/s1.jsonl': 'x'.repeat(700_000) });
const session = { read: new Set(['/project/a.ts']), announced: new Set([50]), refusals: 1 };
const CONTEXTS = [aContext({ paths, session }), aContext({ paths, session, run: null, profile: 'interactive' })];

test('what is loaded makes no difference to what is decided', async () => {
  const check = fc.asyncProperty(malformedPayload, fc.constantFrom(...CONTEXTS), async (payload, context) => {
    const event = parseHook(payload);
    expect(await decideLean(event, context)).toEqual(decide(event, context));
  });
  await fc.assert(check, { numRuns: 2_000 });
});
