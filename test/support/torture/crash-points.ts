import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../../../src', import.meta.url));

/** The name of every crash point in the sources, sorted. Read from there, so that a new one cannot be forgotten. */
export async function crashPointsInSource(): Promise<readonly string[]> {
  const files = (await readdir(SOURCES, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(`${SOURCES}/${file}`, 'utf8')));
  const names = texts.flatMap((text) => [...text.matchAll(/\bcrashpoint\('([^']+)'\)/g)].map(([, name]) => name ?? ''));
  return [...new Set(names)].sort();
}

/** Those that a plain `ralph run` passes, and how often one with three stories does. */
export const PASSAGES: Readonly<Record<string, number>> = {
  'run-started': 1,
  checkpointed: 9,
  'agent-stopped': 9,
  'agent-ended': 9,
  settled: 9,
  planned: 9,
  'git-before-apply': 8,
  'rolled-back': 1,
  'files-written': 9,
  committed: 8,
  'ledger-written': 9,
  done: 9,
};
