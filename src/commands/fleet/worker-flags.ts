import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { stateHome } from '../../adapters/workspace/index.ts';
import { UsageError } from '../../contracts/index.ts';
import { knowSecrets } from '../../platform/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { durationOf, parseRunFlags } from '../run/flags.ts';
import { badValue, countOf, given, isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { decoded, engineUrl } from './engine.ts';

const DEFAULT_TURN_TIMEOUT_MS = 2 * 60 * 60_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export type WorkerFlags = ReturnType<typeof parseWorkerFlags>;

export function parseWorkerFlags(flags: RawFlags, io: Io) {
  const engine = engineUrl(flags, io);
  const remote = remoteOf(flags, io);
  const name = textOf(flags, 'name') ?? `${hostname()}-${process.pid}`.replace(/[^A-Za-z0-9._-]/g, '-');
  if (!NAME.test(name)) throw badValue('name', name, 'up to 100 letters, digits, dots and dashes');
  knowSecrets(passwordIn(remote));
  const { config, json } = parseRunFlags([], flags, io.cwd);
  return {
    engine,
    remote,
    capacity: countOf(flags, 'capacity') ?? 1,
    name,
    /** The worker takes the first folder in it that no other worker uses. */
    workDir: resolve(io.cwd, textOf(flags, 'workDir') ?? defaultFolder(remote, io.env)),
    turnTimeoutMs: positiveDuration(flags, 'turnTimeout') ?? DEFAULT_TURN_TIMEOUT_MS,
    /** The engine has its own defaults. */
    pace: given({ graceMs: positiveDuration(flags, 'grace'), pollMs: positiveDuration(flags, 'poll') }),
    once: isOn(flags, 'once'),
    json,
    /** Settings of every run, which override those of the projects; the branch is the stream's, even if its backlog names another. */
    config: { ...config, branch: false },
  };
}

function positiveDuration(flags: RawFlags, name: string): number | undefined {
  const ms = durationOf(flags, name);
  if (ms === undefined || ms > 0) return ms;
  throw badValue(name, textOf(flags, name) ?? '', 'a duration above 0, e.g. 5s');
}

function remoteOf(flags: RawFlags, io: Io): string {
  const remote = textOf(flags, 'remote') ?? io.env['RALPH_REMOTE'] ?? '';
  if (remote === '') {
    throw new UsageError({
      what: 'no shared repository given',
      fix: ['name it: --remote git@git.example.com:team/shop.git', 'or set RALPH_REMOTE to it'],
    });
  }
  if (remote.startsWith('-')) throw badValue('remote', remote, 'the address of a git repository');
  // Git runs in the work folder, so a relative path is resolved here.
  return /^\.{1,2}(?:\/|$)/.test(remote) ? resolve(io.cwd, remote) : remote;
}

function passwordIn(remote: string): readonly string[] {
  const password = URL.canParse(remote) ? new URL(remote).password : '';
  return password === '' ? [] : [password, decoded(password)];
}

/** One per remote, so that a clone is made once. */
function defaultFolder(remote: string, env: Io['env']): string {
  const id = createHash('sha256').update(remote).digest('hex').slice(0, 12);
  return `${stateHome(env)}/fleet/${id}`;
}

/** Variables that locate or open the fleet's control database, and the key that signs its state. */
const OF_THE_FLEET = new Set([
  ...['RALPH_FLEET_KEY', 'RALPH_ENGINE', 'RALPH_REMOTE', 'PGPASSWORD', 'PGPASSFILE', 'PGSERVICEFILE'],
]);

/**
 * The environment without what controls the fleet: its agents and checks do not get it, even if a
 * project's `env.pass` asks for it.
 */
export function withoutFleet(env: Io['env']): Io['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_THE_FLEET.has(name)));
}
