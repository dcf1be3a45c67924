/**
 * Supervises as many shells as it has arguments, each with its script. SCRATCH goes with them; with ENDS it stops them
 * and ends.
 */
import { supervise } from './run.ts';

const scripts = process.argv.slice(2);
for (const [index, script] of scripts.entries()) {
  const { stop } = await supervise({
    file: 'sh',
    args: ['-c', script],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    stdin: '',
    scratch: process.env['SCRATCH'] ?? '',
    marker: `fixture-${process.pid}-${index}`,
    onStdout: (chunk) => process.stdout.write(chunk),
    onStderr: (chunk) => process.stderr.write(chunk),
  });
  if (process.env['ENDS'] !== undefined) await stop(0);
}
if (process.env['ENDS'] === undefined) setInterval(() => {}, 1000);
