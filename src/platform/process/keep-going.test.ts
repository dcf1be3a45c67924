import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { keepGoing } from './processes.ts';

describe.skipIf(process.platform !== 'linux')('what was stopped', () => {
  const word = `keep-going-${process.pid}`;

  test('goes on where the word is in its command line, and only there', async () => {
    const start = (name: string) => spawn('sh', ['-c', 'kill -STOP $$; exit 7', name], { stdio: 'ignore' });
    const [ours, other] = [start(word), start(`${word}-other`)];
    const end = keepGoing(word);
    try {
      expect(await once(ours, 'exit')).toEqual([7, null]);
      expect(other.exitCode).toBe(null);
    } finally {
      end();
      other.kill('SIGKILL');
    }
  });
});
