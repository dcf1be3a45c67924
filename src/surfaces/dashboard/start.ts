import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { MetricRun } from '../../adapters/notify/index.ts';
import type { Operate } from '../../contracts/index.ts';
import { isLive } from '../../rules/view/index.ts';
import { closeServer, listen, mintToken } from '../server/index.ts';
import { dashboardApp, readPage } from './app.ts';
import { openDoor, openKeyRing } from './door.ts';
import { type FleetFeed, type FleetSource, openFleet } from './fleet.ts';
import { type Catalogue, type OverviewFeed, openOverview } from './overview.ts';
import { openSeats } from './requests.ts';
import { openRunAnswers, type RunAnswers, type RunTools } from './run-answers.ts';

export interface DashboardOptions extends RunTools {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** The names it answers to, in lower case; IPv6 addresses with their brackets. */
  readonly names: readonly string[];
  readonly token: string;
  /** Reads the stored token again. */
  readonly readToken: () => Promise<string | null>;
  readonly catalogue: Catalogue;
  readonly operate: Operate;
  readonly fleet: FleetSource | null;
  readonly pageFolder: string;
  /** Shorter ones are for tests. */
  readonly timeouts?: Partial<typeof TIMEOUTS>;
}

export interface Dashboard {
  readonly port: number;
  /** Closes at once, even with open streams. Safe to call twice. */
  readonly close: () => Promise<void>;
}

const HEARTBEAT_MS = 15_000;
const TOKEN_EVERY_MS = 1_000;
/** Open connections, streams included; further ones are closed at once. */
const MOST_CONNECTIONS = 1_024;

const TIMEOUTS = {
  /** Time until a request's headers, and all of it, have arrived. */
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 2_000,
};

/**
 * Starts the dashboard's server.
 * @throws Node's error when the port is not available, Error when the page is missing from this installation
 */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { catalogue, now, version } = options;
  const page = await readPage(options.pageFolder);
  const server = createServer({ ...TIMEOUTS, ...options.timeouts });
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listen(server, options.port, options.host);
  // Streams opened with the previous token end with it.
  const seats = openSeats();
  const ring = openKeyRing(options.token, options.readToken, seats.clear);
  const overview = openOverview({ server: mintToken().slice(0, 12), version }, catalogue);
  const runs = openRunAnswers(options);
  const fleet = openFleet(options.fleet, now);
  const app = dashboardApp({
    ...options,
    ring,
    door: openDoor(ring, port, now),
    page,
    overview,
    fleet,
    runs,
    metrics: () => gatherMetrics(overview, runs, fleet),
    seats,
  });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  server.on('request', (incoming, outgoing) => {
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) outgoing.setHeader(name, value);
    void answer(incoming, outgoing);
  });
  const timers = [
    setInterval(() => {
      overview.beat();
      runs.beat();
    }, HEARTBEAT_MS),
    setInterval(() => void ring.refresh().catch(() => {}), TOKEN_EVERY_MS),
  ];
  return {
    port,
    async close() {
      for (const timer of timers) clearInterval(timer);
      overview.close();
      await Promise.all([closeServer(server), runs.close(), fleet.close()]);
    },
  };
}

/** On every answer, errors included. No CORS: no page of another origin may read anything. */
const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The live runs and the last one of each project, in Prometheus form. */
async function gatherMetrics(
  overview: OverviewFeed,
  runs: Pick<RunAnswers, 'view'>,
  fleet: Pick<FleetFeed, 'look'>,
): Promise<{ readonly type: string; readonly text: string }> {
  const { projects, runs: summaries } = await overview.look();
  const found: MetricRun[] = [];
  for (const project of projects) {
    const own = summaries.filter((summary) => summary.project === project.id);
    const shown = own.filter(({ state }, at) => at === 0 || isLive(state));
    for (const { run, state } of shown) {
      const view = await runs.view({ project, run }).catch(() => null);
      if (view !== null) found.push({ project, state, view });
    }
  }
  // Most dashboards are never asked for metrics.
  const { renderMetrics } = await import('../../adapters/notify/metrics.ts');
  return renderMetrics(found, await fleet.look());
}
