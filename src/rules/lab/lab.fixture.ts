import type { DroppedCommit, LabArm, LabResult, LabTask } from './model.ts';

const AT = '2026-01-02T03:04:05.000Z';

export function aTask(id: string, more: Partial<LabTask> = {}): LabTask {
  return {
    id,
    ...{
      commit: id.padEnd(40, '0'),
      parent: id.padEnd(40, '1'),
      before: id.padEnd(40, '2'),
      after: id.padEnd(40, '3'),
    },
    story: { title: `Task ${id}`, description: '', acceptanceCriteria: [] },
    tests: ['a.test.js'],
    files: ['a.js'],
    size: { files: 1, added: 8, removed: 2 },
    checks: [{ command: 'npm test', greenBefore: true }],
    judgeSeconds: 2,
    minedAt: AT,
    ...more,
  };
}

export function anArm(name: string, more: Partial<LabArm> = {}): LabArm {
  const [agent = '', model = null] = name.split(':');
  return { name, agent, model, prompt: 'default', review: true, ...more };
}

export function aResult(
  task: string,
  arm: LabArm,
  outcome: LabResult['outcome'],
  more: Partial<LabResult> = {},
): LabResult {
  return {
    ...{ task, arm, repeat: 1, outcome },
    reason: outcome === 'solved' ? 'the hidden tests pass' : 'the hidden tests fail: `npm test` exited with 1',
    hiddenPassed: outcome === 'error' ? null : outcome === 'solved',
    broke: [],
    diff: { files: 1, added: 10, removed: 5 },
    ...{ iterations: 2, tokens: 50_000, costUsd: 0.5, seconds: 90, sentBack: 1 },
    folder: `attempts/${task}/${arm.agent}-1`,
    ...{ startedAt: AT, endedAt: AT, ralph: '0.1.0' },
    ...more,
  };
}

/** A lab of tasks 1 to `n`: each arm solves those that its list names; what it costs is that of an attempt. */
export function aLab(
  n: number,
  arms: readonly { readonly arm: LabArm; readonly solves: readonly number[]; readonly costUsd?: number | null }[],
) {
  const ids = Array.from({ length: n }, (_, i) => `t${i + 1}`);
  const dropped: readonly DroppedCommit[] = [
    { commit: 'a'.repeat(40), title: 'Update README', reason: 'no tests', detail: null },
    { commit: 'b'.repeat(40), title: 'Bump deps', reason: 'no tests', detail: null },
    { commit: 'c'.repeat(40), title: 'Retry uploads', reason: 'flaky', detail: '2 of 3 repetitions failed' },
  ];
  return {
    tasks: ids.map((id) => aTask(id)),
    dropped,
    results: ids.flatMap((id, i) =>
      arms.map(({ arm, solves, costUsd = 0.5 }) =>
        aResult(id, arm, solves.includes(i + 1) ? 'solved' : 'unsolved', { costUsd }),
      ),
    ),
  };
}

/** The numbers from `from` to `to`. */
export function upTo(to: number, from = 1): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
