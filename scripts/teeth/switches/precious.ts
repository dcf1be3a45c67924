import type { Switch } from '../switch.ts';

/** The person's ignored files. */
export const PRECIOUS: readonly Switch[] = [
  {
    name: 'the care for ignored files',
    edits: [
      {
        file: 'src/loop/protect/precious.ts',
        from: '  if (precious === undefined) return;',
        to: '  if (precious === undefined || rollBack || !rollBack) return;',
      },
      {
        file: 'src/loop/protect/precious.ts',
        from: 'filter((path) => files[path]?.isSaved)',
        to: 'filter((path) => files[path] === undefined)',
      },
    ],
    selftest: ['deletes-ignored-env', 'changes-ignored-env'],
  },
  {
    name: 'untracked files that come back',
    edits: [
      {
        file: 'src/loop/apply.ts',
        from: 'if (plan.putBack) await',
        to: 'if (plan.putBack && plan.putBack.length === 0) await',
      },
    ],
    selftest: ['deletes-untracked', 'clean-ignored'],
  },
];
