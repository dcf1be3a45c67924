import type { GuardCategory } from '../api.ts';
import { audit } from './audit.ts';
import { cloud } from './cloud.ts';
import { containers } from './containers.ts';
import { credentials } from './credentials.ts';
import { database } from './database.ts';
import { deletion } from './deletion.ts';
import { disks } from './disks.ts';
import { dynamic } from './dynamic.ts';
import { exfiltration } from './exfiltration.ts';
import { exhaustion } from './exhaustion.ts';
import { gitConfig } from './git-config.ts';
import { gitLocal } from './git-local.ts';
import { gitRemote } from './git-remote.ts';
import { overwriting } from './overwriting.ts';
import { permissions } from './permissions.ts';
import { persistence } from './persistence.ts';
import { privilege } from './privilege.ts';
import { publication } from './publication.ts';
import { remoteCode } from './remote-code.ts';
import { reverseShell } from './reverse-shell.ts';
import { streams } from './streams.ts';
import { supplyChain } from './supply-chain.ts';
import { system } from './system.ts';
import { tampering } from './tampering.ts';

/**
 * Every rule of the guard, by kind of danger. The first that matches names the reason, so the particular ones come
 * before those that only say where something is written.
 */
export const categories: readonly GuardCategory[] = [
  tampering,
  streams,
  gitRemote,
  gitLocal,
  gitConfig,
  disks,
  system,
  exhaustion,
  reverseShell,
  remoteCode,
  exfiltration,
  credentials,
  audit,
  persistence,
  deletion,
  overwriting,
  permissions,
  cloud,
  database,
  containers,
  publication,
  supplyChain,
  privilege,
  dynamic,
];
