import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FleetFiles, FleetStream } from '../../adapters/git/fleet/port.ts';
import { UsageError } from '../../contracts/errors.ts';

/** Name in the state of a stream: the MAC of all the others. */
const SEAL_FILE = 'seal';
const SHORTEST_KEY = 32;

/**
 * The key that all workers of a fleet share: what stands at the remote is believed only when one of them wrote it.
 * @throws UsageError where there is none, or it could be guessed
 */
export function fleetKey(text: string | undefined): string {
  if (text !== undefined && text.length >= SHORTEST_KEY) return text;
  throw new UsageError({
    what: text ? `RALPH_FLEET_KEY has fewer than ${SHORTEST_KEY} characters` : 'RALPH_FLEET_KEY is not set',
    why: 'with it workers sign the state of streams at the remote, which everyone who can push could write otherwise',
    mend: ['make one, and give it to every worker: openssl rand -hex 32'],
  });
}

/** The state with its seal, for the remote. */
export function sealed(key: string, stream: FleetStream, files: FleetFiles): FleetFiles {
  return { ...files, [SEAL_FILE]: `${macOf(key, stream, files).toString('hex')}\n` };
}

/** Whether a worker of this fleet wrote the state of this stream, all of it. A stream that has none yet has none to check. */
export function isSealed(key: string, stream: FleetStream, files: FleetFiles): boolean {
  if (Object.keys(files).length === 0) return true;
  const mac = Buffer.from((files[SEAL_FILE] ?? '').trim(), 'hex');
  const own = macOf(key, stream, files);
  return mac.length === own.length && timingSafeEqual(mac, own);
}

/** Over stream and branch too: the state of one stream says nothing about another. */
function macOf(key: string, { stream, branch }: FleetStream, files: FleetFiles): Buffer {
  const entries = Object.entries(files).filter(([name]) => name !== SEAL_FILE);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHmac('sha256', key)
    .update(JSON.stringify([stream, branch, entries]))
    .digest();
}
