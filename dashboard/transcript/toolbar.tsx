import { useRef, useState } from 'preact/hooks';
import { ALL_KINDS, KINDS } from './kinds.ts';

export interface ToolbarProps {
  readonly kinds: readonly string[];
  readonly chooseKinds: (names: readonly string[]) => void;
  /** Looks for words; `found` false says that there are no more. */
  readonly find: (words: string, backwards: boolean) => Promise<boolean>;
  readonly clear: () => void;
}

/** Search and filters. */
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
    setAnswer(found ? '' : backwards ? 'Nothing above.' : 'Nothing further down.');
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
          aria-label="Previous hit"
          title="Previous hit (shift + enter)"
          onClick={() => void look(true)}
        >
          ↑
        </button>
        <button type="submit" class="button square" aria-label="Next hit" title="Next hit (enter)">
          ↓
        </button>
        <output aria-live="polite">{answer}</output>
      </form>
      <fieldset class="kinds">
        <legend>Show</legend>
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
