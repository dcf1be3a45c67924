import { constants, setPriority } from 'node:os';
import { readDashboardToken, renewDashboardToken } from '../../adapters/workspace/records/dashboard-file.ts';
import { UsageError } from '../../contracts/errors.ts';
import { systemClock } from '../../platform/clock.ts';
import { PAGE_FOLDER } from '../../surfaces/dashboard/page.ts';
import { type Dashboard, type DashboardOptions, startDashboard } from '../../surfaces/dashboard/start.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { version } from '../../version.ts';
import type { RawFlags } from '../shared/flags.ts';
import { operate } from '../steer/operate.ts';
import { fleetSource } from './fleet-source.ts';
import { catalogueOf, lookHere, toolsOf } from './here.ts';
import { isOurs } from './is-ours.ts';
import { namesOf } from './names.ts';
import { openInBrowser } from './open-browser.ts';
import { untilStopped } from './until-stopped.ts';

export interface DashboardAsked {
  /** null: that of the configuration, or another one when that is taken. */
  readonly port: number | null;
  /** null: loopback. */
  readonly host: string | null;
  readonly open: boolean;
  readonly newToken: boolean;
  /** Beside a run: ends when its standard input does, and steps back before everything else. */
  readonly beside: boolean;
  /** What is shown first: `#/run/<project>/<run>/replay`; empty for the overview. */
  readonly at: string;
}

/** Ports after the wanted one that are tried. */
const PORTS_TRIED = 20;
/** The lowest: whoever watches must not slow what they watch. */
const LOW_PRIORITY = constants.priority.PRIORITY_LOW;

/**
 * Serves the dashboard until a signal ends it. Where one of the same person answers already, its address is printed
 * and that is all.
 * @throws UsageError when it cannot listen where it was told to
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
      ...toolsOf(io.env),
    },
    { wanted: asked.port ?? port, fixed: asked.port !== null, shown },
  );
  const address = `http://${shown}:${listening.port}/?token=${token}${asked.at}`;
  io.stdout.write(`${address}\n`);
  const { server } = listening;
  if (server === null) io.stderr.write('This dashboard is running already.\n');
  else if (!asked.beside) for (const line of advice(listening, loopback)) io.stderr.write(`${line}\n`);
  if (asked.open) await open(address, io);
  if (server === null) return 0;
  if (asked.beside) stepBack();
  await untilStopped(asked.beside);
  await server.close();
  return 0;
}

interface Listening {
  readonly port: number;
  /** null: another process serves it. */
  readonly server: Dashboard | null;
  /** The port that another program has. */
  readonly taken: number | null;
}

interface Where {
  readonly wanted: number;
  readonly fixed: boolean;
  readonly shown: string;
}

async function listen(options: Omit<DashboardOptions, 'port'>, { wanted, fixed, shown }: Where): Promise<Listening> {
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
  EADDRINUSE: 'another program has this port',
  EACCES: 'this port is for the administrator',
  EADDRNOTAVAIL: 'this machine has no such address',
  EINVAL: 'this is no address to listen on',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of this host cannot be looked up',
};
/** What another port does not help against. */
const OF_THE_HOST: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN']);

function cannotListen(host: string, port: number, code: string): UsageError {
  return new UsageError({
    what: 'the dashboard cannot listen there',
    where: `${host} port ${port}`,
    why: WHY[code] ?? code,
    mend: [
      OF_THE_HOST.has(code)
        ? '--host takes an address of this machine; without it the dashboard is on 127.0.0.1'
        : 'choose another port: `ralph dashboard --port 0` takes a free one',
    ],
  });
}

function advice({ port, taken }: Listening, loopback: boolean): readonly string[] {
  return [
    ...(taken === null ? [] : [`Another program has port ${taken}; this is ${port}.`]),
    'Whoever has this address controls your runs: keep it to yourself. Ctrl-C ends the dashboard, and no run.',
    ...(loopback ? [] : EXPOSED),
  ];
}

const EXPOSED: readonly string[] = [
  'WARNING: others on the network can reach this dashboard, and nothing is encrypted: whoever reads along gets the',
  'token. Better: leave it on loopback and use `ssh -L 4747:127.0.0.1:4747 HOST`, or a proxy with TLS before it.',
];

async function open(address: string, io: Io): Promise<void> {
  const complaint = await openInBrowser(address, io.env);
  if (complaint !== null) io.stderr.write(`warning: no browser could be opened: ${complaint}\n`);
}

function stepBack(): void {
  try {
    setPriority(LOW_PRIORITY);
  } catch {
    // Where it is not allowed the dashboard runs as everything else.
  }
}
