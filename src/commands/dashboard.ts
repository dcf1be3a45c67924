import type { Io } from '../surfaces/terminal/io.ts';
import { type DashboardAsked, serveDashboard } from './dashboard/serve.ts';
import { isOn, portOf, type RawFlags, textOf } from './flags.ts';

/** `ralph dashboard`: serves the web dashboard until it is stopped. */
export async function dashboard(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const asked: DashboardAsked = {
    port: portOf(flags, 'port'),
    host: textOf(flags, 'host') ?? null,
    open: isOn(flags, 'open'),
    newToken: isOn(flags, 'newToken'),
    beside: isOn(flags, 'beside'),
    at: '',
  };
  return serveDashboard(asked, flags, io);
}
