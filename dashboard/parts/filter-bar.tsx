import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

export interface FilterChoice<T extends string> {
  readonly value: T;
  readonly text: string;
  readonly count?: number;
}

/** A search field, a choice, and other filters of a list. */
export function FilterBar<T extends string>(props: {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly choices: readonly FilterChoice<T>[];
  readonly choice: T;
  readonly onChoice: (choice: T) => void;
  readonly children?: ComponentChildren;
}) {
  return (
    <search class="filter-bar" aria-label={props.label}>
      <label class="search-field">
        <Icon name="search" />
        <span class="hidden">{props.label}</span>
        <input
          type="search"
          placeholder="Filter"
          value={props.text}
          onInput={(event) => props.onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            props.onText('');
            event.currentTarget.blur();
          }}
        />
        <span class="key-hint" aria-hidden="true">
          /
        </span>
      </label>
      {props.choices.length > 0 && (
        <div class="choices">
          {props.choices.map(({ value, text, count }) => (
            <button
              key={value}
              type="button"
              aria-pressed={value === props.choice}
              onClick={() => props.onChoice(value)}
            >
              {text}
              {count !== undefined && <span class="count">{count}</span>}
            </button>
          ))}
        </div>
      )}
      {props.children}
    </search>
  );
}
