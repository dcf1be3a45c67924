import { join } from 'node:path';
import { messageOf } from '../../../contracts/index.ts';
import { exists, makeTempDir, remove, writeAtomic } from '../../../platform/index.ts';
import type { Claim, Isolation, IsolationInput } from '../port.ts';
import { type Attempt, node, sh } from './attempt.ts';
import { ATTEMPTS, runBattery } from './run.ts';

const OFF_THE_LIST = ['loopback-ports', 'proxy-connect-port'];

/** What must work inside, and the network part of the table in one process: Node takes its time to start. */
const MORE: readonly Attempt[] = [
  sh('can-write', 'write in the work tree', {
    check: async ({ work }) => ((await exists(join(work, 'written'))) ? null : 'nothing was written'),
  })`
    echo new > written`,
  node('hosts', 'reach an allowed host, and others')`
    const { ALLOWED } = process.env;
    console.log(await ask('GET http://localhost:' + ALLOWED + '/ HTTP/1.1\r\nHost: localhost:' + ALLOWED));
    ${ATTEMPTS.flatMap(({ id, script }) => (OFF_THE_LIST.includes(id) ? `{${script}}` : [])).join('\n')}`,
  sh('can-reach', 'reach an allowed host', {
    check: async ({ allowed }) => (allowed.length > 0 ? null : 'it was not reached'),
  })`
    echo 'the request is sent by the attempt before'`,
].map((attempt) => ({ ...attempt, category: 'canary' }));

/** What every isolation promises, with the attempts that try it. They are harmless where nothing isolates. */
const CLAIMS: readonly (readonly [claim: string, ...attempts: string[]])[] = [
  ['the work tree can be written', 'can-write'],
  ['a file outside the work tree cannot be written', 'write-absolute'],
  ["a secret in the user's home folder cannot be read", 'read-outside', 'read-logins'],
  ['a host on the list can be reached', 'can-reach'],
  ['a host off the list cannot be reached', 'hosts'],
  ["the host's processes cannot be seen", 'see-processes'],
];

/**
 * Tests in a sandbox of a throw-away project what every isolation promises, by the harmless part of the battery. Never
 * rejects: an isolation that could not be tested held nothing.
 */
export async function tryClaims(
  open: (input: IsolationInput) => Isolation | Promise<Isolation>,
  { env, container, policy }: IsolationInput,
): Promise<readonly Claim[]> {
  const refuse = (detail: string) => [{ claim: 'a command can be started', held: false, detail }];
  const state = await makeTempDir('ralph-canary-');
  try {
    const home = join(state, 'person');
    await writeAtomic(join(home, '.ssh', 'id_canary'), 'a key', { fsync: false });
    const rows = await runBattery(open, {
      ...{ state, container },
      env: { ...env, HOME: home },
      home: env['HOME'],
      environment: { PATH: env['PATH'] ?? '/usr/bin:/bin', HOME: home },
      repository: async () => ({ guest: async () => [], afterwards: async () => {} }),
      only: CLAIMS.flatMap(([, ...ids]) => ids),
      more: MORE,
      limits: policy,
    });
    const [first] = rows;
    if (first && rows.every(({ tried }) => !tried)) return refuse(first.detail);
    return CLAIMS.flatMap(([claim, ...ids]) => {
      const tried = rows.filter(({ id }) => ids.includes(id));
      const worst = tried.find(({ held }) => !held) ?? tried[0];
      return worst ? [{ claim, held: worst.held, detail: worst.detail }] : [];
    });
  } catch (error) {
    return refuse(messageOf(error));
  } finally {
    await remove(state).catch(() => {});
  }
}
