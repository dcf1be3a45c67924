import { join } from 'node:path';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { realPath, stat } from '../../../platform/files/files.ts';
import { keepGoing } from '../../../platform/keep-going.ts';
import { closeInheritedFiles } from '../../../platform/process/inherited-files.ts';
import { type Gateway, openGateway } from '../gateway/open.ts';
import { openLimits } from '../limits/open.ts';
import type { InsideCommand, IsolationInput, IsolationRun, WrappedCommand } from '../port.ts';
import type { ViewEntry } from '../view/entry.ts';
import { insideEnvironment } from '../view/environment.ts';
import { bridgeCommand, bridgeFile } from '../view/inside-command.ts';
import { prepareView, viewOf } from '../view/view.ts';
import { withHome } from '../with-home.ts';
import type { Bwrap } from './find.ts';
import { KERNEL_FILES, namespaceArguments, viewArguments } from './render.ts';

/** A run in sandboxes of bwrap. */
export interface Session {
  wrap(command: InsideCommand): Promise<WrappedCommand>;
  /** Never rejects. */
  close(): Promise<void>;
}

/**
 * Keeps bwrap alive when a whole tree is told to end: with it everything inside would be killed at once, before an
 * agent could say its last words. It ends by itself when the bridge does.
 */
const PATIENT = `trap '' TERM INT HUP; exec "$@"`;

/** The same with the filter of system calls, whose file is $0: any variable may be one of the environment's. */
const FILTERED = `${PATIENT} 9<"$0"`;

/**
 * What the dynamic loader and the C library obey. It must not reach bwrap and its shell, which run outside: it may name
 * a library in the work tree. Nothing of it is secret, so it goes by arguments.
 */
const OF_THE_LOADER = /^(LD_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NLSPATH$|MALLOC_|BASH_ENV$|ENV$|BASH_FUNC_)/;

/** Opens the way out and looks at the machine. @throws UnavailableError */
export async function openSession(bwrap: Bwrap, input: IsolationInput, run: IsolationRun): Promise<Session> {
  // bwrap hands on what it was started with.
  closeInheritedFiles();
  const { policy, env } = input;
  const ports = [...new Set([...policy.localPorts, ...run.localPorts])];
  const [base, masked, bridge, node, limits] = await Promise.all([
    prepareView(input),
    maskedKernelFiles(),
    bridgeFile(),
    realPath(process.execPath),
    openLimits(policy, env),
  ]);
  const gateway = await openGateway({ hosts: policy.hosts, ports, env, onRefusal: run.onRefusal });
  const { sockets } = gateway;
  const filter = await writeFilter(bwrap, gateway);
  // The folder is in the command lines of bwrap and the bridge.
  const letStop = keepGoing(sockets);
  // Folders in memory count as memory where that is limited; where not, this holds each of them.
  const ofMemory = Math.floor(policy.memoryBytes / 2);
  return {
    wrap: withHome(input, async (home, command) => {
      const view = await viewOf(base, home, command, sockets);
      const inside = insideEnvironment(command.env, input, view);
      const bridged = bridgeCommand({ node, bridge, sockets, ports, processes: policy.processes, command });
      const names = Object.keys(inside);
      const outside = names
        .filter((name) => !OF_THE_LOADER.test(name))
        .map((name) => [name, inside[name] ?? ''] as const);
      const loader = names.filter((name) => OF_THE_LOADER.test(name));
      const sandbox = [
        ...namespaceArguments(bwrap),
        ...(filter === null ? [] : ['--seccomp', '9']),
        ...loader.flatMap((name) => ['--setenv', name, inside[name] ?? '']),
        ...viewArguments(view, masked, bwrap, ofMemory),
        ...['--chdir', command.cwd, '--', bridged.file, ...bridged.args],
      ];
      const script = filter === null ? [PATIENT, 'ralph-sandbox'] : [FILTERED, filter];
      const patient = ['/bin/sh', '-c', ...script, bwrap.file, ...sandbox];
      const [file = '', ...args] = [...limits.join(), ...patient];
      // Values go by bwrap's own environment, which it passes on: arguments can be read by everybody on the host.
      return { file, args, cwd: '/', env: Object.fromEntries(outside), end: async () => {} };
    }),
    close: async () => {
      letStop();
      await gateway.close();
      await limits.close();
    },
  };
}

/** Into the gateway's folder: private outside, read-only inside, and it goes with the session. */
async function writeFilter({ filter }: Bwrap, gateway: Gateway): Promise<string | null> {
  if (filter === null) return null;
  const file = join(gateway.sockets, 'system-calls.bpf');
  try {
    await writeAtomic(file, filter, { fsync: false });
  } catch (error) {
    await gateway.close();
    throw error;
  }
  return file;
}

async function maskedKernelFiles(): Promise<readonly ViewEntry[]> {
  const found = await Promise.all(KERNEL_FILES.map(async (at) => ({ at, kind: (await stat(at))?.kind })));
  return found.flatMap(({ at, kind }): readonly ViewEntry[] =>
    kind === undefined ? [] : [{ kind: 'mask', at, of: kind === 'dir' ? 'folder' : 'file' }],
  );
}
