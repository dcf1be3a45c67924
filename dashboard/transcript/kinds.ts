import type { EventBody } from '../../src/contracts/events.ts';

/** What can be shown or left out together. `types` as the server's filter takes them. */
export interface Kind {
  readonly name: string;
  readonly label: string;
  readonly types: readonly (EventBody['type'] | `agent:${string}`)[];
}

/** Every type that has something to say is in one of them. */
export const KINDS: readonly Kind[] = [
  { name: 'words', label: 'Words', types: ['agent:text', 'agent:notice'] },
  { name: 'tools', label: 'Tools', types: ['agent:tool-call', 'agent:tool-result', 'tool-call'] },
  { name: 'tests', label: 'Tests & checks', types: ['test-verdict', 'check', 'proof', 'tampering'] },
  {
    name: 'denials',
    label: 'Denials',
    types: ['denied', 'egress-refused', 'stop-refused', 'violation', 'unresolved', 'hook-error'],
  },
  {
    name: 'iterations',
    label: 'Iterations',
    types: [
      'select',
      'verdict',
      'commit',
      'rollback',
      'story',
      'question',
      'false-completion',
      'progress-compacted',
      'iteration-end',
    ],
  },
  {
    name: 'run',
    label: 'Run',
    types: [
      'run-start',
      'run-end',
      'estimate',
      'recovered',
      'wait',
      'wait-end',
      'turn-end',
      'circuit',
      'budget',
      'agent-switch',
      'steering',
      'agent-start',
      'agent-end',
      'transient',
      'context-use',
      'signals',
      'plugin-failed',
      'exit-condition',
      'notice',
      'agent:limit',
      'agent:retry',
    ],
  },
];

export const ALL_KINDS: readonly string[] = KINDS.map(({ name }) => name);

/** The server's filter for kinds by name. */
export function typesOf(names: readonly string[]): string {
  return KINDS.filter(({ name }) => names.includes(name))
    .flatMap(({ types }) => types)
    .join(',');
}
