import { constants, setPriority } from 'node:os';
import { openGit } from '../../adapters/git/index.ts';
import {
  knownTrees,
  listRunSummaries,
  projectAt,
  readDashboardToken,
  renewDashboardToken,
} from '../../adapters/workspace/index.ts';
import { type Env, GitRefusal, messageOf, type ProjectInfo, UsageError } from '../../contracts/index.ts';
import { startChild, systemClock } from '../../platform/index.ts';
import {
  type Catalogue,
  type Dashboard,
  type DashboardOptions,
  PAGE_FOLDER,
  proofOf,
  startDashboard,
} from '../../surfaces/dashboard/index.ts';
import { mintToken, sameToken } from '../../surfaces/server/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { version } from '../../version.ts';
import { badValue, isOn, portOf, type RawFlags, textOf } from '../shared/flags.ts';
import { configOf, openProject } from '../shared/open.ts';
import { onSignals } from '../shared/with-signals.ts';
import { operate } from '../steer/operate.ts';
import { fleetSource } from './fleet-source.ts';
import { namesOf } from './names.ts';

/** `ralph dashboard`: serves the web dashboard until it is stopped. */
export async function dashboard(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const asked: DashboardAsked = {
    port: portOf(flags, 'port'),
    host: hostOf(flags),
    open: isOn(flags, 'open'),
    newToken: isOn(flags, 'newToken'),
    beside: isOn(flags, 'beside'),
    at: '',
  };
  return serveDashboard(asked, flags, io);
}

/** An empty host, as from an unset variable, would mean every interface. @throws UsageError */
function hostOf(flags: RawFlags): string | null {
  const host = textOf(flags, 'host');
  if (host === undefined) return null;
  if (host.trim() === '') throw badValue('host', host, 'an address or a name of this machine, e.g. 127.0.0.1');
  return host.trim();
}

interface DashboardAsked {
  /** null: the configured port, or another one when that is taken. */
  readonly port: number | null;
  /** null: loopback. */
  readonly host: string | null;
  readonly open: boolean;
  readonly newToken: boolean;
  /** Beside a run: ends when its standard input ends, and has the lowest priority. */
  readonly beside: boolean;
  /** What is shown first: `#/run/<project>/<run>/replay`; empty for the overview. */
  readonly at: string;
}

/** How many ports after the wanted one are tried. */
const PORTS_TRIED = 20;
/** The lowest: watching a run must not slow it. */
const LOW_PRIORITY = constants.priority.PRIORITY_LOW;

/**
 * Serves the dashboard until a signal ends it. Where a dashboard of the same user answers already, only its address is
 * printed.
 * @throws UsageError when it cannot listen on the given address
 */
export async function serveDashboard(asked: DashboardAsked, flags: RawFlags, io: Io): Promise<number> {
  const { project, port } = await lookHere(flags, io);
  const token = (asked.newToken ? null : await readDashboardToken(io.env)) ?? (await renewDashboardToken(io.env));
  const { host, names, shown, loopback } = await namesOf(asked.host ?? '127.0.0.1');
  const listening = await listen(
    {
      host,
      names,
      token,
      version,
      operate,
      now: systemClock.now,
      pageFolder: PAGE_FOLDER,
      catalogue: catalogueOf(project, io.env),
      fleet: fleetSource(flags, io),
      openGit: (root) => openGit(root, { env: io.env, unborn: true }),
      readToken: () => readDashboardToken(io.env),
    },
    { wanted: asked.port ?? port, fixed: asked.port !== null, shown },
  );
  const address = `http://${shown}:${listening.port}/?token=${token}${asked.at}`;
  io.stdout.write(`${address}\n`);
  const { server } = listening;
  if (server === null) io.stderr.write('This dashboard is already running.\n');
  else if (!asked.beside) for (const line of advice(listening, loopback)) io.stderr.write(`${line}\n`);
  const complaint = asked.open ? await openInBrowser(address, io.env) : null;
  if (complaint !== null) io.stderr.write(`warning: no browser could be opened: ${complaint}\n`);
  if (server === null) return 0;
  if (asked.beside) lowerPriority();
  await untilStopped(asked.beside);
  await server.close();
  return 0;
}

interface Listening {
  readonly port: number;
  /** null: another process serves it. */
  readonly server: Dashboard | null;
  /** The port that another program uses. */
  readonly taken: number | null;
}

async function listen(
  options: Omit<DashboardOptions, 'port'>,
  { wanted, fixed, shown }: { readonly wanted: number; readonly fixed: boolean; readonly shown: string },
): Promise<Listening> {
  const last = fixed || wanted === 0 ? wanted : Math.min(65_535, wanted + PORTS_TRIED);
  for (let port = wanted; ; port += 1) {
    try {
      const server = await startDashboard({ ...options, port });
      return { port: server.port, server, taken: port === wanted ? null : wanted };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      if (code === 'EADDRINUSE' && (await isOurs(shown, port, options.token)))
        return { port, server: null, taken: null };
      if (code !== 'EADDRINUSE' || port >= last) throw cannotListen(options.host, port, code);
    }
  }
}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port',
  EACCES: 'this port needs administrator rights',
  EADDRNOTAVAIL: 'this machine has no such address',
  EINVAL: 'this is not an address to listen on',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'this host name cannot be resolved',
};
/** Errors that another port does not solve. */
const OF_THE_HOST: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN']);

function cannotListen(host: string, port: number, code: string): UsageError {
  return new UsageError({
    what: 'the dashboard cannot listen there',
    where: `${host} port ${port}`,
    why: WHY[code] ?? code,
    fix: [
      OF_THE_HOST.has(code)
        ? '--host takes an address of this machine; without it the dashboard is on 127.0.0.1'
        : 'choose another port: `ralph dashboard --port 0` picks a free one',
    ],
  });
}

function advice({ port, taken }: Listening, loopback: boolean): readonly string[] {
  return [
    ...(taken === null ? [] : [`Port ${taken} is in use; using ${port}.`]),
    'This address gives control over your runs: keep it secret. Ctrl-C stops the dashboard, not the runs.',
    ...(loopback ? [] : EXPOSED),
  ];
}

const EXPOSED: readonly string[] = [
  'WARNING: others on the network can reach this dashboard, and its traffic, token included, is not encrypted.',
  'Better: leave it on loopback and use `ssh -L 4747:127.0.0.1:4747 HOST`, or put a TLS proxy in front of it.',
];

function lowerPriority(): void {
  try {
    setPriority(LOW_PRIORITY);
  } catch {
    // Where the system does not allow it, the dashboard runs at normal priority.
  }
}

const PORT = 4747;
/** Per project, newest first; older runs are opened by their address. */
const RUNS_SHOWN = 30;

/** @throws GitRefusal when the named project is not one, FileProblemsError and ConfigError as for every command */
async function lookHere(flags: RawFlags, io: Io) {
  try {
    const git = await openProject(flags, io);
    const { config } = await configOf(git, io);
    const project = projectAt({ root: git.repo.root, repository: git.repo.commonDir });
    return { project, port: config.dashboard.port };
  } catch (error) {
    // The dashboard covers the whole machine, so it starts in any folder.
    if (!(error instanceof GitRefusal) || textOf(flags, 'projectDir') !== undefined) throw error;
    return { project: null, port: PORT };
  }
}

/** This project, and every project in which runs were started. */
function catalogueOf(here: ProjectInfo | null, env: Io['env']): Catalogue {
  return {
    projects: () => knownTrees(env, here === null ? [] : [here]),
    runs: (project) => listRunSummaries(project, { limit: RUNS_SHOWN }),
  };
}

const PATIENCE_MS = 2_000;

/**
 * Whether a dashboard with this token answers on a port. It has to prove that: the token itself must not be sent to an
 * unknown program.
 * @param host as written in an address
 */
async function isOurs(host: string, port: number, token: string): Promise<boolean> {
  const challenge = mintToken();
  try {
    const answer = await fetch(`http://${host}:${port}/proof?challenge=${challenge}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    // Our answer is short; another program may send without end.
    const said = answer.ok && Number(answer.headers.get('content-length')) < 1_000 ? await answer.json() : null;
    const { proof } = (said ?? {}) as { readonly proof?: unknown };
    return typeof proof === 'string' && sameToken(proof, proofOf(token, port, challenge));
  } catch {
    return false;
  }
}

const OPENERS: Readonly<Record<string, readonly [file: string, ...args: string[]]>> = {
  darwin: ['open'],
  // `start` takes its first quoted argument for a title; this needs no shell.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** @returns why it could not be opened; null when the browser was started */
async function openInBrowser(address: string, env: Env) {
  const [file, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  try {
    const child = await startChild(file, [...args, address], { cwd: '/', env, stdio: 'ignore', detached: true });
    child.unref();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Resolves at the first signal that asks to end or, beside another process, when standard input ends: that happens
 * however the other process dies.
 */
function untilStopped(beside: boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      stopListening();
      process.stdin.destroy();
      resolve();
    };
    const stopListening = onSignals(stop);
    if (beside) process.stdin.once('end', stop).once('error', stop).resume();
  });
}
