import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { removePipe } from './remove-pipe.ts';

test('whoever reads from a pipe that goes reads nothing, and waits no longer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-pipe-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // The reader may not have opened it at the first look.
  const reading = promisify(execFile)('sh', ['-c', `echo open; cat < '${pipe}'; echo end`]);
  await new Promise((resolve) => reading.child.stdout?.once('data', resolve));
  for (let ended = false; !ended; ) {
    if (existsSync(pipe)) await removePipe(pipe);
    else execFileSync('mkfifo', [pipe]);
    ended = await Promise.race([reading.then(() => true), new Promise<false>((no) => setTimeout(no, 50, false))]);
  }
  expect((await reading).stdout).toBe('open\nend\n');
  await rm(folder, { recursive: true });
});

test('what is not there is told', async () => {
  await expect(removePipe(join(tmpdir(), 'no-such-pipe'))).rejects.toThrow('ENOENT');
});
