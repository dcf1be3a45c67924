import { expect, test } from 'vitest';
import type { StreamStanding } from '../../contracts/index.ts';
import { testDashboard } from './dashboard.fixture.ts';
import { openFleet } from './fleet.ts';

const stream: StreamStanding = {
  stream: 'PRD-1',
  state: 'working',
  turns: 3,
  attempts: 1,
  worker: 'w1',
  until: null,
  text: '',
  costUsd: 0.5,
  ended: null,
};

/** A source that counts how often it is asked, and answers as it is told to. */
function sourceOf(answer: () => Promise<readonly StreamStanding[]>) {
  let asked = 0;
  return {
    engine: 'postgres://db/fleet',
    look: async () => {
      asked += 1;
      return { streams: await answer(), workers: [] };
    },
    close: async () => {},
    asked: () => asked,
  };
}

test('without an engine there is no fleet', async () => {
  expect(await openFleet(null, Date.now).look()).toBeNull();
});

test('however many look, the engine is asked once within two seconds', async () => {
  let now = 10_000;
  const source = sourceOf(async () => [stream]);
  const fleet = openFleet(source, () => now);
  await Promise.all([fleet.look(), fleet.look(), fleet.look()]);
  now += 1_999;
  expect(await fleet.look()).toEqual({
    engine: 'postgres://db/fleet',
    at: 10_000,
    streams: [stream],
    workers: [],
    problem: null,
  });
  expect(source.asked()).toBe(1);
  now += 1;
  await fleet.look();
  expect(source.asked()).toBe(2);
});

test('a database that went away is told of beside what it said last', async () => {
  let now = 0;
  let gone = false;
  const source = sourceOf(async () => {
    if (gone) throw new Error('the database cannot be reached');
    return [stream];
  });
  const fleet = openFleet(source, () => now);
  await fleet.look();
  gone = true;
  now = 5_000;
  expect(await fleet.look()).toMatchObject({ at: 0, streams: [stream], problem: 'the database cannot be reached' });
  gone = false;
  now = 10_000;
  expect(await fleet.look()).toMatchObject({ at: 10_000, problem: null });
});

test('one that does not answer is asked no second time, and nobody waits for it without end', async () => {
  let now = 0;
  const source = sourceOf(() => new Promise(() => {}));
  const fleet = openFleet(source, () => now, { everyMs: 10, patienceMs: 5 });
  expect(await fleet.look()).toMatchObject({ at: null, problem: 'the database does not answer' });
  now = 1_000;
  await fleet.look();
  expect(source.asked()).toBe(1);
});

test('the fleet is answered with and counted in metrics, also when its database is gone', async () => {
  let gone = false;
  const source = sourceOf(async () => {
    if (gone) throw new Error('the database cannot be reached');
    return [stream, { ...stream, stream: 'PRD-2', state: 'failed' }];
  });
  let now = Date.now();
  const server = await testDashboard({ fleet: source, now: () => now });
  expect(await (await server.get('/api/fleet', { cookie: server.cookie })).json()).toMatchObject({
    engine: 'postgres://db/fleet',
    streams: [{ stream: 'PRD-1' }, { stream: 'PRD-2' }],
  });
  const metrics = async () => (await server.get('/metrics')).text();
  expect(await metrics()).toMatch(/ralph_fleet_up 1\n[\s\S]*ralph_fleet_streams\{state="failed"\} 1/);
  gone = true;
  now += 5_000;
  expect(await metrics()).toMatch(/ralph_fleet_up 0\n[\s\S]*ralph_fleet_workers\{state="gone"\} 0/);
});

test('where there is no fleet nothing tells of one', async () => {
  const server = await testDashboard();
  expect(await (await server.get('/api/fleet')).json()).toBeNull();
  expect(await (await server.get('/metrics')).text()).not.toContain('ralph_fleet');
});
