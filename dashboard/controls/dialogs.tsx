import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { act, Refused } from '../api.ts';
import { Icon, IconButton } from '../parts/icon.tsx';
import { Problem } from '../parts/problem.tsx';
import { keysNow } from '../state/keys.ts';
import { announce } from '../state/page.ts';
import { saidLines } from '../text.ts';
import { type Ask, type AskField, asked } from './asks.ts';

type Progress =
  | { readonly step: 'asking' | 'doing' }
  | { readonly step: 'done'; readonly text: string }
  | { readonly step: 'refused'; readonly problem: Refused };

export function AskDialog() {
  const open = asked.value;
  return open === null ? null : <AskForm key={open.title} ask={open} />;
}

function AskForm({ ask }: { readonly ask: Ask }) {
  const [progress, setProgress] = useState<Progress>({ step: 'asking' });
  const close = () => {
    asked.value = null;
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const values = valuesOf(event.currentTarget as HTMLFormElement);
    const wrong = ask.problem?.(values) ?? null;
    const action = wrong === null ? ask.action(values) : null;
    if (action === null) {
      setProgress({ step: 'refused', problem: new Refused(0, wrong ?? 'Nothing has been changed.') });
      return;
    }
    setProgress({ step: 'doing' });
    try {
      const { text } = await act(ask.project, action);
      announce(text);
      ask.onDone?.();
      setProgress({ step: 'done', text });
    } catch (error) {
      const problem = error instanceof Refused ? error : new Refused(0, String(error));
      setProgress({ step: 'refused', problem });
    }
  };
  return (
    <Dialog title={ask.title} onClose={close}>
      {progress.step === 'done' ? (
        <Done text={progress.text} onClose={close} />
      ) : (
        <form class="ask stack-3" onSubmit={submit}>
          <p>{ask.text}</p>
          {ask.quote !== undefined && <blockquote class="said">{saidLines(ask.quote)}</blockquote>}
          {ask.fields.length > 0 && (
            <div class={ask.fields.length > 2 ? 'stack-3 two' : 'stack-3'}>
              {ask.fields.map((field) => (
                <Field key={field.name} field={field} />
              ))}
            </div>
          )}
          {progress.step === 'refused' && <Problem problem={progress.problem} />}
          <div class="dialog-foot">
            <button type="button" class="button" onClick={close}>
              Cancel
            </button>
            <button
              type="submit"
              class={ask.grave ? 'button grave' : 'button main'}
              disabled={progress.step === 'doing'}
            >
              {ask.confirm}
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function Done({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <div class="ask stack-3">
      <p class="answer">
        <Icon name="check-circle" />
        <span class="said">{saidLines(text)}</span>
      </p>
      <div class="dialog-foot">
        <button type="button" class="button main" ref={button} onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  );
}

/** From this share of the maximum length on the text's length is shown. */
const NEAR_LIMIT = 0.8;

function Field({ field }: { readonly field: AskField }) {
  const id = useId();
  const hint = useId();
  const [bytes, setBytes] = useState(0);
  const common = {
    id,
    name: field.name,
    required: field.required ?? false,
    ...(field.hint === undefined ? {} : { 'aria-describedby': hint }),
  };
  return (
    <div class="field stack-1">
      <label for={id}>{field.label}</label>
      {field.kind === 'text' ? (
        <textarea
          {...common}
          rows={4}
          defaultValue={field.value}
          onInput={(event) => setBytes(new TextEncoder().encode(event.currentTarget.value.trim()).length)}
        />
      ) : (
        <input {...common} type="number" min="0" step={field.whole ? '1' : 'any'} defaultValue={field.value} />
      )}
      {field.hint !== undefined && (
        <span id={hint} class="dim note">
          {field.hint}
        </span>
      )}
      {field.maxBytes !== undefined && bytes > NEAR_LIMIT * field.maxBytes && (
        <span class={bytes > field.maxBytes ? 'bad toned note' : 'note'} role="status">
          {bytes} of {field.maxBytes} bytes
        </span>
      )}
    </div>
  );
}

function valuesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/** Whether the list of keys is shown. */
export const helpOpen = signal(false);

export function HelpDialog() {
  if (!helpOpen.value) return null;
  const close = () => {
    helpOpen.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="keys stack-2">
        {[...keysNow(), { keys: 'Escape', text: 'close the dialog' }].map(({ keys, text }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** What gets the focus first: a field, else the button that does nothing. */
const FIRST = 'textarea, input, .dialog-foot button';

/**
 * A modal dialog while it is rendered. The browser keeps the focus inside; afterwards it returns to its previous
 * element, or to the content when that is gone. Going back in the browser closes it.
 */
function Dialog(props: { readonly title: string; readonly onClose: () => void; readonly children: ComponentChildren }) {
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
      // The browser reports it only later, when another dialog may be open.
      close.current = () => {};
      dialog.close();
      // Only after its removal from the page: its content moves the focus while it is removed.
      queueMicrotask(() => giveBack(opener));
    };
  }, []);
  useEffect(() => {
    const left = () => close.current();
    addEventListener('popstate', left);
    return () => removeEventListener('popstate', left);
  }, []);
  return (
    <dialog ref={element} aria-labelledby={title} onCancel={onClose} onClose={() => close.current()}>
      <header class="dialog-head">
        <h2 id={title}>{props.title}</h2>
        <IconButton icon="cross" label="Close" onClick={onClose} />
      </header>
      {props.children}
    </dialog>
  );
}

function giveBack(opener: Element | null): void {
  const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
  (isThere ? opener : document.querySelector('main'))?.focus({ preventScroll: true });
}
