import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import { printJson } from '../shared/print.ts';

/** `ralph config schema` */
export async function configSchema(_args: readonly string[], _flags: RawFlags, io: Io): Promise<number> {
  const { configJsonSchema } = await import('../../adapters/workspace/config/config-schema.ts');
  printJson(io, configJsonSchema());
  return 0;
}
