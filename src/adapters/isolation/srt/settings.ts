import type { Policy } from '../port.ts';

/** What a command may touch, as srt's rules want it said. Absolute host paths. */
export interface Places {
  /** Folders whose content is not there, but for what follows. */
  readonly hidden: readonly string[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** In what is writable, and read-only all the same. */
  readonly readOnly: readonly string[];
}

/** How the network is reached. Ports of the host's loopback. */
export interface Ways {
  /** Of our own egress proxy. */
  readonly proxy: number;
  /** Of the control server; null where the command has none. */
  readonly control: number | null;
}

/**
 * The settings file for one command.
 *
 * Only the two proxies have a port of their own in Seatbelt's rules; `allowLocalBinding` opens the whole loopback. So
 * the control server passes for the SOCKS proxy, and the loopback is opened only where the person asked for a port of
 * it.
 */
export function srtSettings(places: Places, policy: Policy, ways: Ways, platform: NodeJS.Platform): object {
  return {
    network: {
      allowedDomains: policy.hosts.flatMap(portsOf),
      deniedDomains: [],
      strictAllowlist: true,
      httpProxyPort: ways.proxy,
      socksProxyPort: ways.control ?? ways.proxy,
      allowLocalBinding: policy.localPorts.length > 0,
      ...(platform === 'darwin' ? { allowUnixSockets: places.writable } : { allowAllUnixSockets: true }),
    },
    filesystem: {
      denyRead: places.hidden,
      allowRead: places.readable,
      allowWrite: places.writable,
      denyWrite: places.readOnly,
    },
  };
}

/** srt takes a host without a port for every port of it. */
function portsOf(host: string): readonly string[] {
  return /:\d+$/.test(host) ? [host] : [`${host}:443`, `${host}:80`];
}
