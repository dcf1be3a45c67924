import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { act, Refused } from '../api.ts';
import { Icon } from '../parts/icon.tsx';
import { Problem } from '../parts/problem.tsx';
import { announce } from '../state/announce.ts';
import { saidLines } from '../text.ts';
import { type Ask, type AskField, asked } from './ask.ts';
import { Dialog } from './dialog.tsx';

type Progress =
  | { readonly step: 'asking' | 'doing' }
  | { readonly step: 'done'; readonly text: string }
  | { readonly step: 'refused'; readonly problem: Refused };

/** The dialog of the open question, if there is one. */
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
      setProgress({ step: 'refused', problem: new Refused(0, wrong ?? 'Nothing was changed yet.') });
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
        <form class="ask" onSubmit={submit}>
          <p>{ask.text}</p>
          {ask.quote !== undefined && <blockquote class="said">{saidLines(ask.quote)}</blockquote>}
          {ask.fields.length > 0 && (
            <div class={ask.fields.length > 2 ? 'fields two' : 'fields'}>
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
    <div class="ask">
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

/** From this part of the longest text on its length is shown. */
const NEAR_LIMIT = 0.8;

const INPUT = {
  line: { type: 'text', list: undefined },
  number: { type: 'number', min: '0', step: 'any' },
} as const;

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
    <div class="field">
      <label for={id}>{field.label}</label>
      {field.kind === 'text' ? (
        <textarea
          {...common}
          rows={4}
          defaultValue={field.value}
          onInput={(event) => setBytes(new TextEncoder().encode(event.currentTarget.value.trim()).length)}
        />
      ) : (
        <input {...common} {...INPUT[field.kind]} {...(field.whole ? { step: '1' } : {})} defaultValue={field.value} />
      )}
      {field.hint !== undefined && (
        <span id={hint} class="dim note">
          {field.hint}
        </span>
      )}
      {field.maxBytes !== undefined && bytes > NEAR_LIMIT * field.maxBytes && (
        <span class={bytes > field.maxBytes ? 'bad-text note' : 'note'} role="status">
          {bytes} of {field.maxBytes} bytes
        </span>
      )}
    </div>
  );
}

function valuesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}
