import { adopting, setConfig, waive } from './table/adopting.ts';
import { backlog } from './table/backlog.ts';
import { judges } from './table/judges.ts';
import { looking } from './table/looking.ts';
import { many } from './table/many.ts';
import { running } from './table/running.ts';
import { notify, seeing } from './table/seeing.ts';
import type { CommandSpec, GroupSpec } from './table/spec.ts';

export type { CommandSpec } from './table/spec.ts';

export const groups: readonly GroupSpec[] = [
  { name: 'stories', summary: 'the backlog from the shell', default: 'list' },
  { name: 'stream', summary: 'several PRDs at once, each in a worktree of its own', default: 'status' },
  { name: 'fleet', summary: 'streams on many machines', default: 'status' },
  { name: 'circuit', summary: 'the circuit breaker', default: 'status' },
  { name: 'notify', summary: 'who is told of a run that nobody watches', default: 'test' },
  { name: 'rescue', summary: 'get back what a rollback took', default: 'list' },
  { name: 'sandbox', summary: 'where agents run: what isolates here, tried for real', default: 'status' },
  { name: 'hooks', summary: 'hooks for interactive agent sessions', default: 'status' },
  { name: 'guard', summary: 'the shell guard, made inspectable', default: 'explain' },
  { name: 'verdict', summary: 'verdicts on test runs, made inspectable', default: 'explain' },
  { name: 'config', summary: 'the effective configuration and where each value came from', default: 'list' },
];

/** Every command of `ralph`, in the order of the help. Bodies load when called. */
export const commands: readonly CommandSpec[] = [
  ...running,
  ...seeing,
  ...adopting,
  ...many,
  ...backlog,
  waive,
  ...looking,
  setConfig,
  ...notify,
  ...judges,
];
