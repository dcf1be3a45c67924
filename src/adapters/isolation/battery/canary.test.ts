import { expect, test } from 'vitest';
import { batteryGround, type Hole, sandboxWith } from '../../../../test/support/battery.ts';
import { needs } from '../../../../test/support/debian.ts';
import { tryClaims } from './canary.ts';

const missing = await needs('bwrap');

/** These sandboxes have no way to the network. */
const UNREACHED = 'a host on the list can be reached';

test.skipIf(missing).each<[Hole | null, readonly string[]]>([
  [null, [UNREACHED]],
  ['files', ['a file outside the work tree cannot be written', "a secret in the user's home folder cannot be read"]],
  ['network', [UNREACHED, 'a host off the list cannot be reached']],
  ['processes', [UNREACHED, "the host's processes cannot be seen"]],
])('through the hole %s the canary sees what does not hold', async (hole, broken) => {
  const { env, container, remove } = batteryGround();
  const limits = { memoryBytes: 2 ** 30, processes: 200, cpus: null };
  const policy = { hosts: [], localPorts: [], read: [], write: [], ...limits };
  const workspace = { root: '/nowhere', readOnly: [], writable: [] };
  const openHome = () => Promise.reject(new Error('it has its own'));
  const claims = await tryClaims(sandboxWith(...(hole ? [hole] : [])), { workspace, policy, env, openHome, container });
  remove();
  const found = claims.filter(({ held }) => !held).map(({ claim }) => claim);
  expect(found, JSON.stringify(claims)).toEqual(expect.arrayContaining([...broken]));
  if (hole === null) expect(found).toEqual(broken);
});
