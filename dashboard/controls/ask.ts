import { signal } from '@preact/signals';
import type { ControlAction } from '../../src/contracts/control.ts';

/** A field of the form that an {@link Ask} shows. */
export interface AskField {
  readonly name: string;
  readonly label: string;
  readonly kind: 'line' | 'text' | 'number';
  readonly value: string;
  readonly hint?: string;
  readonly required?: boolean;
  /** Only whole numbers. */
  readonly whole?: boolean;
  /** Bytes of UTF-8 that the text may have. */
  readonly maxBytes?: number;
}

/** What a person is asked before something is done. */
export interface Ask {
  readonly project: string;
  readonly title: string;
  /** What will happen, in a sentence or two. */
  readonly text: string;
  /** Somebody else's words that the decision is about: shown as they are. */
  readonly quote?: string;
  readonly confirm: string;
  /** Something is lost or cut short by it. */
  readonly grave?: boolean;
  readonly fields: readonly AskField[];
  /** What to do by the fields' values; null when they ask for nothing. */
  readonly action: (values: Readonly<Record<string, string>>) => ControlAction | null;
  /** What is wrong with the values, in a sentence; null when nothing. */
  readonly problem?: (values: Readonly<Record<string, string>>) => string | null;
  /** Called when it was done. */
  readonly onDone?: () => void;
}

/** The question that is open; its dialog is in the shell. */
export const asked = signal<Ask | null>(null);

/** Opens the dialog. */
export function ask(what: Ask): void {
  asked.value = what;
}
