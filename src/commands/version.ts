import type { Io } from '../surfaces/terminal/io.ts';
import { version } from '../version.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { printJson, printLines } from './shared/print.ts';

/** `ralph version` */
export async function printVersion(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const versions = { ralph: version, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
  if (isOn(flags, 'json')) printJson(io, versions);
  else printLines(io, [`ralph ${versions.ralph} (node ${versions.node}, ${versions.platform})`]);
  return 0;
}
