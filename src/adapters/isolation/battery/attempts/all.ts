import type { Attempt, Uncategorized } from '../attempt.ts';
import { DESTRUCTION, FILES, PROTECTED } from './files.ts';
import { AFTERWARDS, GIT } from './git.ts';
import { CONTROL, NETWORK, SOCKETS } from './network.ts';
import { LIMITS, PROCESSES } from './processes.ts';
import { PROXY } from './proxy.ts';
import { HOMES, READING } from './reading.ts';
import { DEVICES, KERNEL, PRIVILEGES } from './system.ts';

/** By category, in the order of the printed table. */
const TABLE: Readonly<Record<string, readonly Uncategorized[]>> = {
  files: FILES,
  reading: READING,
  'home folders': HOMES,
  processes: PROCESSES,
  sockets: SOCKETS,
  'control server': CONTROL,
  network: NETWORK,
  'egress proxy': PROXY,
  'protected files': PROTECTED,
  git: GIT,
  'afterwards: what the host does with the tree': AFTERWARDS,
  devices: DEVICES,
  privileges: PRIVILEGES,
  kernel: KERNEL,
  limits: LIMITS,
  destruction: DESTRUCTION,
};

/** Every attempt. */
export const ATTEMPTS: readonly Attempt[] = Object.entries(TABLE).flatMap(([category, attempts]) =>
  attempts.map((attempt) => ({ ...attempt, category })),
);
