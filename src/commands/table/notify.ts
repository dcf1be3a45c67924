import { type CommandSpec, json, projectDir } from './spec.ts';

/** Telling those who do not watch. */
export const notify: readonly CommandSpec[] = [
  {
    name: 'notify test',
    summary: 'send a test to every webhook, the desktop and the bell, and show what came of it',
    flags: [projectDir, json],
    examples: [['ralph notify test', 'exit 1 when something of it does not work']],
    changesState: true,
    load: async () => (await import('../notify.ts')).testNotices,
  },
  {
    name: 'notify retry',
    summary: 'send again what webhooks did not take',
    flags: [projectDir, json],
    examples: [['ralph notify retry', 'in order; exit 1 when something is left']],
    changesState: true,
    load: async () => (await import('../notify.ts')).retryNotices,
  },
];
