/** Takes the lock named by its argument when told to, says how it went, and keeps it until its input ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { tryLock } from './lock.ts';

const [path = '', run = '', withChild = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const result = await tryLock(path, { pid: process.pid, host: hostname(), startedAt: new Date().toISOString(), run });
const child = withChild === '' ? null : spawn('sleep', ['60'], { stdio: 'ignore' });
process.stdout.write(
  `${JSON.stringify('heldBy' in result ? { heldBy: result.heldBy } : { won: run, child: child?.pid })}\n`,
);
if ('heldBy' in result) process.exit(0);
await once(process.stdin.resume(), 'end');
await result.release();
