import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';

/** What has the focus first: a field, else the button that does nothing. */
const FIRST = 'textarea, input, .dialog-foot button';

/**
 * A modal dialog while it is rendered. The browser keeps the focus inside; in the end it is back where it was, or at
 * the content when what was there is gone. Going back in the browser closes it.
 */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const title = useId();
  const { onClose } = props;
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    const opener = document.activeElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>(FIRST)?.focus();
    return () => {
      dialog.close();
      // Only when it has left the page: what it held moves the focus on its way out.
      queueMicrotask(() => giveBack(opener));
    };
  }, []);
  useEffect(() => {
    const left = () => close.current();
    addEventListener('popstate', left);
    return () => removeEventListener('popstate', left);
  }, []);
  return (
    <dialog ref={element} aria-labelledby={title} onCancel={onClose} onClose={onClose}>
      <header class="dialog-head">
        <h2 id={title}>{props.title}</h2>
        <button type="button" class="button quiet square" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

function giveBack(opener: Element | null): void {
  const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
  (isThere ? opener : document.querySelector('main'))?.focus({ preventScroll: true });
}
