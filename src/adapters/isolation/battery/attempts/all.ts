import type { Attempt } from '../attempt.ts';
import { DESTRUCTION, FILES, PROTECTED } from './files.ts';
import { GIT, PROGRAMS } from './git.ts';
import { CONTROL, NETWORK, SOCKETS } from './network.ts';
import { LIMITS, PROCESSES } from './processes.ts';
import { PROXY } from './proxy.ts';
import { HOMES, READING } from './reading.ts';
import { SYSTEM } from './system.ts';

/** Every attempt, in the order of the printed table. */
export const ATTEMPTS: readonly Attempt[] = [
  ...FILES,
  ...READING,
  ...HOMES,
  ...PROCESSES,
  ...SOCKETS,
  ...CONTROL,
  ...NETWORK,
  ...PROXY,
  ...PROTECTED,
  ...GIT,
  ...PROGRAMS,
  ...SYSTEM,
  ...LIMITS,
  ...DESTRUCTION,
];
