import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';

/** A modal dialog while it is rendered. The browser keeps the focus inside, and gives it back to where it was. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const title = useId();
  const { onClose } = props;
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    dialog.showModal();
    return () => dialog.close();
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
