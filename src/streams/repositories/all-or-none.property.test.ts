import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { landTogether, type Step } from './all-or-none.ts';

const settings = { numRuns: runs(500), endOnFailure: true };

class Killed extends Error {}

/** What happens before the operation of that number: a person's deed on a branch, or the end of the process. */
const event = fc.record({
  at: fc.nat(40),
  what: fc.constantFrom('kill', 'kill', 'commit', 'move', 'reset', 'hold'),
  branch: fc.nat(3),
});

type Place = Awaited<ReturnType<Step['look']>>;

test('any branches that people leave alone have all moved or none, however often it is killed', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(event, { maxLength: 6 }), async (count, events) => {
      const places = new Map<string, Place>(Array.from({ length: count }, (_, at) => [`r${at}`, 'before']));
      const touched = new Set<string>();
      const held = new Set<string>();
      let operation = 0;
      const pass = () => {
        operation += 1;
        for (const { at, what, branch } of events.filter((one) => one.at === operation)) {
          if (what === 'kill') throw new Killed();
          const name = `r${branch % count}`;
          const now = places.get(name) as Place;
          if (what === 'hold') held.add(name);
          else touched.add(name);
          // A commit on top of the old one leads elsewhere, too.
          if (what === 'commit') places.set(name, now === 'there' || now === 'beyond' ? 'beyond' : 'elsewhere');
          if (what === 'move') places.set(name, at % 2 === 0 ? 'elsewhere' : now);
          if (what === 'reset') places.set(name, 'before');
        }
      };
      const steps = [...places.keys()].map(
        (name): Step => ({
          name,
          async look() {
            pass();
            return places.get(name) as Place;
          },
          async move(back) {
            pass();
            if (held.has(name) && !back) return 'files are in the way';
            if (places.get(name) !== (back ? 'there' : 'before')) return 'moved by someone else';
            places.set(name, back ? 'before' : 'there');
            pass();
            return null;
          },
        }),
      );
      const repeated = async (): ReturnType<typeof landTogether> =>
        landTogether(steps).catch((error: unknown) => {
          if (error instanceof Killed) return repeated();
          throw error;
        });
      const { kind, landed } = await repeated();
      seen.add(kind);
      const left = [...places].filter(([name]) => !touched.has(name)).map(([, place]) => place);
      const wanted = kind === 'landed' ? 'there' : 'before';
      expect(left).toEqual(left.map(() => wanted));
      if (kind === 'landed') expect(landed).toEqual(steps.map(({ name }) => name));
      if (kind === 'undone') expect(landed).toEqual([]);
      if (kind === 'kept') expect(landed.every((name) => touched.has(name))).toBe(true);
      if (touched.size + held.size === 0) expect(kind).toBe('landed');
    }),
    settings,
  );
  if (settings.numRuns >= 500) expect([...seen].sort()).toEqual(['kept', 'landed', 'undone']);
});

test('what cannot be moved back now is said, and the next call goes on', async () => {
  let api: Place = 'before';
  let isFree = false;
  const steps: Step[] = [
    {
      name: 'api',
      look: async () => api,
      async move(back) {
        if (back && !isFree) return 'notes.txt is in the way';
        api = back ? 'before' : 'there';
        return null;
      },
    },
    { name: 'web', look: async () => 'elsewhere', move: async () => null },
  ];
  await expect(landTogether(steps)).rejects.toMatchObject({
    facts: { where: 'api: notes.txt is in the way', why: 'web: its branch was moved by someone else' },
  });
  isFree = true;
  expect(await landTogether(steps)).toMatchObject({ kind: 'undone', landed: [] });
  expect(api).toBe('before');
});
