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

function simulate(...args: readonly string[]) {
  return play(program, ...args);
}

async function play(
  file: string,
  ...args: readonly string[]
): Promise<{ readonly exitCode: number; readonly output: string }> {
  try {
    const { stdout } = await run(process.execPath, ['--max-semi-space-size=64', file, ...args]);
    return { exitCode: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as {
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    };
    return { exitCode: code, output: stdout + stderr };
  }
}

const traceOf = (output: string) => /trace (\S+)/.exec(output)?.[1];
const runsIn = (output: string) =>
  [...output.matchAll(/^\w+: (\d+) runs in/gm)].reduce((sum, [, runs]) => sum + Number(runs), 0);

describe('in worlds made from seeds', () => {
  test('loop and streams lose nothing, repeat nothing, keep their limits and come to an end, 4,000 times', async () => {
    const halves = await Promise.all(['1', '2001'].map((seed) => simulate('--runs', '2000', '--seed', seed)));
    for (const { exitCode, output } of halves) expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    expect(halves.reduce((sum, { output }) => sum + runsIn(output), 0)).toBe(4_000);
  });

  test('loop and streams lose nothing in 200 worlds', { tags: ['promise'] }, async () => {
    const { exitCode, output } = await simulate('--runs', '200', '--seed', '20001');
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
  });

  test('a seed goes the same way in two processes, and another seed another way', async () => {
    const [one, again, other] = await Promise.all(['8', '8', '9'].map((seed) => simulate('--replay', seed)));
    expect(traceOf(one?.output ?? '')).toMatch(/^-?[0-9a-f]+$/);
    expect(traceOf(again?.output ?? '')).toBe(traceOf(one?.output ?? ''));
    expect(traceOf(other?.output ?? '')).not.toBe(traceOf(one?.output ?? ''));
  });
});

describe('a fault planted in the sources is found', () => {
  test.each([
    {
      what: 'recovery that rolls back without a rescue',
      module: 'src/loop/recover.ts',
      text: "await context.agentTree.keep(entry, after, 'cut off by a crash')",
      instead: 'null as string | null',
      found: /lost: /,
    },
    {
      what: 'a ledger that takes an iteration twice',
      module: 'src/adapters/workspace/records/ledger.ts',
      text: 'if (!isThere)',
      instead: '',
      found: /the ledger has iteration .* twice/,
    },
  ])('$what', async ({ found, ...plant }) => {
    const file = join(folder, `${plant.module.replaceAll('/', '-')}.mjs`);
    await bundleSimulation(file, plant);
    const { exitCode, output } = await play(file, '--only', 'loop', '--runs', '300');
    expect(exitCode).toBe(1);
    expect(output).toMatch(found);
  });
});
