import type { Switch } from '../switch.ts';

/** What counts as work, and network failures. */
export const WORK: readonly Switch[] = [
  {
    name: 'the refusal of a claim without any change',
    edits: [
      {
        file: 'src/rules/backlog/claims.ts',
        from: "  if (shown === null || shown.evidence.length === 0) return 'no evidence says that it was done before';",
        to: '  if (shown === null) return null;',
      },
    ],
    selftest: ['claims-complete-without-checks'],
  },
  {
    name: 'a look at the evidence of what was done before',
    edits: [
      {
        file: 'src/loop/evidence/gather.ts',
        from: 'missing.push(evidence);',
        to: '{}',
      },
    ],
    selftest: ['claims-done-without-evidence'],
  },
  {
    name: 'a prompt of its own for the review of what was done before',
    edits: [
      {
        file: 'src/rules/prompt/render.ts',
        from: "const isClaimedDone = input.mode === 'review' && input.unchanged !== null;",
        to: 'const isClaimedDone = false;',
      },
    ],
    selftest: ['claims-done-with-foreign-evidence'],
  },
  {
    name: 'the question to an approval that is silent about weakened tests',
    edits: [
      {
        file: 'src/rules/backlog/reviews/memory.ts',
        from: '(numbers.has(i + 1) ? [] : [{ number: i + 1, finding }])',
        to: '(numbers.has(i + 1) || i >= 0 ? [] : [{ number: i + 1, finding }])',
      },
    ],
    selftest: ['deletes-tests'],
  },
  {
    name: 'the refusal of weakened tests where that is asked for',
    edits: [
      {
        file: 'src/rules/judge/judge-iteration.ts',
        from: "if (config.onTestTamper !== 'reject' &&",
        to: 'if (config.onTestTamper.length > 0 &&',
      },
    ],
    selftest: ['deletes-tests-and-is-refused'],
  },
  {
    name: "the person's titles and descriptions",
    edits: [
      {
        file: 'src/rules/backlog/judge.ts',
        from: '  const fields: StoryFields = {};\n',
        to: '  const fields: StoryFields = { title: after.title, description: after.description };\n',
      },
    ],
    selftest: ['rewrites-titles'],
  },
  {
    name: 'the judgement of work that was left without a word',
    edits: [
      {
        file: 'src/loop/agent/agent-step.ts',
        from: 'if (backlogTouched || hasWork || tries.hasClaimed())',
        to: 'if (backlogTouched || tries.hasClaimed() || !hasWork === null)',
      },
    ],
    selftest: ['ends-without-a-word'],
  },
  {
    name: 'waiting for a provider that cannot be reached',
    edits: [
      {
        file: 'src/rules/judge/agent-end.ts',
        from: "'unavailable', 'network']",
        to: "'unavailable']",
      },
    ],
    selftest: ['connection-refused-then-works'],
  },
  {
    name: 'no charge for half of the work of an agent that lost its provider',
    edits: [
      {
        file: 'src/rules/judge/judge-iteration.ts',
        from: "return isRed && isCutOff(evidence.agent) ? 'limited' : endOf(evidence, claim);",
        to: 'return isRed && isCutOff(evidence.agent) ? endOf(evidence, claim) : endOf(evidence, claim);',
      },
    ],
    selftest: ['loses-its-provider-half-way'],
  },
  {
    name: 'the bound of all waits',
    edits: [
      {
        file: 'src/rules/safeguards/routing.ts',
        from: 'const isSpent = isOfRun && waited >= maxWaitMs;',
        to: 'const isSpent = isOfRun && waited >= maxWaitMs * 1.02;',
      },
    ],
    selftest: ['never-reachable'],
  },
];
