import { describe, expect, it } from 'vitest';
import { describeError } from '../../contracts/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { engineUrl } from './engine.ts';
import { parseWorkerFlags, withoutFleet } from './worker-flags.ts';

const ENGINE = 'postgres://ralph:sehr-geheim-42@db.example.com/fleet';
const REMOTE = 'git@git.example.com:team/shop.git';

function ioWith(env: Record<string, string> = {}): Io {
  const nowhere = { write: () => true };
  return {
    cwd: '/project',
    env: { HOME: '/home/una', ...env },
    stdout: nowhere,
    stderr: nowhere,
    isTTY: false,
    columns: 80,
  };
}

describe('the command line of ralph worker', () => {
  it('has defaults for everything but engine and remote', () => {
    const asked = parseWorkerFlags({ engine: ENGINE, remote: REMOTE }, ioWith());
    expect(asked).toMatchObject({ capacity: 1, turnTimeoutMs: 7_200_000, once: false, config: { branch: false } });
    expect(asked.workDir).toMatch(/^\/home\/una\/\.local\/state\/ralph\/fleet\/[0-9a-f]{12}$/);
    expect(asked.name).toMatch(/-\d+$/);
  });

  it('takes engine and remote from the environment as well', () => {
    const asked = parseWorkerFlags({}, ioWith({ RALPH_ENGINE: ENGINE, RALPH_REMOTE: '../remote.git' }));
    expect(asked).toMatchObject({ engine: ENGINE, remote: '/remote.git' });
  });

  it.each([
    [{ remote: REMOTE }, /no fleet given/],
    [{ engine: ENGINE }, /no shared repository given/],
    [{ engine: ENGINE, remote: '--upload-pack=x' }, /--remote does not take/],
    [{ engine: ENGINE, remote: REMOTE, name: 'a/b' }, /--name does not take/],
    [{ engine: ENGINE, remote: REMOTE, capacity: '0' }, /--capacity/],
    [{ engine: ENGINE, remote: REMOTE, turnTimeout: 'soon' }, /--turn-timeout/],
    [{ engine: ENGINE, remote: REMOTE, turnTimeout: '0' }, /--turn-timeout does not take/],
    [{ engine: ENGINE, remote: REMOTE, poll: '0' }, /--poll does not take/],
    [{ engine: ENGINE, remote: REMOTE, grace: '0s' }, /--grace does not take/],
  ])('refuses %j', (flags, message) => {
    expect(() => parseWorkerFlags(flags, ioWith())).toThrow(message);
  });

  it.each([
    'postgres://una:sehr@geh/eim@db.example.com/fleet',
    'postgres://una:sehr#geheim@db.example.com/fleet',
    'postgres://una:sehr?geheim@db.example.com/fleet',
    'postgres://una:sehr%geheim@db.example.com/fleet',
    'postgres://una:sehr%ZZgeheim@db.example.com/fleet',
  ])('says what is to be encoded in %s, and repeats none of its password', (engine) => {
    const told = describeError(thrownBy(() => engineUrl({ engine }, ioWith())));
    expect(told).toMatch(/%25|percent-encoded/);
    expect(told).not.toMatch(/sehr|geh|eim/);
  });

  it('never repeats an address that may hold a password', () => {
    expect(() => engineUrl({ engine: 'mysql://una:sehr-geheim-42@db/fleet' }, ioWith())).toThrow(
      /^(?!.*sehr-geheim).*PostgreSQL/,
    );
  });
});

function thrownBy(body: () => unknown): unknown {
  try {
    body();
  } catch (error) {
    return error;
  }
  return null;
}

describe('withoutFleet', () => {
  it('leaves out what opens the database of the fleet, and nothing else', () => {
    const env = {
      PATH: '/bin',
      RALPH_FLEET_KEY: 'k',
      RALPH_ENGINE: ENGINE,
      RALPH_REMOTE: REMOTE,
      PGPASSWORD: 'x',
      PGHOST: 'db',
    };
    expect(withoutFleet(env)).toEqual({ PATH: '/bin', PGHOST: 'db' });
  });
});
