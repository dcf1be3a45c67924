import type { Socket } from 'node:net';
import type { Endpoint, HostPattern } from '../../../rules/isolation/hosts.ts';
import type { Refusal } from '../port.ts';

/** What every request is judged by. */
export interface Egress {
  readonly patterns: readonly HostPattern[];
  /** The person's environment: names the proxy that this machine is behind. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onRefusal: (refusal: Refusal) => void;
  /** Takes what comes on this connection as requests for one host: a tunnel to a plain HTTP port. */
  readonly serveTunnel: (socket: Socket, target: Endpoint) => void;
}
