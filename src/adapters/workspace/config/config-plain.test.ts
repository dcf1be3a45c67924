import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkedConfig } from './config-checked.ts';
import type { ConfigFile } from './config-file.ts';
import type { ConfigFlags } from './config-merge.ts';
import { plainConfig } from './config-plain.ts';
import { settings as schemaSettings } from './config-schema.ts';
import { PLAIN_SETTINGS } from './plain-settings.ts';
import { plainValue } from './plain-value.ts';

const fileOf = (values: Readonly<Record<string, unknown>>): ConfigFile => ({
  file: 'ralph.config.json',
  values,
  lineOf: (path) => path.length,
});

const { settings } = PLAIN_SETTINGS;
const VALUES = [
  ...[true, false, null, undefined, '', 'auto', 'none', 'reject', 'claude', 'claude, codex', 'a,,b', ' '],
  ...[0, 1, 5, -1, 1.5, 16, 1e9, 2 ** 53, Number.NaN, '5', '90s', '1h30m', '0s', '25d', 'soon', 'true', 'off', '[]'],
  ...[[], ['a'], [''], ['a', 1], ['a', 'b'], '["a"]', 'a\nb', {}, { a: 1 }, 'block', 'red-green', '4g'],
];
const value = fc.constantFrom<unknown>(...VALUES);

/** A file with some settings, seldom with one that there is not, or a value where a group belongs. */
const values = fc
  .array(fc.tuple(fc.constantFrom(...settings), value, fc.integer({ min: 0, max: 19 })), { maxLength: 4 })
  .map((chosen) => {
    const tree: Record<string, unknown> = {};
    for (const [{ path }, leaf, odd] of chosen) {
      const [first = '', ...rest] = odd === 0 ? [...path, 'more'] : odd === 1 ? path.slice(0, 1) : path;
      const inner = rest.reduceRight<unknown>((part, name) => ({ [name]: part }), leaf);
      const there = tree[first];
      const both = typeof there === 'object' && typeof inner === 'object' && rest.length > 0;
      tree[first] = both ? { ...there, ...inner } : inner;
    }
    return tree;
  });
const variable = fc.constantFrom(
  ...settings.map(
    ({ path }) =>
      `RALPH_${path
        .join('_')
        .replace(/([a-z])([A-Z])/g, '$1_$2')
        .replace(/-/g, '_')}`,
  ),
  'RALPH_NO_SUCH',
  'AGENT',
);
const env = fc.dictionary(
  variable.map((name) => name.toUpperCase()),
  value.map(String),
  { maxKeys: 2 },
);
const flags: fc.Arbitrary<ConfigFlags> = fc.record(
  {
    maxIterations: fc.constantFrom(1, 7, 500),
    timeoutMs: fc.constantFrom(1, 60_000, 0),
    maxDurationMs: fc.constantFrom(null, 5_000),
    skipReview: fc.boolean(),
    agent: fc.constantFrom(['codex'], ['claude', 'gemini'], []),
    commit: fc.constant({ verify: false }),
    isolation: fc.constant({ backend: 'bwrap' as const, required: true }),
  },
  { requiredKeys: [] },
);

test('what is read without the schema is what the schema makes of it', () => {
  let plain = 0;
  const property = fc.property(values, env, flags, (tree, variables, given) => {
    const input = { root: '/project', env: variables, flags: given, onUntrusted: 'given' as const };
    const read = plainConfig(input, fileOf(tree));
    if (read === null) return;
    plain += 1;
    expect(read).toStrictEqual(checkedConfig(input, fileOf(tree)));
  });
  fc.assert(property, { numRuns: 1_500, seed: 9 });
  expect(plain).toBeGreaterThan(80);
});

const schemas = schemaSettings();

test.each(settings.filter(({ kind }) => kind !== 'other'))(
  '$key alone is judged as the schema judges it',
  (setting) => {
    const schema = schemas.find(({ key }) => key === setting.key)?.schema;
    for (const one of VALUES) {
      // What is absent is the default's business.
      if (one !== undefined) expect(plainValue(setting, one)).toStrictEqual(schema?.safeParse(one).data);
    }
  },
);

test('most settings need no schema', () => {
  expect(settings.filter(({ kind }) => kind === 'other').map(({ key }) => key)).toEqual([
    'models.byEstimate',
    'maxCost',
    'storyMaxCost',
    'isolation.allowHosts',
    'isolation.localPorts',
    'isolation.memory',
    'isolation.cpus',
    'context.bytesPerToken',
    'notify.webhooks',
    'plugins',
  ]);
  expect(plainConfig({ root: '/project', env: {}, flags: {}, onUntrusted: 'given' }, null)).not.toBeNull();
});
