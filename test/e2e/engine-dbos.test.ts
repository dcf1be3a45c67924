import { afterAll, beforeAll, describe } from 'vitest';
import { engineContract } from '../../src/streams/engine/contract.fixture.ts';
import { openDbosEngine } from '../../src/streams/engine/dbos/engine.ts';
import { needs } from '../support/debian.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';

const missing = await needs('postgres');

describe.skipIf(missing)('on PostgreSQL', () => {
  let postgres: Postgres;
  let count = 0;

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  engineContract('DBOS', async (options) =>
    openDbosEngine({
      url: await postgres.database(`fleet_${++count}`),
      worker: 'worker-1',
      options,
      pollMs: 50,
      graceMs: 4000,
    }),
  );
});
