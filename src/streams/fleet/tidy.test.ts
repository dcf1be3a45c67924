import { expect, test } from 'vitest';
import type { StreamStanding } from '../../contracts/index.ts';
import type { Turn } from '../engine/port.ts';
import { tidyTurns } from './tidy.ts';

function scene(states: Readonly<Record<string, StreamStanding['state']>>) {
  const log: string[] = [];
  const said: string[] = [];
  const trees = new Set(Object.keys(states));
  const ends: (() => void)[] = [];
  const tidied = tidyTurns({
    fleet: {
      trees: async () => [...trees].map((stream) => ({ stream, branch: `ralph/${stream}` })),
      async forget({ stream }) {
        if (stream === 'stuck') throw new Error('no network');
        log.push(`forget ${stream}`);
        return trees.delete(stream);
      },
    },
    async take({ stream, n }) {
      log.push(`begin ${stream} ${n}`);
      await new Promise<void>((resolve) => ends.push(resolve));
      log.push(`end ${stream} ${n}`);
      throw new Error('a turn that fails');
    },
    status: async () => Object.entries(states).map(([stream, state]) => ({ stream, state }) as StreamStanding),
    say: (stream, text) => said.push(`${stream}: ${text}`),
  });
  const turn = (stream: string, n: number) => tidied.take({ stream, n } as Turn).catch(() => undefined);
  return { ...tidied, turn, log, said, ends };
}

test('the work trees of streams that have ended are removed, one that cannot be holds up no other', async () => {
  const { tidy, log, said } = scene({
    stuck: 'done',
    done: 'done',
    short: 'ended',
    over: 'cancelled',
    failed: 'failed',
    open: 'ready',
    rests: 'later',
  });
  await tidy();
  expect(log).toEqual(['forget done', 'forget short', 'forget over']);
  expect(said).toEqual(['stuck: its work tree is not removed yet: no network']);
});

test('none is removed while a turn is under way in it, and turns of one stream wait for each other', async () => {
  const { tidy, turn, log, ends } = scene({ a: 'cancelled' });
  const both = [turn('a', 1), turn('a', 2)];
  await tidy();
  expect(log).toEqual(['begin a 1']);
  ends[0]?.();
  await both[0];
  await expect.poll(() => ends.length).toBe(2);
  await tidy();
  expect(log).toEqual(['begin a 1', 'end a 1', 'begin a 2']);
  ends[1]?.();
  await both[1];
  await tidy();
  expect(log.slice(3)).toEqual(['end a 2', 'forget a']);
});
