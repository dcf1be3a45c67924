import type { Switch } from '../switch.ts';

const VERDICT = 'src/rules/safeguards/verdict.ts';
const AGENT_END = 'src/rules/safeguards/agent-end.ts';
const SETTLE = 'src/loop/settle.ts';
const ITERATION = 'src/loop/iteration.ts';
const PUT_BACK = 'src/loop/judge/put-back.ts';
const BACKLOG = 'src/rules/backlog/judge.ts';
const BREAKER = 'src/rules/safeguards/breaker.ts';
const STEP = 'src/loop/agent/agent-step.ts';

/** What the loop itself holds, whatever isolates. */
export const LOOP: readonly Switch[] = [
  {
    name: 'a verdict for nothing done',
    edits: [
      {
        file: VERDICT,
        from: "  if (!input.changedOutsideLog) return noProgress('nothing was changed and nothing was claimed');\n",
        to: '',
      },
    ],
    selftest: ['does-nothing', 'says-limit-in-text', 'deletes-state-folder'],
  },
  {
    name: "the checks of the story's own",
    edits: [
      {
        file: SETTLE,
        from: 'ownFailures: red.filter((check) => own.has(check.command)),',
        to: 'ownFailures: red.filter((check) => own.has(check.command) && own.size > 99),',
      },
    ],
    selftest: [
      'claims-complete-at-once',
      'same-error-again-and-again',
      'approves-without-running-anything',
      'deletes-criteria',
      'weakens-checks',
    ],
  },
  {
    name: 'reading a promise as it is meant',
    edits: [
      {
        file: 'src/rules/analysis/promise.ts',
        from: '  if (!tagged.includes(TAG)) return false;\n',
        to: "  if (tagged.includes('<promise>') || tagged.includes(TAG)) return true;\n",
      },
    ],
    selftest: ['promise-in-a-sentence', 'promise-in-code-block'],
  },
  {
    name: 'telling a promise that came too early',
    edits: [
      {
        file: 'src/loop/conclude.ts',
        from: '  if (line.falseCompletion) {',
        to: '  if (line.falseCompletion === -1) {',
      },
    ],
    selftest: ['promise-for-real'],
  },
  {
    name: 'a look at how an agent ended',
    edits: [
      {
        file: AGENT_END,
        from: "  if (result.ok) return 'ok';",
        to: "  if (result.ok || result.exitCode !== -1) return 'ok';",
      },
    ],
    selftest: ['always-fails', 'dies-by-signal', 'real-limit-event', 'limit-with-reset', 'loses-its-login'],
  },
  {
    name: 'trying again after an empty answer',
    edits: [
      {
        file: STEP,
        from: "const TRANSIENT = new Set(['empty', 'network']);",
        to: "const TRANSIENT = new Set(['nothing']);",
      },
    ],
    selftest: ['empty-answer'],
  },
  {
    name: 'budgets while an agent works',
    edits: [{ file: 'src/loop/agent/budget-watch.ts', from: "    if (overrun) stop.abort('budget');\n", to: '' }],
    selftest: ['spends-too-much'],
  },
  {
    name: 'limits of time',
    edits: [
      {
        file: STEP,
        from: '        timeoutMs: config.timeoutMs,\n        idleTimeoutMs: config.idleTimeoutMs,\n        signal:',
        to: '        timeoutMs: 90_000,\n        idleTimeoutMs: 90_000,\n        signal:',
      },
    ],
    selftest: ['hangs-silently', 'never-ends', 'ignores-sigterm'],
  },
  {
    name: 'sweeping what an agent left running',
    edits: [
      {
        file: 'src/platform/process/supervise.ts',
        from: '      await killFamily(family, { graceMs }, await leftovers);\n',
        to: '      if (root !== undefined) await killFamily(family, { graceMs }, await leftovers);\n',
      },
      { file: 'src/platform/process/supervise.ts', from: '      warden.release();\n    },', to: '    },' },
    ],
    selftest: ['leaves-background-child', 'leaves-detached-child', 'leaves-deaf-child'],
  },
  {
    name: 'refusing commands inside an agent',
    edits: [
      {
        file: 'src/commands/shared/refuse-inside-agent.ts',
        from: '  if (!run) return;',
        to: "  if (run !== 'nobody') return;",
      },
    ],
    selftest: ['runs-ralph'],
  },
  {
    name: "judging the agent's backlog",
    edits: [
      {
        file: BACKLOG,
        from: '  const violations = withoutRepeats([...transitions, ...invariants.violations]);',
        to: '  const violations = withoutRepeats([...transitions, ...invariants.violations]).slice(99);',
      },
      { file: BACKLOG, from: 'violations: [...violations, ...legal.violations],', to: 'violations,' },
    ],
    selftest: ['approves-itself', 'marks-another-story', 'deletes-criteria', 'deletes-stories', 'weakens-checks'],
  },
  {
    name: 'putting protected files back',
    edits: [
      {
        file: SETTLE,
        from: '  const restored = await restoreProtected(context, ended);',
        to: '  const restored = { rescue: null, tree: ended.after.tree, violations: [] };',
      },
    ],
    selftest: ['deletes-spec-folder', 'corrupts-backlog'],
  },
  {
    name: 'a look at weakened tests',
    edits: [
      {
        file: SETTLE,
        from: "header.mode === 'review' ? [] : await tamperingIn(context, ended, work)",
        to: 'header.mode.length > 0 ? [] : await tamperingIn(context, ended, work)',
      },
    ],
    selftest: ['deletes-tests', 'skips-tests'],
  },
  {
    name: 'reviews that change nothing',
    edits: [
      {
        file: SETTLE,
        from: "reviewTouchedCode: header.mode === 'review' &&",
        to: "reviewTouchedCode: header.mode !== 'review' &&",
      },
    ],
    selftest: ['reviews-and-fixes-in-one-go'],
  },
  {
    name: 'holding what was green',
    edits: [
      {
        file: SETTLE,
        from: 'regressions: red.filter((check) => green.has(check.command)),',
        to: 'regressions: red.filter((check) => green.has(check.command) && green.size > 99),',
      },
    ],
    selftest: ['commits-broken-code-without-hooks'],
  },
  {
    name: 'an address that nothing is pushed to',
    edits: [
      { file: 'src/adapters/agents/environment.ts', from: "  ['url.ralph-no-push:.pushInsteadOf', ''],\n", to: '' },
    ],
    selftest: ['pushes'],
  },
  {
    name: "putting git's settings back",
    edits: [
      {
        file: ITERATION,
        from: '...(await putTrustBack(context, trust))',
        to: '...(trust ? [] : await putTrustBack(context, trust))',
      },
    ],
    selftest: ['plants-git-hooks'],
  },
  {
    name: "holding the loop's own records",
    edits: [
      {
        file: ITERATION,
        from: 'const stateChanges = await guard.putBack();',
        to: 'const stateChanges: readonly string[] = [];',
      },
    ],
    selftest: ['deletes-loop-state', 'forges-ledger'],
  },
];
