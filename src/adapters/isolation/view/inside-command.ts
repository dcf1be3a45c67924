import { join } from 'node:path';
import type { Command } from '../port.ts';
import { ownPackage } from './own-package.ts';

/** Name of the bridge in `dist/`. */
const BRIDGE = join('dist', 'inside.cjs');

/** The bridge as it is on the host, and at the same path inside. */
export async function bridgeFile(): Promise<string> {
  return join(await ownPackage(), BRIDGE);
}

/**
 * The command that makes the network of the inside and then runs `command` in it: the bridge, src/inside.ts.
 *
 * @param input `node` and `bridge`: as they are found inside; `sockets`: the gateway's folder; `ports` of the host's
 *   loopback that are there inside; `processes`: most for the user inside, which root is not held to
 */
export function bridgeCommand(input: {
  readonly node: string;
  readonly bridge: string;
  readonly sockets: string;
  readonly ports: readonly number[];
  readonly processes: number;
  readonly command: Command;
}): Command {
  const { node, bridge, sockets, ports, processes, command } = input;
  const options = ['--sockets', sockets, '--ports', ports.join(','), '--processes', String(processes)];
  return { ...command, file: node, args: [bridge, ...options, '--', command.file, ...command.args] };
}
