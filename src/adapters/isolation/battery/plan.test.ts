import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DRIVER, newSecret } from './plan.ts';

/** What the driver reports of a script that prints this. */
async function reportOf(script: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-driver-'));
  try {
    writeFileSync(join(folder, 'a.sh'), script);
    writeFileSync(join(folder, 'plan.json'), JSON.stringify([{ id: 'a', by: 'sh', file: 'a.sh', env: {} }]));
    writeFileSync(join(folder, 'driver.cjs'), DRIVER);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'driver.cjs')]);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a secret is reported however much was printed before and after it', async () => {
  const secret = newSecret();
  const much = `i=0; while [ $i -lt 2000 ]; do echo "0123456789012345678901234567890123456789012345678"; i=$((i+1)); done`;
  const report = await reportOf(`${much}\necho ${secret}\n${much}`);
  expect(report).toContain(secret);
  expect(report.length).toBeLessThan(70_000);
});
