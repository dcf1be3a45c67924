import type { GuardRules } from '../api.ts';
import { cloud, containers } from './cloud.ts';
import { credentials } from './credentials.ts';
import { database } from './database.ts';
import { deletion, overwriting, permissions } from './files.ts';
import { gitLocal } from './git-local.ts';
import { gitConfig, gitRemote } from './git-remote.ts';
import { exfiltration, reverseShell } from './network.ts';
import { publication, supplyChain } from './packages.ts';
import { audit, persistence, privilege } from './privilege.ts';
import { streams } from './streams.ts';
import { disks, exhaustion, system } from './system.ts';
import { tampering } from './tampering.ts';
import { dynamic, remoteCode } from './unseen-code.ts';

/**
 * Every rule of the guard, by kind of danger. The first that matches gives the reason, so specific rules come before
 * those that only name the written place.
 */
export const categories: readonly { readonly title: string; readonly rules: GuardRules }[] = [
  { title: 'Tampering with the loop and its guard', rules: tampering },
  { title: 'Other streams, and the project that a stream belongs to', rules: streams },
  { title: 'Pushing, merging and remote repositories', rules: gitRemote },
  { title: 'Destroying local history or uncommitted work', rules: gitLocal },
  { title: 'Settings by which git runs other programs', rules: gitConfig },
  { title: 'Disks, file systems, raw devices', rules: disks },
  { title: 'Processes and the running system', rules: system },
  { title: 'Exhausting the machine', rules: exhaustion },
  { title: 'Remote shells and tunnels', rules: reverseShell },
  { title: 'Running unread code', rules: remoteCode },
  { title: 'Sending data away', rules: exfiltration },
  { title: 'Keys, tokens and other secrets', rules: credentials },
  { title: 'Removing traces', rules: audit },
  { title: 'Scheduled code', rules: persistence },
  { title: 'Deleting files and folders', rules: deletion },
  { title: 'Overwriting and moving files', rules: overwriting },
  { title: 'Permissions and ownership', rules: permissions },
  { title: 'Cloud and infrastructure', rules: cloud },
  { title: 'Databases', rules: database },
  { title: 'Containers', rules: containers },
  { title: 'Publishing', rules: publication },
  { title: 'Where dependencies come from', rules: supplyChain },
  { title: "Other users' rights", rules: privilege },
  { title: 'Hidden commands', rules: dynamic },
];
