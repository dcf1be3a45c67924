import fc from 'fast-check';

/** What hands, crashes and other programs leave in a file: one odd value, a name that every object inherits, half a file. */
const ODD = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', 'x', [], {}, [null], '\u0000', '\ud800'),
  // JSON that no longer turns into a text.
  fc.constant<unknown>({ toString: [] }),
  fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty', 'later'),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The JSON text of a value in which something is wrong, or nothing; on one line. */
export function mangled(values: readonly object[]): fc.Arbitrary<string> {
  const value = fc.constantFrom(...values);
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(value, fc.nat(), ODD).map(([one, at, odd]) => withMember(one, at, odd)) },
    { weight: 2, arbitrary: fc.tuple(value, fc.nat()).map(([one, at]) => withMember(one, at, undefined)) },
    {
      weight: 1,
      arbitrary: fc.tuple(value, fc.nat()).map(([one, at]) => {
        const text = JSON.stringify(one);
        return text.slice(0, at % text.length);
      }),
    },
    // JSON can say numbers that only Infinity holds.
    { weight: 1, arbitrary: value.map((one) => JSON.stringify(one).replace(/:\d+/, ':1e999')) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\n', ' ')) },
  );
}

/** The object with its `at`th member, counted round and round at every depth, replaced; undefined takes it out. */
function withMember(value: object, at: number, odd: unknown): string {
  const paths = membersOf(value);
  const chosen = paths[at % paths.length];
  let index = -1;
  return JSON.stringify(value, (key, inner: unknown) => {
    if (key === '' && index < 0) {
      index = 0;
      return inner;
    }
    index += 1;
    return index - 1 === chosen ? odd : inner;
  });
}

function membersOf(value: object): readonly number[] {
  let count = 0;
  JSON.stringify(value, (_, inner: unknown) => {
    count += 1;
    return inner;
  });
  return Array.from({ length: Math.max(1, count - 1) }, (_, index) => index);
}
