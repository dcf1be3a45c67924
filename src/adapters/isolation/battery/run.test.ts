import { existsSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BatteryGround, batteryGround, type Hole, sandboxWith } from '../../../../test/support/battery.ts';
import { needs } from '../../../../test/support/debian.ts';
import { noIsolation } from '../choose.ts';
import { ATTEMPTS, type BatteryRow, runBattery } from './run.ts';

const missing = await needs('bwrap');

let ground: BatteryGround;
beforeEach(() => {
  ground = batteryGround();
});
afterEach(() => ground.remove());

const notHeld = (rows: readonly BatteryRow[]) => rows.filter(({ tried, held }) => tried && !held).map(({ id }) => id);

test('every attempt has a name of its own, and there are enough of them', () => {
  expect(new Set(ATTEMPTS.map(({ id }) => id)).size).toBe(ATTEMPTS.length);
  expect(ATTEMPTS.length).toBeGreaterThanOrEqual(45);
});

test('the key of a provider is looked for in twenty places', () => {
  const places = ATTEMPTS.filter(({ attempt }) => attempt.startsWith("find the provider's key in "));
  expect(places).toHaveLength(20);
});

test('without isolation nothing is tried, and nothing counts as held', async () => {
  const rows = await runBattery(noIsolation, ground);
  expect(rows).toHaveLength(ATTEMPTS.length);
  expect(rows.every(({ held, detail }) => !held && detail === 'agents have full access')).toBe(true);
  expect(readdirSync(ground.state)).toEqual([]);
});

describe.skipIf(missing)('what a hole lets through is not held', () => {
  const files = [
    ...['write-absolute', 'write-dotdot', 'write-symlink', 'write-proc-root', 'write-home', 'change-modes'],
    ...['remove-outside', 'read-outside', 'read-state', 'socket-file', 'git-user-settings'],
  ];
  const harmless: readonly (readonly [Hole, readonly string[]])[] = [
    ['files', files],
    ['temp', ['write-temp', 'write-symlink-race']],
    ['network', ['tcp-direct', 'udp-direct', 'loopback-ports', 'interfaces', 'socket-abstract']],
    ['processes', ['see-processes', 'signal']],
    ['protected', ['protected-write', 'protected-move', 'protected-settings', 'protected-state', 'write-hard-link']],
    ['git', ['git-fsmonitor', 'git-objects']],
    ['git', ['git-include', 'git-remove']],
    ['environment', ['read-environment']],
    ['privileges', ['capabilities', 'mount', 'chroot']],
    ['key', ['key-own-environment', 'key-environments', 'key-memory', 'key-is-added']],
  ];

  test.each(harmless)('%s', async (hole, ids) => {
    const open = await runBattery(sandboxWith(hole), { ...ground, only: ids });
    expect(notHeld(open), JSON.stringify(open)).toEqual(expect.arrayContaining([...ids].filter(showsHere)));
  });

  test('and without a hole the same attempts are', { tags: ['promise'] }, async () => {
    const only = harmless.flatMap(([, ids]) => ids);
    expect(notHeld(await runBattery(sandboxWith(), { ...ground, only }))).toEqual([]);
    expect(existsSync(`${ground.env['HOME']}/.gitconfig`)).toBe(false);
    expect(readdirSync(ground.state)).toEqual([]);
  });

  test('limits that there are not are not held', async () => {
    const rows = await runBattery(sandboxWith(), { ...ground, only: ['fork-bomb', 'memory'] });
    expect(notHeld(rows)).toEqual(['fork-bomb', 'memory']);
  });

  test('what could do harm is not tried where anything else was not held', async () => {
    const only = ['protected-settings', 'remove-system', 'remove-home', 'signal-all'];
    const rows = await runBattery(sandboxWith('protected'), { ...ground, only });
    expect(notHeld(rows)).toEqual(['protected-settings']);
    for (const row of rows.filter(({ id }) => id !== 'protected-settings')) {
      expect(row).toMatchObject({ tried: false, held: false, detail: expect.stringContaining('unsafe: ') });
    }
  });

  test('a sandbox that does not start holds nothing', async () => {
    const wrap = async () => ({
      ...{ file: 'sh', args: ['-c', 'echo no such thing; exit 1'] },
      ...{ cwd: '/', env: {}, end: async () => {} },
    });
    const only = ['write-absolute', 'signal'];
    const rows = await runBattery((input) => ({ ...sandboxWith()(input), wrap }), { ...ground, only });
    const verdict = { tried: false, held: false, detail: 'no such thing' };
    expect(rows).toEqual([expect.objectContaining(verdict), expect.objectContaining(verdict)]);
  });
});

/** Without an address beside loopback there is nothing to be reached at it. */
function showsHere(id: string): boolean {
  return id !== 'interfaces' && id !== 'tcp-direct';
}
