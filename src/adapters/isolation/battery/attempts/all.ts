import type { Attempt } from '../attempt.ts';
import { CONTROL } from './control.ts';
import { DESTRUCTION } from './destruction.ts';
import { FILES } from './files.ts';
import { GIT } from './git.ts';
import { LIMITS } from './limits.ts';
import { NETWORK } from './network.ts';
import { PROCESSES } from './processes.ts';
import { PROGRAMS } from './programs.ts';
import { PROTECTED } from './protected.ts';
import { PROXY } from './proxy.ts';
import { READING } from './reading.ts';
import { SOCKETS } from './sockets.ts';
import { SYSTEM } from './system.ts';

/** Every attempt, in the order of the table that is printed. */
export const ATTEMPTS: readonly Attempt[] = [
  ...FILES,
  ...READING,
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
