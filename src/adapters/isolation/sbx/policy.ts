import { UnavailableError } from '../../../contracts/errors.ts';
import type { SbxClient } from './client.ts';
import { CREATE } from './failure.ts';

/** No such host can ever be (RFC 6761): only a policy that lets everything through allows it. */
const NOBODY = 'ralph-asks-for-nothing.invalid';

/**
 * Refuses a policy under which everything may be reached.
 * @param name of the sandbox; null asks for the policy of the machine
 * @throws UnavailableError
 */
export async function refuseOpenPolicy(client: SbxClient, name: string | null): Promise<void> {
  if ((await client.isAllowed(name, NOBODY)) === false) return;
  throw new UnavailableError({
    what: 'the network policy of sbx does not refuse unknown hosts',
    where: `sbx policy check network ${NOBODY}`,
    why: 'agents could send anything anywhere',
    mend: [`sbx policy reset, then ${CREATE} --yes, which sets deny-all for this machine`],
  });
}

/**
 * Allows hosts in one sandbox, and asks sbx whether they are.
 * @param hosts as `Policy.hosts` has them
 * @throws UnavailableError naming the first that is still refused: a rule of the organisation wins over this one
 */
export async function permitHosts(client: SbxClient, name: string, hosts: readonly string[]): Promise<void> {
  for (const host of hosts) {
    // A pattern cannot be asked for, one of its hosts can.
    const example = host.replace(/^\*/, 'any');
    if ((await client.isAllowed(name, example)) === true) continue;
    await client.allow(name, host);
    if ((await client.isAllowed(name, example)) !== false) continue;
    throw new UnavailableError({
      what: `sbx refuses ${host} although it was allowed`,
      where: `sbx policy check network --sandbox ${name} ${example}`,
      why: 'a rule that denies it, or one of your organisation, comes first',
      mend: ['sbx policy ls', 'take it from isolation.allowHosts'],
    });
  }
}
