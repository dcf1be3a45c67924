import { useRef, useState } from 'preact/hooks';
import type { EventBody } from '../../src/contracts/index.ts';

interface ToolbarProps {
  readonly kinds: readonly string[];
  readonly chooseKinds: (names: readonly string[]) => void;
  /** Searches for words; `found` false says that there are no more. */
  readonly find: (words: string, backwards: boolean) => Promise<boolean>;
  readonly clear: () => void;
}

export function Toolbar({ kinds, chooseKinds, find, clear }: ToolbarProps) {
  const field = useRef<HTMLInputElement>(null);
  const [answer, setAnswer] = useState('');

  async function look(backwards: boolean): Promise<void> {
    const words = field.current?.value ?? '';
    if (words === '') {
      setAnswer('');
      return clear();
    }
    setAnswer('Looking…');
    const found = await find(words, backwards);
    setAnswer(found ? '' : backwards ? 'No more matches above.' : 'No more matches below.');
  }

  return (
    <div class="transcript-bar">
      {/* biome-ignore lint/a11y/useSemanticElements: browsers of three years ago do not know <search> */}
      <form
        role="search"
        class="find"
        onSubmit={(event) => {
          event.preventDefault();
          void look(false);
        }}
      >
        <input
          ref={field}
          type="search"
          name="find"
          aria-label="Search the transcript"
          placeholder="Search the whole log"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            if (event.currentTarget.value === '') void look(false);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !event.shiftKey) return;
            event.preventDefault();
            void look(true);
          }}
        />
        <button
          type="button"
          class="button square"
          aria-label="Previous match"
          title="Previous match (shift + enter)"
          onClick={() => void look(true)}
        >
          ↑
        </button>
        <button type="submit" class="button square" aria-label="Next match" title="Next match (enter)">
          ↓
        </button>
        <output class="dim note" aria-live="polite">
          {answer}
        </output>
      </form>
      <fieldset class="kinds">
        <legend class="hidden">Show</legend>
        {KINDS.map(({ name, label }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={kinds.includes(name)}
              onChange={(event) => {
                const chosen = ALL_KINDS.filter((one) =>
                  one === name ? event.currentTarget.checked : kinds.includes(one),
                );
                chooseKinds(chosen.length === 0 ? ALL_KINDS : chosen);
              }}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </div>
  );
}

/** Event types that are shown or hidden together. `types` in the form of the server's filter. */
interface Kind {
  readonly name: string;
  readonly label: string;
  readonly types: readonly (EventBody['type'] | `agent:${string}`)[];
}

/** Every type that is shown belongs to one of them. */
const KINDS: readonly Kind[] = [
  { name: 'words', label: 'Words', types: ['agent:text', 'agent:notice'] },
  { name: 'tools', label: 'Tools', types: ['agent:tool-call', 'agent:tool-result', 'tool-call'] },
  { name: 'tests', label: 'Tests & checks', types: ['test-result', 'check', 'proof', 'tampering'] },
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
