import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TortureCase } from './case.ts';

/** Git ignores it. */
const SAVED = fileURLToPath(new URL('../../../.ralph-test/torture', import.meta.url));

/** Saves a failing case with what was wrong; returns the file, for `--replay`. */
export async function saveCase(torture: TortureCase, violations: readonly string[]): Promise<string> {
  await mkdir(SAVED, { recursive: true });
  const file = `${SAVED}/seed-${torture.seed}.json`;
  await writeFile(file, `${JSON.stringify({ ...torture, violations }, null, 2)}\n`);
  return file;
}

/** @throws when it is not a saved case */
export async function loadCase(file: string): Promise<TortureCase> {
  const { violations: _, ...torture } = JSON.parse(await readFile(file, 'utf8'));
  if (torture.version !== 1 || !Array.isArray(torture.faults)) throw new Error(`${file} is no saved case`);
  return torture;
}
