import { join } from 'node:path';
import { UnavailableError } from '../../../contracts/index.ts';
import { closeInheritedFiles, keepGoing, realPath, stat, writeAtomic } from '../../../platform/index.ts';
import { tryClaims } from '../battery/canary.ts';
import { type Gateway, openGateway } from '../gateway/open.ts';
import { JOIN } from '../limits/groups.ts';
import { openLimits } from '../limits/open.ts';
import type { Isolation, IsolationInput, IsolationRun, Limit, Probe } from '../port.ts';
import { type Session, withHome, withSession } from '../session.ts';
import type { ViewEntry } from '../view/entry.ts';
import { bridgeCommand, bridgeProgram, insideEnvironment } from '../view/environment.ts';
import { prepareView, viewOf } from '../view/view.ts';
import {
  type Bwrap,
  complaintWays,
  findBwrap,
  KERNEL_FILES,
  missingWays,
  namespaceArguments,
  unfiltered,
  viewArguments,
} from './find.ts';

const BWRAP = { name: 'bwrap', coversGitDir: true } as const;

/** Linux namespaces around a whole agent, made by bubblewrap. */
export function openBwrap(input: IsolationInput): Isolation {
  return withSession(
    { ...BWRAP, lent: input.policy.lending?.lent ?? [], probe: () => probeBwrap(input) },
    async (run) => {
      const bwrap = await findBwrap(input.env['PATH'], input.workspace.root);
      if (bwrap === null) {
        throw new UnavailableError({ what: 'bubblewrap is not installed', fix: await missingWays(input.env) });
      }
      if ('complaint' in bwrap) {
        const fix = await complaintWays(input.env);
        throw new UnavailableError({ what: 'bwrap cannot create a sandbox here', why: bwrap.complaint, fix });
      }
      return openSession(bwrap, input, run);
    },
  );
}

/** Is it installed, does it work, and does it keep its promises? Never rejects. */
async function probeBwrap(input: IsolationInput): Promise<Probe> {
  const { env } = input;
  const isLinux = process.platform === 'linux';
  const bwrap = isLinux ? await findBwrap(env['PATH'], input.workspace.root) : null;
  if (bwrap === null) {
    const detail = isLinux ? 'bubblewrap is not installed' : 'bubblewrap is for Linux';
    return { available: false, detail, fix: await missingWays(env), claims: [] };
  }
  if ('complaint' in bwrap) {
    const detail = `bwrap cannot create a sandbox here: ${bwrap.complaint}`;
    return { available: false, detail, fix: await complaintWays(env), claims: [] };
  }
  const claims = await tryClaims(openBwrap, input);
  const broken = claims.filter(({ held }) => !held);
  const unlimited = await unlimitedHere(input);
  const lacking = [...unfiltered(bwrap, process.arch), ...unlimited.map((limit) => UNLIMITED[limit])];
  const detail = [`bubblewrap ${bwrap.version}`, ...lacking].join('; ');
  if (broken.length === 0) return { available: true, detail, fix: [], claims, unlimited };
  const complaint = `${detail}; this check failed: ${broken[0]?.claim}`;
  return { available: false, detail: complaint, fix: await complaintWays(env), claims, unlimited };
}

const UNLIMITED: Readonly<Record<Limit, string>> = {
  memory: 'memory is not limited here (no writable control groups, no user systemd)',
  processes: 'processes are not limited here (no writable control groups)',
};

/** The limits that cannot be held here. An ordinary user's number of processes is always limited. */
async function unlimitedHere({ policy, env }: IsolationInput): Promise<readonly Limit[]> {
  const limits = await openLimits(policy, env);
  await limits.close();
  const { memory, processes } = limits.held;
  return [
    ...(memory ? [] : ['memory' as const]),
    ...(processes || process.getuid?.() !== 0 ? [] : ['processes' as const]),
  ];
}

/**
 * Joins its limits, and keeps bwrap alive when a whole process tree is told to end: its end would kill everything inside at once, before an
 * agent could print its last words. It ends by itself when the bridge does.
 */
const PATIENT = `${JOIN}; trap '' TERM INT HUP; exec "$@"`;

/** {@link PATIENT} with the system call filter, whose file is $0: any variable may belong to the environment. */
const FILTERED = `${PATIENT} 9<"$0"`;

/**
 * Variables that the dynamic loader and the C library obey. They must not reach bwrap and its shell, which run outside:
 * one may name a library in the work tree. None is secret, so they are passed as arguments.
 */
const OF_THE_LOADER = /^(LD_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NLSPATH$|MALLOC_|BASH_ENV$|ENV$|BASH_FUNC_)/;

/** Opens the way out and inspects the machine. @throws UnavailableError */
async function openSession(bwrap: Bwrap, input: IsolationInput, run: IsolationRun): Promise<Session> {
  // bwrap passes on every file it inherits.
  closeInheritedFiles();
  const { policy, env } = input;
  const [base, masked, program, limits] = await Promise.all([
    prepareView(input),
    maskedKernelFiles(),
    realPath(process.execPath).then((node) => bridgeProgram(node, true)),
    openLimits(policy, env),
  ]);
  const gateway = await openGateway(input, run);
  const { sockets, ports } = gateway;
  const filter = await writeFilter(bwrap, gateway);
  // The folder's path is in the command lines of bwrap and the bridge.
  const letStop = keepGoing(sockets);
  // Folders in memory count as memory where memory is limited; elsewhere this value limits each of them.
  const ofMemory = Math.floor(policy.memoryBytes / 2);
  return {
    wrap: withHome(input, async (home, command) => {
      const view = await viewOf(base, home, command, sockets);
      const inside = insideEnvironment(command.env, input, view);
      const bridged = bridgeCommand({ program, sockets, ports, processes: policy.processes, command });
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
      const { prefix, doors, leave } = await limits.join();
      const patient = ['/bin/sh', '-c', ...script, ...doors, '--', bwrap.file, ...sandbox];
      const [file = '', ...args] = [...prefix, ...patient];
      // Values go through bwrap's own environment, which it passes on: every user on the host can read arguments.
      return { file, args, cwd: '/', env: Object.fromEntries(outside), end: async () => leave() };
    }),
    close: async () => {
      letStop();
      await gateway.close();
      await limits.close();
    },
  };
}

/** Written to the gateway's folder: private outside, read-only inside, and removed with the session. */
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
