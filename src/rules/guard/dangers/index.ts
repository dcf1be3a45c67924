import type { GuardCategory, GuardRule } from '../api.ts';
import { cloud } from './cloud.ts';
import { containers } from './containers.ts';
import { credentials } from './credentials.ts';
import { database } from './database.ts';
import { exhaustion } from './exhaustion.ts';
import { deletion, overwriting, permissions } from './files.ts';
import { gitLocal } from './git-local.ts';
import { gitConfig, gitRemote } from './git-remote.ts';
import { familyOf } from './matching/shape.ts';
import { exfiltration, reverseShell } from './network.ts';
import { publication, supplyChain } from './packages.ts';
import { audit, persistence, privilege } from './privilege.ts';
import { streams } from './streams.ts';
import { disks, system } from './system.ts';
import { tampering } from './tampering.ts';
import { dynamic, remoteCode } from './unseen-code.ts';

/**
 * Every rule of the guard, by kind of danger. The first that matches gives the reason, so specific rules come before
 * those that only name the written place.
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

const RULES = categories.flatMap(({ rules }) =>
  rules.map((rule) => ({ rule, programs: rule.matches.programs && new Set(rule.matches.programs) })),
);

/** The rules that can apply to a program, by category: those about it, and those about any program. */
export function rulesFor(program: string): readonly GuardRule[] {
  const known = KNOWN.get(program);
  if (known !== undefined) return known;
  const family = familyOf(program);
  const concerned = RULES.filter(({ programs }) => !programs || programs.has(program) || programs.has(family));
  const rules = concerned.map(({ rule }) => rule);
  if (KNOWN.size < MOST_KNOWN) KNOWN.set(program, rules);
  return rules;
}

/** Cached results of `rulesFor`: a command is checked against a dozen rules instead of a hundred. */
const KNOWN = new Map<string, readonly GuardRule[]>();
const MOST_KNOWN = 1_000;
