/** The simulation as one program: `scripts/simulate.ts` bundles it with the stand-ins for files, processes and time. */
import { simulate } from './report.ts';

process.exitCode = await simulate(process.argv.slice(2));
