import type { Io } from '../surfaces/terminal/index.ts';
import { version } from '../version.ts';
import type { RawFlags } from './shared/flags.ts';
import { printResult } from './shared/print.ts';

export async function printVersion(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const versions = { ralph: version, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
  return printResult(io, flags, versions, [`ralph ${versions.ralph} (node ${versions.node}, ${versions.platform})`]);
}
