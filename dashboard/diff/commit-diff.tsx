import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { CommitView } from '../../src/surfaces/dashboard/index.ts';
import { apiOfRun, controlToken } from '../api.ts';
import { isLatest } from '../state/overview.ts';
import { useJson } from '../state/page.ts';
import { counted, said } from '../text.ts';
import { plainText } from '../transcript/plain.ts';
import { type Commented, CommentsBar, LineComments } from './comments.tsx';
import { type DiffLine, type FilePatch, parsePatch } from './parse-patch.ts';

interface CommitDiffProps {
  readonly project: string;
  readonly run: string;
  readonly commit: { readonly id: string; readonly subject: string; readonly files: number };
  /** The story that the commit belongs to. */
  readonly story: { readonly id: string; readonly title: string };
}

/** Longer parts are folded until they are opened. */
const OPEN_LINES = 400;
/** Files that are open from the start. */
const OPEN_FILES = 8;

export function CommitDiff({ project, run, commit, story }: CommitDiffProps) {
  const id = commit.id;
  const loaded = useJson<CommitView>(apiOfRun(project, run, `commits/${encodeURIComponent(id)}`));
  const about = controlToken() !== null && isLatest(project, run) ? { project, run, story } : null;

  return (
    <section class="diff stack-2" aria-label={`Changes of commit ${id.slice(0, 7)}`} aria-busy={loaded === null}>
      <header class="diff-head">
        <code>{id.slice(0, 7)}</code>
        <bdi class="clamped" title={said(commit.subject)}>
          {said(commit.subject)}
        </bdi>
      </header>
      {loaded === null && <p class="dim">{counted(commit.files, 'file')}…</p>}
      {loaded instanceof Error && (
        <p class="bad toned" role="alert">
          {loaded.message}
        </p>
      )}
      {loaded !== null && !(loaded instanceof Error) && <Changes commit={loaded} about={about} />}
    </section>
  );
}

/** @param about null when this page cannot send comments */
function Changes({ commit, about }: { readonly commit: CommitView; readonly about: Commented | null }) {
  const patches = parsePatch(commit.patch);
  const added = sum(commit.files.map((file) => file.added));
  const deleted = sum(commit.files.map((file) => file.deleted));
  return (
    <>
      {commit.body.trim() !== '' && <p class="diff-body dim">{commit.body.split('\n').map(said).join('\n').trim()}</p>}
      <p class="dim note">
        {counted(commit.files.length, 'file')} changed, <span class="added">+{added}</span>{' '}
        <span class="deleted">−{deleted}</span>
      </p>
      {patches.map((patch, i) => (
        <FileDiff
          key={patch.path}
          patch={patch}
          commit={commit.id}
          about={about}
          counts={countsOf(patch, i, commit)}
          open={i < OPEN_FILES && patch.lines.length <= OPEN_LINES}
        />
      ))}
      {about !== null && <CommentsBar about={about} />}
      {commit.truncated && (
        <p class="warn toned" role="note">
          The diff was cut: it is too large to show. See all of it with <code>git show {commit.id.slice(0, 12)}</code>.
        </p>
      )}
    </>
  );
}

/** The list of files and the patch are in the same order, but a cut patch lacks the last ones. */
function countsOf(
  patch: FilePatch,
  index: number,
  commit: CommitView,
): { added: number | null; deleted: number | null } {
  return commit.files.find(({ path }) => path === patch.path) ?? commit.files[index] ?? { added: null, deleted: null };
}

function sum(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((all, one) => all + (one ?? 0), 0);
}

interface FileDiffProps {
  readonly patch: FilePatch;
  readonly commit: string;
  readonly about: Commented | null;
  /** null for binary files, which have no lines. */
  readonly counts: { readonly added: number | null; readonly deleted: number | null };
  readonly open: boolean;
}

/** Lines drawn at first, and added on each request for more. */
const STEP = 800;
/** A single line may be megabytes. */
const LONGEST = 2000;

const SIGN = { added: '+', deleted: '−', same: '', hunk: '', note: '' } as const;

/** One file of a diff: a head that folds it, and its lines with their numbers. */
function FileDiff({ patch, commit, about, counts, open }: FileDiffProps) {
  const [isOpen, setOpen] = useState(open);
  const [shown, setShown] = useState(STEP);
  const [writing, setWriting] = useState<number | null>(null);
  const path = said(patch.path);
  const left = patch.lines.length - shown;
  return (
    <details class="diff-file panel" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi class="path">{path}</bdi>
        <span class="counts number note">
          {counts.added === null ? (
            <span class="dim">binary</span>
          ) : (
            <>
              <span class="added">+{counts.added}</span> <span class="deleted">−{counts.deleted ?? 0}</span>
            </>
          )}
        </span>
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="diff-lines" aria-label={`Changes in ${path}`} tabIndex={0}>
          <table>
            <thead class="hidden">
              <tr>
                <th scope="col">Old line</th>
                <th scope="col">New line</th>
                <th scope="col">Change</th>
                <th scope="col">Text</th>
              </tr>
            </thead>
            <tbody>
              {patch.lines.slice(0, shown).map((line, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff never move
                <Fragment key={i}>
                  <Line line={line} path={path} onComment={about === null ? null : () => setWriting(i)} />
                  {about !== null && (
                    <LineComments
                      about={about}
                      file={patch.path}
                      commit={commit}
                      line={line}
                      isWriting={writing === i}
                      onClose={() => setWriting(null)}
                    />
                  )}
                </Fragment>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {isOpen && left > 0 && (
        <button type="button" class="button small more" onClick={() => setShown(shown + STEP)}>
          Show {Math.min(STEP, left)} more of {left} lines
        </button>
      )}
    </details>
  );
}

/** @param onComment null when lines cannot be commented on */
function Line(props: { readonly line: DiffLine; readonly path: string; readonly onComment: (() => void) | null }) {
  const { line, path, onComment } = props;
  const number = (shown: number | null, isTheirs: boolean) =>
    shown === null || onComment === null || !isTheirs ? (
      shown
    ) : (
      <button type="button" class="line-number" aria-label={`Comment on ${path} line ${shown}`} onClick={onComment}>
        {shown}
      </button>
    );
  return (
    <tr class={line.kind}>
      <td class="number">{number(line.old, line.kind === 'deleted')}</td>
      <td class="number">{number(line.new, true)}</td>
      <td class="sign">{SIGN[line.kind]}</td>
      <td class="text">{text(line.text)}</td>
    </tr>
  );
}

/** Leading spaces of code stay; control characters do not. */
function text(line: string): string {
  const plain = plainText(`|${line.slice(0, LONGEST)}`).slice(1);
  return line.length > LONGEST ? `${plain}… (${line.length} characters)` : plain;
}
