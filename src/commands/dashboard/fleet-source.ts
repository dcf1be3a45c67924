import { redact } from '../../adapters/workspace/index.ts';
import { messageOf, RalphError } from '../../contracts/index.ts';
import type { EngineClient } from '../../streams/index.ts';
import type { FleetSource } from '../../surfaces/dashboard/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { engineUrl } from '../fleet/engine.ts';
import { type RawFlags, textOf } from '../shared/flags.ts';

/**
 * The fleet that the dashboard shows, opened on first use and again after an error: the dashboard may start before the
 * database and outlive it. null where no engine is named.
 * @throws UsageError for an invalid engine address
 */
export function fleetSource(flags: RawFlags, io: Io): FleetSource | null {
  if ((textOf(flags, 'engine') ?? io.env['RALPH_ENGINE'] ?? '') === '') return null;
  const url = engineUrl(flags, io);
  let client: Promise<EngineClient> | null = null;

  async function close(): Promise<void> {
    const open = client;
    client = null;
    // An engine that fails to close was not open.
    await open?.then((one) => one.close()).catch(() => {});
  }

  return {
    engine: withoutSecrets(url),
    async look() {
      try {
        client ??= openClient(url);
        const open = await client;
        const [streams, workers] = await Promise.all([open.status(), open.workers()]);
        return { streams, workers };
      } catch (error) {
        await close();
        throw new Error(redact(error instanceof RalphError ? error.facts.what : messageOf(error)), { cause: error });
      }
    },
    close,
  };
}

async function openClient(url: string): Promise<EngineClient> {
  const { openEngineClient } = await import('../../streams/engine/dbos/client.ts');
  return openEngineClient(url);
}

/** Removes user name and password, which must not be shown. */
function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
