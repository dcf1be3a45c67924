import type { Switch } from '../switch.ts';

const VERDICT = 'src/rules/judge/verdict.ts';
const AGENT_END = 'src/rules/judge/agent-end.ts';
const GATHER = 'src/loop/evidence/gather.ts';
const JUDGE = 'src/rules/judge/judge-iteration.ts';
const CHECKS = 'src/rules/judge/checks.ts';
const ITERATION = 'src/loop/iteration.ts';
const BACKLOG = 'src/rules/backlog/judge.ts';
const PREPARE = 'src/loop/prepare.ts';
const SUPERVISE = 'src/platform/process/run.ts';
const STEP = 'src/loop/agent/agent-step.ts';

/** What the loop itself holds, in every isolation. */
export const LOOP: readonly Switch[] = [
  {
    name: 'programs found outside of the work tree only',
    edits: [
      {
        file: 'src/surfaces/terminal/io.ts',
        from: '  leaveOutWorkTree(process.env, cwd);\n',
        to: '  void leaveOutWorkTree;\n',
      },
    ],
    selftest: ['plants-programs'],
  },
  {
    name: 'a verdict for nothing done',
    edits: [
      {
        file: VERDICT,
        from: '  if (!input.changedOutsideLog) return unproven === null ? idle(input) : noProgress(unproven);\n',
        to: '',
      },
    ],
    selftest: ['does-nothing', 'says-limit-in-text', 'deletes-state-folder'],
  },
  {
    name: "the checks of the story's own",
    edits: [
      {
        file: CHECKS,
        from: 'const ownFailures = red.filter((check) => own.has(check.command));',
        to: 'const ownFailures = red.filter((check) => own.has(check.command) && own.size > 99);',
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
        file: 'src/loop/apply.ts',
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
    edits: [{ file: 'src/loop/agent/limits.ts', from: "    if (overrun) stop.abort('budget');\n", to: '' }],
    selftest: ['spends-too-much'],
  },
  {
    name: 'limits of time',
    edits: [
      {
        file: STEP,
        from: '        timeoutMs: config.timeoutMs,\n        idleTimeoutMs: config.idleTimeoutMs,\n        signal:',
        to: '        timeoutMs: 9_000_000,\n        idleTimeoutMs: 9_000_000,\n        signal:',
      },
    ],
    selftest: ['hangs-silently', 'never-ends', 'ignores-sigterm'],
  },
  {
    name: 'sweeping what an agent left running',
    edits: [
      {
        file: SUPERVISE,
        from: '      await killFamily(family, graceMs, await leftovers);\n',
        to: '      if (root !== undefined) await killFamily(family, graceMs, await leftovers);\n',
      },
      { file: SUPERVISE, from: '      warden.release();\n    },', to: '    },' },
      { file: 'src/platform/process/run.ts', from: '\nsignal TERM\n', to: '\nexit 0\n' },
    ],
    selftest: ['leaves-background-child', 'leaves-detached-child', 'leaves-deaf-child'],
  },
  {
    name: 'refusing commands inside an agent',
    edits: [
      {
        file: 'src/commands/shared/refuse-inside-agent.ts',
        from: '  if (!run) return;',
        to: "  if (run !== 'none') return;",
      },
      {
        file: 'src/adapters/workspace/records/steering-file.ts',
        from: '  await refuseDescendants(stateDir);\n',
        to: "  if (stateDir === '') await refuseDescendants(stateDir);\n",
      },
    ],
    selftest: ['runs-ralph'],
  },
  {
    name: 'a way on from a backlog that cannot be read',
    edits: [{ file: BACKLOG, from: 'violations: [unreadable(input)]', to: 'violations: [unreadable(input)].slice(1)' }],
    selftest: ['corrupts-backlog'],
  },
  {
    name: 'limits known by the event and not by words',
    edits: [
      {
        file: AGENT_END,
        from: "  if (result.ok) return 'ok';",
        to: "  if (/usage limit/.test(result.text)) return 'limited';\n  if (result.ok) return 'ok';",
      },
    ],
    selftest: ['edits-a-file-about-rate-limits', 'says-limit-in-text'],
  },
  {
    name: 'a commit on top of what was there before',
    edits: [
      {
        file: PREPARE,
        from: 'if (byUser === null) return {};',
        to: 'if (byUser === null) return { parent: ended.after.head };',
      },
    ],
    selftest: ['rewrites-history', 'switches-branch'],
  },
  {
    name: 'ignore rules as they were',
    edits: [
      {
        file: 'src/adapters/git/prelude.ts',
        from: '\nhide_once_ignored() {\n',
        to: '\nhide_once_ignored() {\n  return 0\n',
      },
    ],
    selftest: ['loosens-gitignore'],
  },
  {
    name: 'keeping what work overwrites',
    edits: [{ file: PREPARE, from: 'await keepUsersFiles(context, ended);', to: '[];' }],
    selftest: ['overwrites-user-files'],
  },
  {
    name: 'rolling back',
    edits: [
      {
        file: JUDGE,
        from: "(decision.action === 'roll-back' && !isSpared) || leftovers ||",
        to: "(decision.action === 'roll-back' && !isSpared && header.iteration > 99) || leftovers ||",
      },
    ],
    selftest: ['deletes-user-files', 'always-fails'],
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
        file: GATHER,
        from: '  const restored = await restoreProtected(context, ended);',
        to: '  const restored = { rescue: null, tree: ended.after.tree, putBack: [] };',
      },
      // They would come back once more after the checks.
      {
        file: 'src/loop/iteration.ts',
        from: '  if (header.names !== undefined) await putBackAfterChecks(context, header.names, header, point);\n',
        to: '',
      },
    ],
    selftest: ['deletes-spec-folder'],
  },
  {
    name: 'a look at weakened tests',
    edits: [
      {
        file: GATHER,
        from: '...(await tamperingIn(context, ended, left.work))',
        to: '...(header.mode.length > 0 ? [] : await tamperingIn(context, ended, left.work))',
      },
    ],
    selftest: ['deletes-tests', 'skips-tests'],
  },
  {
    name: 'reviews that change nothing',
    edits: [
      {
        file: JUDGE,
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
        file: CHECKS,
        from: 'const regressions = red.filter((check) => green.has(check.command));',
        to: 'const regressions = red.filter((check) => green.has(check.command) && green.size > 99);',
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
        from: '...(await putTrustBack(context, trust, point))',
        to: '...(trust ? [] : await putTrustBack(context, trust, point))',
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
