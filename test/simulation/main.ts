/** The simulation as one program: `scripts/simulate.ts` bundles it with the stand-ins for files, processes and time. */
import { GONE } from './machine/machine.ts';
import { simulate } from './report.ts';

// Work that nothing waits for any more may still touch the disk of a process that is gone.
process.on('unhandledRejection', (error) => {
  if (error !== GONE) throw error;
});

process.exitCode = await simulate(process.argv.slice(2));
