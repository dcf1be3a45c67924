import { useEffect, useRef } from 'preact/hooks';

/** A key, or two in sequence: `g o`. */
export interface KeyBinding {
  readonly keys: string;
  readonly text: string;
  readonly press: () => void;
}

/** How long the first of two keys is remembered. */
const SEQUENCE_MS = 1200;

const bound = new Set<{ readonly bindings: readonly KeyBinding[] }>();
let first: { readonly key: string; readonly at: number } | null = null;

/** Listens from here on. Keys with a meaning for the focused element are left alone. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
    const sequence = first !== null && Date.now() - first.at < SEQUENCE_MS ? `${first.key} ${event.key}` : null;
    const binding = (sequence === null ? undefined : bindingOf(sequence)) ?? bindingOf(event.key);
    first = binding === undefined ? { key: event.key, at: Date.now() } : null;
    if (binding === undefined) return;
    event.preventDefault();
    binding.press();
  });
}

/** The current key bindings, the latest first. */
export function keysNow(): readonly KeyBinding[] {
  return [...bound].flatMap((one) => one.bindings);
}

/** Binds keys while the component is shown. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    const entry = {
      get bindings() {
        return latest.current;
      },
    };
    bound.add(entry);
    return () => {
      bound.delete(entry);
    };
  }, []);
}

function bindingOf(keys: string): KeyBinding | undefined {
  return keysNow().findLast((binding) => binding.keys === keys);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}
