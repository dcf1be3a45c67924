import { isWithin, normalPath } from '../view/paths.ts';
import type { BasePlaces } from './places.ts';
import type { Places } from './settings.ts';

/** The person's proxies and sockets of the person's session: none of them can be reached. */
const OF_THE_HOST = /^((https?|ftp|all|no)_proxy|ssh_auth_sock|ssh_agent_pid|dbus_session_bus_address|docker_host)$/i;

/**
 * The environment of a command as it holds inside. The home folder is another one, not another folder at the same place;
 * variables that name a place in the person's own home which is not there are dropped.
 */
export function environmentInside(
  env: Readonly<Record<string, string>>,
  { home }: Pick<BasePlaces, 'home'>,
  folder: string,
  { readable, writable }: Pick<Places, 'readable' | 'writable'>,
): Readonly<Record<string, string>> {
  const isHidden = (value: string) => {
    // A list of folders (PATH) stays whole: what is not there is passed over.
    const path = value.includes(':') ? null : normalPath(value);
    if (path === null || !isWithin(path, home)) return false;
    return ![...readable, ...writable].some((place) => isWithin(path, place));
  };
  const kept = Object.entries(env).filter(([name, value]) => !OF_THE_HOST.test(name) && !isHidden(value));
  return { ...Object.fromEntries(kept), HOME: folder, IS_SANDBOX: '1' };
}
