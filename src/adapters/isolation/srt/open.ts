import { join } from 'node:path';
import { UnavailableError } from '../../../contracts/index.ts';
import { makeDir, makeTempDir, remove, runCommand, writeAtomic } from '../../../platform/index.ts';
import { tryClaims } from '../battery/canary.ts';
import { openGateway } from '../gateway/open.ts';
import type { Env, Isolation, IsolationInput, IsolationRun, Probe } from '../port.ts';
import { type Session, withHome, withSession } from '../session.ts';
import { findFile } from '../view/programs.ts';
import { basePlaces, environmentInside, insideScript, placesFor, srtSettings } from './settings.ts';

/**
 * Where ports of the gateway are relayed into the sandbox. Seatbelt's rules, as srt writes them for macOS, open two ports
 * only, for the proxy and for the control server: none is left for the credentials.
 */
const LINUX = process.platform === 'linux';

/**
 * `@anthropic-ai/sandbox-runtime`: macOS's Seatbelt, and bubblewrap on Linux. It hides folders rather than showing
 * selected ones, does not limit memory or processes, and reveals the names of the host's processes on macOS.
 */
export function openSrt(input: IsolationInput): Isolation {
  const { lending } = input.policy;
  const lent = (LINUX && lending?.lent) || [];
  return withSession({ name: 'srt', coversGitDir: false, lent, probe: () => probeSrt(input) }, async (run) => {
    const srt = await findSrt(input.env, input.workspace.root);
    if ('problem' in srt) throw new UnavailableError({ what: srt.problem, fix: srt.fix });
    return openSession(srt.file, input, run);
  });
}

async function probeSrt(input: IsolationInput): Promise<Probe> {
  const srt = await findSrt(input.env, input.workspace.root);
  if ('problem' in srt) return { available: false, detail: srt.problem, fix: srt.fix, claims: [] };
  const claims = await tryClaims(openSrt, input);
  const broken = claims.find(({ held }) => !held);
  const detail = [
    `srt ${srt.version}`,
    ...(broken ? [`this check failed: ${broken.claim} (${broken.detail})`] : []),
    'memory and processes are not limited',
    ...(input.policy.localPorts.length > 0 ? ["isolation.localPorts opens all of this machine's loopback"] : []),
  ].join('; ');
  return { available: broken === undefined, detail, fix: [], claims, unlimited: ['memory', 'processes'] };
}

/** Opens the way out, and a folder for settings and temporary files. @param srt its program */
async function openSession(srt: string, input: IsolationInput, run: IsolationRun): Promise<Session> {
  const { policy } = input;
  const folder = await makeTempDir('ralph-srt-');
  const temp = join(folder, 'tmp');
  // For srt's own sockets, which must be visible inside: the system's temp folder is hidden.
  const own = join(folder, 'srt');
  for (const each of [temp, own]) await makeDir(each);
  // A loopback port is the only way out that srt supports.
  const { lending, ...withKeys } = policy;
  const gateway = await openGateway({ ...input, policy: LINUX ? policy : withKeys }, run, { onLoopback: true });
  const read = [...policy.read, own, ...(LINUX ? [gateway.sockets] : [])];
  const base = await basePlaces({ ...input, policy: { ...policy, read } }, temp);
  const ways = { proxy: gateway.port, control: run.localPorts[0] ?? null };
  let wraps = 0;

  return {
    wrap: withHome(input, async (home, command) => {
      wraps += 1;
      const file = join(folder, `settings-${wraps}.json`);
      const places = await placesFor(base, home, command);
      const settings = srtSettings(places, policy, ways, process.platform);
      await writeAtomic(file, JSON.stringify(settings), { fsync: false, mode: 0o600 });
      const relays = { folder: gateway.sockets, ports: LINUX ? gateway.ports : [] };
      const script = insideScript({ platform: process.platform, proxy: gateway.port, temp, relays });
      return {
        file: srt,
        args: ['--settings', file, '--', '/bin/sh', '-c', script, 'sh', command.file, ...command.args],
        cwd: command.cwd,
        env: { ...environmentInside(command.env, base, home, places), TMPDIR: own },
        end: () => remove(file).catch(() => {}),
      };
    }),
    close: async () => {
      await gateway.close();
      await remove(folder).catch(() => {});
    },
  };
}

/** Time limit for a Node program's `--version` on a busy machine. */
const PATIENCE_MS = 20_000;

/** srt's own helpers on Linux, and the packages that contain them on every distribution. */
const HELPERS: readonly (readonly [program: string, packaged: string])[] = [
  ['bwrap', 'bubblewrap'],
  ['socat', 'socat'],
  ['rg', 'ripgrep'],
];

type FoundSrt =
  | { readonly file: string; readonly version: string }
  | { readonly problem: string; readonly fix: readonly string[] };

const INSTALL = 'npm install -g @anthropic-ai/sandbox-runtime (it needs Node 22.12 or newer)';

/** Looks for srt on PATH, and asks for its version. */
async function findSrt(env: Env, cwd: string): Promise<FoundSrt> {
  if (process.platform !== 'darwin' && process.platform !== 'linux') {
    return { problem: `srt is for macOS and Linux, not for ${process.platform}`, fix: [] };
  }
  const file = await findFile('srt', cwd, env['PATH']);
  if (file === null) return { problem: 'srt is not installed', fix: [INSTALL] };
  const missing = process.platform === 'linux' ? await missingHelpers(env, cwd) : [];
  if (missing.length > 0) {
    return { problem: `srt needs ${missing.join(', ')}`, fix: [`install the packages: ${missing.join(' ')}`] };
  }
  const { exitCode, stdout, stderr } = await runCommand(file, ['--version'], { cwd, env, timeoutMs: PATIENCE_MS });
  const version = /^\d+\.\d+\.\d+\S*/m.exec(stdout.toString('utf8'))?.[0];
  if (exitCode === 0 && version !== undefined) return { file, version };
  const complaint = stderr
    .toString('utf8')
    .trim()
    .split('\n')
    .find((line) => /error|require/i.test(line));
  return { problem: `srt --version failed: ${complaint?.trim() ?? `exit ${exitCode}`}`, fix: [INSTALL] };
}

async function missingHelpers(env: Env, cwd: string): Promise<readonly string[]> {
  const found = await Promise.all(HELPERS.map(([program]) => findFile(program, cwd, env['PATH'])));
  return HELPERS.flatMap(([, packaged], i) => (found[i] === null ? [packaged] : []));
}
