import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitOf, tempDir } from '../built.fixture.ts';
import { descendsFrom, newLineage, readProcessTable, startInLineage } from './processes.ts';

let dir: string;
beforeEach(async () => {
  dir = await tempDir();
});
afterEach(() => rmSync(dir, { recursive: true }));

const env = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '' });

/** What a command printed that was started in a lineage. */
async function printed(lineage: string | null, file: string, args: readonly string[]): Promise<string> {
  const child = await startInLineage(lineage, file, args, {
    cwd: dir,
    env: env(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  await exitOf(child);
  return text.trim();
}

describe.runIf(process.platform === 'linux')('on Linux', () => {
  test('it reaches a grandchild without environment and session', async () => {
    const lineage = newLineage();
    const limits = await printed(lineage, 'sh', ['-c', 'env -i /usr/bin/setsid -w /bin/cat /proc/self/limits | cat']);
    expect(lineage).not.toBeNull();
    expect(limits).toMatch(new RegExp(`^Max file locks +${lineage} +${lineage} `, 'm'));
  });

  test('the table of processes shows it, and none where the limit is not set', async () => {
    const lineage = newLineage();
    const inside = await startInLineage(lineage, 'sleep', ['60'], { cwd: dir, env: env(), stdio: 'ignore' });
    const beside = await startInLineage(null, 'sleep', ['60'], { cwd: dir, env: env(), stdio: 'ignore' });
    try {
      const table = await readProcessTable();
      const found = [inside, beside].map(({ pid }) => table.find((entry) => entry.pid === pid)?.lineage);
      expect(found).toEqual([lineage, table.find(({ pid }) => pid === process.pid)?.lineage]);
    } finally {
      for (const child of [inside, beside]) child.kill('SIGKILL');
    }
  });

  test('each is another, and one within another is lower, because a limit is never raised', async () => {
    const outer = newLineage();
    const lineage = JSON.stringify(fileURLToPath(new URL('processes.ts', import.meta.url)));
    const script = join(dir, 'inner.mjs');
    writeFileSync(script, `const { newLineage } = await import(${lineage}); console.log(newLineage());`);
    const inner = await printed(outer, process.execPath, ['--import', import.meta.resolve('tsx'), script]);
    expect(Number(inner)).toBeGreaterThan(0);
    expect(Number(inner)).toBeLessThan(Number(outer));
    expect(new Set(Array.from({ length: 100 }, newLineage)).size).toBe(100);
  });

  test('a process knows whether another one started it so, whatever its environment says', async () => {
    const module = JSON.stringify(new URL('processes.ts', import.meta.url).href);
    const script = join(dir, 'asks.mjs');
    writeFileSync(
      script,
      `const { descendsFrom } = await import(${module}); console.log(descendsFrom(${process.pid}));`,
    );
    const ask = (lineage: string | null) =>
      printed(lineage, process.execPath, ['--import', import.meta.resolve('tsx'), script]);
    expect(await ask(newLineage())).toBe('true');
    expect(await ask(null)).toBe('false');
    expect(descendsFrom(process.pid)).toBe(false);
  });

  test.each(['sh', '/bin/sh'])(
    '%s is what it would be otherwise: pid, arguments, standard input, and in the lineage',
    async (file) => {
      const lineage = newLineage();
      const args = [
        '-c',
        'echo "$0|$1|$$"; grep -cE "^Max file locks +$2 " /proc/self/limits; cat',
        'zero',
        `a 'b' $c "d"`,
        `${lineage}`,
      ];
      const child = await startInLineage(lineage, file, args, {
        cwd: dir,
        env: env(),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout?.on('data', (chunk) => {
        text += chunk;
      });
      child.stdin?.end('in');
      await exitOf(child);
      expect(text).toBe(`zero|a 'b' $c "d"|${child.pid}\n1\nin`);
    },
  );

  test.each([
    ['a missing program', './none', 'ENOENT'],
    ['a missing program on PATH', 'no-such-program-anywhere', 'ENOENT'],
    ['a file without the right to run', './plain', 'EACCES'],
    ['a folder', '.', 'EACCES'],
  ])('%s is refused as it would be otherwise', async (_what, file, code) => {
    writeFileSync(join(dir, 'plain'), 'no program\n');
    for (const lineage of [newLineage(), null]) {
      await expect(startInLineage(lineage, file, [], { cwd: dir, env: env() })).rejects.toMatchObject({
        name: 'SpawnFailed',
        code: file === '.' ? expect.stringMatching(/EACCES|ENOENT/) : code,
        file,
      });
    }
  });
});
