import { expect, test, vi } from 'vitest';
import { noIsolation } from '../../adapters/isolation/choose.ts';
import type { Isolation } from '../../adapters/isolation/index.ts';
import { runThere, untilInterrupted } from './foreground.ts';

/** A sandbox that is none: what is started ignores what asks it to end, as the outermost process of one does. */
function patient(script: string): { readonly isolation: Isolation; readonly end: () => Promise<void> } {
  const end = vi.fn(async () => {});
  const args = ['-c', `trap '' TERM INT HUP; ${script}`];
  const wrap = async () => ({ file: '/bin/sh', args, cwd: '/', env: {}, end });
  return { isolation: { ...noIsolation(), wrap }, end };
}

const COMMAND = { file: 'true', args: [], cwd: '/', env: {} };

test('asked to end, it ends what it started and takes away what is left', async () => {
  const { isolation, end } = patient('exec sleep 30');
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const) {
    const ended = untilInterrupted((asked) => runThere(isolation, COMMAND, [], asked));
    setTimeout(() => process.emit(signal, signal), 100);
    expect(await ended).toBe(code);
  }
  expect(end).toHaveBeenCalledTimes(3);
});

test('asked before it began, it does not begin', async () => {
  const { isolation, end } = patient('exec sleep 30');
  expect(await runThere(isolation, COMMAND, [], AbortSignal.abort('SIGTERM'))).toBe(143);
  expect(end).toHaveBeenCalledTimes(1);
});

test('an exit code comes through', async () => {
  const { isolation } = patient('exit 7');
  expect(await untilInterrupted((asked) => runThere(isolation, COMMAND, [], asked))).toBe(7);
});
