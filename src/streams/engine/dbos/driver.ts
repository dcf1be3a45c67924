import type { Pool } from 'pg';
import { UnavailableError } from '../../../contracts/errors.ts';

const INSTALL = 'npm install @dbos-inc/dbos-sdk@5 pg@8';

export type Driver = Awaited<ReturnType<typeof load>>;

/** The packages that only a fleet needs. @throws UnavailableError when they are not installed, or of another version */
export async function loadDriver(): Promise<Driver> {
  try {
    return await load();
  } catch (error) {
    throw new UnavailableError({
      what: 'the packages that a fleet needs cannot be used: @dbos-inc/dbos-sdk and pg',
      why: error instanceof Error ? error.message : String(error),
      mend: [`install them beside ralph: ${INSTALL}`],
    });
  }
}

async function load() {
  const [sdk, queues, tables, logs, pg] = await Promise.all([
    import('@dbos-inc/dbos-sdk'),
    // Queues whose settings stay in this process: those that the database keeps are one and the same for every
    // worker, and the capacity of a worker is its own.
    import('@dbos-inc/dbos-sdk/internal/wfqueue'),
    // The public way to migrate wants to create databases, and prints.
    import('@dbos-inc/dbos-sdk/internal/system_database'),
    import('@dbos-inc/dbos-sdk/internal/telemetry/logs'),
    import('pg'),
  ]);
  if (typeof queues.registerInternalQueue !== 'function') throw new Error('this version of DBOS is not known to ralph');
  return {
    DBOS: sdk.DBOS,
    DBOSClient: sdk.DBOSClient,
    registerQueue: queues.registerInternalQueue,
    queueRunner: queues.wfQueueRunner,
    migrateTables: (url: string, pool: Pool) =>
      tables.ensureSystemDatabase(url, new logs.GlobalLogger(undefined, { logger: SILENT }), pool, 'dbos', false),
    Pool: pg.default.Pool,
    Client: pg.default.Client,
  };
}

/** For what the library would print: what matters to people comes from us. */
export const SILENT = {
  info: () => undefined,
  debug: () => undefined,
  warn: () => undefined,
  error: () => undefined,
} as const;
