import { insideChunk } from '../../../../scripts/build/single-files.ts';
import { readText, writeAtomic } from '../../../platform/index.ts';
import { bridgeProgram } from './environment.ts';

/** Puts the bridge of today's sources into dist/, where sandboxes start it from: tests of sources build nothing else. */
export async function buildBridge(): Promise<void> {
  const [, file = ''] = await bridgeProgram('node', false);
  const { code } = await insideChunk();
  if ((await readText(file)) !== code) await writeAtomic(file, code, { fsync: false });
}
