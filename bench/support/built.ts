import { join } from 'node:path';
import { isStale } from '../../scripts/build/freshness.ts';
import { root } from '../../scripts/root.ts';

/** The built program, as users start it. */
export const RALPH = join(root, 'bin/ralph.js');

/** Figures are about the program that ships: builds it when the sources are newer. */
export async function build(): Promise<void> {
  if (!(await isStale())) return;
  const { bundle } = await import('../../scripts/build/bundle.ts');
  await bundle();
}
