import type { Switch } from '../switch.ts';

/** Secrets, words and differences: what people and records are told. */
export const SECRETS: readonly Switch[] = [
  {
    name: 'secrets are known',
    edits: [
      {
        file: 'src/platform/secrets.ts',
        from: 'known.set(value, formsOf(value, name));',
        to: 'void formsOf(value, name);',
      },
    ],
    selftest: ['prints-the-key', 'commits-the-key'],
  },
  {
    name: 'secrets are known in encodings',
    edits: [
      {
        file: 'src/platform/secrets.ts',
        from: 'const texts = [value, JSON.stringify(value).slice(1, -1), ...encoded, ...lines];',
        to: 'const texts = [value, ...encoded.slice(0, 0), ...lines];',
      },
    ],
    selftest: ['prints-the-key', 'commits-the-key'],
  },
  {
    name: 'commits with secrets are refused',
    edits: [
      {
        file: 'src/adapters/git/commit.ts',
        from: "if (files.length > 0) return { kind: 'holds-secrets', files };",
        to: '',
      },
    ],
    selftest: ['commits-the-key'],
  },
  {
    name: "reported test runs are said to be the agent's word",
    edits: [{ file: 'src/surfaces/terminal/lines/page.ts', from: '`the agent reports ${', to: '`${' }],
    selftest: ['forges-hook-calls'],
  },
  {
    name: 'forged hook calls are marked',
    edits: [{ file: 'src/loop/session/session.ts', from: '{ ...body, unannounced: true }', to: 'body' }],
    selftest: ['forges-hook-calls'],
  },
  {
    name: 'attributes that hide files are told',
    edits: [
      {
        file: 'src/rules/test-results/tampering/find-tampering.ts',
        from: 'const ofOneFile = [hiddenFromDiff, neutralisedScripts,',
        to: 'const ofOneFile = [neutralisedScripts,',
      },
    ],
    selftest: ['blinds-the-diff'],
  },
];
