import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RequestedChange } from '../../src/contracts/index.ts';
import { noteProblem } from '../../src/rules/steering/index.ts';
import { shutOut } from '../api.ts';
import { ask, rejectAsk } from '../controls/asks.ts';
import { Icon, IconButton } from '../parts/icon.tsx';
import { counted, said } from '../text.ts';
import type { DiffLine } from './parse-patch.ts';

/** The story whose diff is shown. */
export interface Commented {
  readonly project: string;
  readonly run: string;
  readonly story: { readonly id: string; readonly title: string };
}

interface Comment {
  readonly file: string;
  readonly commit: string;
  readonly line: DiffLine;
  readonly text: string;
}

/** Comments that were not sent yet, by story: they stay while the reader goes from commit to commit. */
const written = signal<ReadonlyMap<string, readonly Comment[]>>(new Map());

const keyOf = ({ project, run, story }: Commented) => `${project}/${run} ${story.id}`;
const commentsOf = (about: Commented) => written.value.get(keyOf(about)) ?? [];

function keep(about: Commented, comments: readonly Comment[]): void {
  written.value = new Map(written.value).set(keyOf(about), comments);
}

/** Characters of a line that a comment quotes: line numbers change with every commit. */
const QUOTED = 200;

function changeOf({ file, line, text }: Comment): RequestedChange {
  const code = said(line.text).trim().slice(0, QUOTED);
  const which = line.new === null ? 'deleted line' : 'line';
  const quoted = code === '' ? text : `${text}\n(the ${which}: ${code})`;
  return { text: quoted, file, ...(line.new === null ? {} : { line: line.new }) };
}

interface LineProps {
  readonly about: Commented;
  readonly file: string;
  readonly commit: string;
  readonly line: DiffLine;
}

/** The comments on a line, and the form for one more while it is open. */
export function LineComments(props: LineProps & { readonly isWriting: boolean; readonly onClose: () => void }) {
  const { about, file, commit, line, isWriting, onClose } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!isWriting) return;
    field.current?.focus();
    field.current?.form?.scrollIntoView({ block: 'nearest' });
  }, [isWriting]);
  const all = commentsOf(about);
  const here = all.filter(
    (one) => one.file === file && one.commit === commit && one.line.old === line.old && one.line.new === line.new,
  );
  if (here.length === 0 && !isWriting) return null;
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const text = (field.current?.value ?? '').replaceAll('\r\n', '\n').trim();
    const problem = noteProblem(text);
    field.current?.setCustomValidity(problem === null ? '' : `The comment ${problem}.`);
    if (problem !== null) field.current?.reportValidity();
    else {
      keep(about, [...all, { file, commit, line, text }]);
      onClose();
    }
  };
  const remove = (one: Comment) =>
    keep(
      about,
      all.filter((other) => other !== one),
    );
  const place = `${said(file)} line ${line.new ?? line.old}`;
  return (
    <tr class="comments">
      <td colSpan={4}>
        <div class="comment-box stack-2">
          {here.map((one) => (
            <p key={one.text} class="comment">
              <Icon name="note" />
              <span class="said">{one.text}</span>
              <IconButton icon="cross" label={`Remove the comment on ${place}`} onClick={() => remove(one)} />
            </p>
          ))}
          {isWriting && (
            <form onSubmit={add}>
              <textarea
                ref={field}
                rows={3}
                aria-label={`Comment on ${place}`}
                onInput={(event) => event.currentTarget.setCustomValidity('')}
                onKeyDown={(event) => {
                  if (event.key === 'Escape') onClose();
                  else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                    event.currentTarget.form?.requestSubmit();
                  event.stopPropagation();
                }}
              />
              <p class="comment-foot">
                <button type="submit" class="button small main">
                  Add comment
                </button>
                <button type="button" class="button small" onClick={onClose}>
                  Cancel
                </button>
              </p>
            </form>
          )}
        </div>
      </td>
    </tr>
  );
}

/** What was written so far, and the button that sends it all as one rejection. */
export function CommentsBar({ about }: { readonly about: Commented }) {
  const comments = commentsOf(about);
  const { project, run, story } = about;
  const send = () => {
    const changes = comments.map(changeOf);
    ask({ ...rejectAsk(project, run, story, changes), onDone: () => keep(about, []) });
  };
  const none = comments.length === 0;
  return (
    <p class={none ? 'comments-bar' : 'comments-bar some'}>
      <span class={none ? 'dim' : ''}>
        {none
          ? 'To comment on a line, click its number.'
          : `${counted(comments.length, 'comment')} on ${said(story.id)}, not sent yet`}
      </span>
      {!none && (
        <button type="button" class="button small" onClick={() => keep(about, [])}>
          Discard
        </button>
      )}
      <button type="button" class={none ? 'button small' : 'button small main'} disabled={shutOut.value} onClick={send}>
        <Icon name="pen" /> Request changes
      </button>
    </p>
  );
}
