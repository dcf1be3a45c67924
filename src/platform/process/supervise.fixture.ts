/** Supervises as many shells as it has arguments, each with its script; tells when they run. SCRATCH goes with them. */
import { supervise } from './run.ts';

const scripts = process.argv.slice(2);
for (const [index, script] of scripts.entries()) {
  await supervise({
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
}
setInterval(() => {}, 1000);
