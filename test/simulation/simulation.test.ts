import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleSimulation } from '../../scripts/simulation/bundle.ts';

const run = promisify(execFile);
let folder = '';
let program = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ralph-simulation-'));
  program = join(folder, 'simulation.mjs');
  await bundleSimulation(program);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function simulate(...args: readonly string[]): Promise<{ readonly exitCode: number; readonly output: string }> {
  try {
    const { stdout } = await run(process.execPath, ['--max-semi-space-size=64', program, ...args]);
    return { exitCode: 0, output: stdout };
  } catch (error) {
    const { code, stdout } = error as { readonly code: number; readonly stdout: string };
    return { exitCode: code, output: stdout };
  }
}

const traceOf = (output: string) => /trace (\S+)/.exec(output)?.[1];

describe('in worlds made from seeds', () => {
  test('the loop loses nothing, repeats nothing, keeps its limits and comes to an end', async () => {
    expect(await simulate('--only', 'loop', '--runs', '1000')).toMatchObject({ exitCode: 0 });
  });

  test('the streams of one process have their turns in order, within all limits, also after it was killed', async () => {
    expect(await simulate('--only', 'streams', '--runs', '1500')).toMatchObject({ exitCode: 0 });
  });

  test('the streams of a fleet come to an end, whatever becomes of its workers', async () => {
    expect(await simulate('--only', 'scheduler', '--runs', '300')).toMatchObject({ exitCode: 0 });
  });

  test('a seed goes the same way in two processes, and another seed another way', async () => {
    const [one, again, other] = await Promise.all(['8', '8', '9'].map((seed) => simulate('--replay', seed)));
    expect(traceOf(one?.output ?? '')).toMatch(/^-?[0-9a-f]+$/);
    expect(traceOf(again?.output ?? '')).toBe(traceOf(one?.output ?? ''));
    expect(traceOf(other?.output ?? '')).not.toBe(traceOf(one?.output ?? ''));
  });
});
