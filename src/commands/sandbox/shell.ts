import {
  type Command,
  chooseIsolation,
  type Isolation,
  loginStore,
  type Refusal,
} from '../../adapters/isolation/index.ts';
import { UnavailableError } from '../../contracts/index.ts';
import { environmentFor } from '../../loop/index.ts';
import { findProgram } from '../../platform/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { type RawFlags, textOf } from '../shared/flags.ts';
import { runThere, untilInterrupted } from './foreground.ts';
import { backendNamed, type Ground, openGround } from './ground.ts';

/** Name of the guest git dir, which a run does not use. */
const GUEST = 'shell';

/**
 * `ralph sandbox shell [-- command…]`: a shell, or one command, in exactly the environment of an agent.
 * @returns its exit code
 * @throws UnavailableError where nothing isolates: a shell with all rights is not what was asked for
 */
export function sandboxShell(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return untilInterrupted((asked) => shell(args, flags, io, asked));
}

async function shell(args: readonly string[], flags: RawFlags, io: Io, asked: AbortSignal): Promise<number> {
  const ground = await openGround(flags, io);
  const isolation = await isolationFor(ground, textOf(flags, 'backend'));
  const told = new Set<string>();
  const onRefusal = ({ host, port, reason }: Refusal) => {
    const text = `${host}:${port}: ${reason}`;
    if (!told.has(text)) io.stderr.write(`ralph: refused ${oneLine(text)}\r\n`);
    told.add(text);
  };
  const git = isolation.coversGitDir ? ground.git : null;
  try {
    await isolation.prepare({ run: `shell-${process.pid}`, localPorts: [], onRefusal });
    const mounts = git ? (await git.openGuest(GUEST)).mounts : [];
    if (args.length === 0) io.stderr.write(greeting(isolation.name, loginStore(io.env), git !== null));
    return await runThere(isolation, commandFor(args, { ...ground, isolation }, io), mounts, asked);
  } finally {
    await isolation.dispose();
    await git?.removeGuest(GUEST);
  }
}

/** The named one, or the one a run would choose. */
async function isolationFor({ config, policy }: Ground, named: string | undefined): Promise<Isolation> {
  const asked = named === undefined ? {} : { backend: backendNamed(named), required: true };
  const settings = { ...config.isolation, ...asked };
  const { isolation, instead, fix } = await chooseIsolation(settings, policy.input);
  if (isolation.name !== 'none') return isolation;
  throw new UnavailableError({
    what: 'isolation is off: there is no sandbox to open a shell in',
    ...(instead.length > 0 ? { where: instead.join('; ') } : {}),
    fix: [...fix, '`ralph sandbox status` tries every backend'],
  });
}

function greeting(name: string, logins: string, hasGuest: boolean): string {
  const lines = [
    `in ${name}, as an agent would be; \`exit\` leaves`,
    `logins you make here are kept in ${logins}`,
    'everything else in this home folder is deleted when the shell exits',
    ...(hasGuest ? ['git works on a copy of .git, which is deleted when the shell exits'] : []),
  ];
  return lines.map((line) => `ralph: ${line}\n`).join('');
}

/** The environment of an agent, with the user's name for commits. */
function commandFor(
  args: readonly string[],
  { git, root, config, agents, isolation }: Ground & { readonly isolation: Isolation },
  io: Io,
): Command {
  const environment = environmentFor({ env: io.env, config, isolation }, agents);
  const cwd = io.cwd === root || io.cwd.startsWith(`${root}/`) ? io.cwd : root;
  const [file, ...rest] = args.length > 0 ? args : shellHere(io);
  return { file: file ?? 'sh', args: rest, cwd, env: { ...environment, ...git?.identity } };
}

/**
 * A sandbox has no terminal, so that no process inside can type into the user's; without one a shell has neither job
 * control nor Ctrl-C. script(1) makes one inside.
 */
function shellHere({ env, isTTY }: Io): readonly string[] {
  const shell = findProgram('bash', env['PATH']) === null ? 'sh' : 'bash';
  const hasTerminal = isTTY && process.stdin.isTTY === true;
  const hasScript = process.platform === 'linux' && findProgram('script', env['PATH']) !== null;
  return hasTerminal && hasScript ? ['script', '-qec', shell, '/dev/null'] : [shell];
}
