import { join } from 'node:path';
import { realPath } from '../../../platform/index.ts';
import type { Command } from '../port.ts';
import { ownPackage } from './own-package.ts';

/** The bridge's port inside for the egress proxy. */
export const PROXY_PORT = 3128;

/** Where the system has it, seen by every sandbox that uses this machine's programs. */
const PERL = '/usr/bin/perl';

/**
 * The bridge's command line, the same on the host and inside. There are two: Perl starts in a tenth of the time that
 * Node takes, and only Node is always there. Both keep one contract (bridge.test.ts).
 * @param node its path inside
 * @param ofHost the inside has this machine's programs
 */
export async function bridgeProgram(node: string, ofHost: boolean): Promise<readonly string[]> {
  const perl = ofHost ? await realPath(PERL).catch(() => null) : null;
  const own = await ownPackage();
  return perl?.startsWith('/usr/') ? [PERL, join(own, 'bin', 'bridge.pl')] : [node, join(own, 'dist', 'inside.cjs')];
}

/**
 * The command that sets up the network inside and then runs `command` in it.
 *
 * @param input `program`: see {@link bridgeProgram}; `sockets`: the gateway's folder; `ports`: host loopback ports
 * available inside; `processes`: the limit for the user inside, which does not apply to root
 */
export function bridgeCommand(input: {
  readonly program: readonly string[];
  readonly sockets: string;
  readonly ports: readonly number[];
  readonly processes: number;
  readonly command: Command;
}): Command {
  const { program, sockets, ports, processes, command } = input;
  const [file = '', ...args] = program;
  const listened = [`${PROXY_PORT}=egress`, ...ports.map((port) => `${port}=${port}`)].join(',');
  const options = ['--sockets', sockets, '--ports', listened, '--processes', String(processes)];
  return { ...command, file, args: [...args, ...options, '--', command.file, ...command.args] };
}
