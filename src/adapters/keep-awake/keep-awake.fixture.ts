/** Keeps the machine awake by what is on its PATH and tells how; then lives until it is killed. */
import { keepAwake } from './keep-awake.ts';

const outcome = await keepAwake({ system: 'linux', kernel: 'generic', path: process.env['PATH'] ?? '' }, 60_000);
process.stdout.write(`${outcome.awake ? outcome.how : outcome.why}\n`);
setInterval(() => {}, 1000);
