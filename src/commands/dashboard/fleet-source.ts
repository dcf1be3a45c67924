import { redact } from '../../adapters/workspace/events/redact/redact.ts';
import { RalphError } from '../../contracts/errors.ts';
import type { EngineClient } from '../../streams/engine/dbos/client.ts';
import type { FleetSource } from '../../surfaces/dashboard/fleet.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { engineUrl } from '../fleet/engine.ts';
import { type RawFlags, textOf } from '../shared/flags.ts';

/**
 * The fleet that the dashboard shows, opened when it is first looked at, and again after an error: the dashboard is
 * there before the database, and outlives it. null where no engine is named.
 * @throws UsageError for what is no address of one
 */
export function fleetSource(flags: RawFlags, io: Io): FleetSource | null {
  if ((textOf(flags, 'engine') ?? io.env['RALPH_ENGINE'] ?? '') === '') return null;
  const url = engineUrl(flags, io);
  let client: Promise<EngineClient> | null = null;

  async function close(): Promise<void> {
    const open = client;
    client = null;
    // What cannot be closed was not open.
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
        throw new Error(wordsOf(error), { cause: error });
      }
    },
    close,
  };
}

async function openClient(url: string): Promise<EngineClient> {
  const { openEngineClient } = await import('../../streams/engine/dbos/client.ts');
  return openEngineClient(url);
}

/** Whom it logs in as, and with what, is nobody's business. */
function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function wordsOf(error: unknown): string {
  const said = error instanceof RalphError ? error.facts.what : error instanceof Error ? error.message : String(error);
  return redact(said);
}
