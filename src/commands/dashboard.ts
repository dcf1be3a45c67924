import type { Io } from '../surfaces/terminal/io.ts';
import { type DashboardAsked, serveDashboard } from './dashboard/serve.ts';
import { badValue, isOn, portOf, type RawFlags, textOf } from './shared/flags.ts';

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

/** An empty one, as of a variable that is not set, would be every interface. @throws UsageError */
function hostOf(flags: RawFlags): string | null {
  const host = textOf(flags, 'host');
  if (host === undefined) return null;
  if (host.trim() === '') throw badValue('host', host, 'an address or a name of this machine, e.g. 127.0.0.1');
  return host.trim();
}
