import { useEffect, useState } from 'preact/hooks';
import type { CommitView } from '../../src/surfaces/dashboard/api.ts';
import { apiOfRun, getJson } from '../api.ts';
import { counted, said } from '../text.ts';
import { FileDiff } from './file-diff.tsx';
import { type FilePatch, parsePatch } from './parse-patch.ts';

export interface CommitDiffProps {
  readonly project: string;
  readonly run: string;
  readonly commit: { readonly id: string; readonly subject: string; readonly files: number };
}

/** Longer parts are folded until somebody opens them. */
const OPEN_LINES = 400;
/** Files that are open from the start. */
const OPEN_FILES = 8;

/** What a commit of the run changed, file by file. */
export function CommitDiff({ project, run, commit }: CommitDiffProps) {
  const [loaded, setLoaded] = useState<CommitView | Error | null>(null);
  const id = commit.id;

  useEffect(() => {
    const stop = new AbortController();
    setLoaded(null);
    getJson<CommitView>(apiOfRun(project, run, `commits/${encodeURIComponent(id)}`), stop.signal).then(
      setLoaded,
      (error) => {
        if (!stop.signal.aborted) setLoaded(error instanceof Error ? error : new Error(String(error)));
      },
    );
    return () => stop.abort();
  }, [project, run, id]);

  return (
    <section class="diff" aria-label={`Changes of commit ${id.slice(0, 7)}`} aria-busy={loaded === null}>
      <header class="diff-head">
        <code>{id.slice(0, 7)}</code>
        <bdi class="clamped" title={said(commit.subject)}>
          {said(commit.subject)}
        </bdi>
      </header>
      {loaded === null && <p class="dim">{counted(commit.files, 'file')}…</p>}
      {loaded instanceof Error && (
        <p class="trouble" role="alert">
          {loaded.message}
        </p>
      )}
      {loaded !== null && !(loaded instanceof Error) && <Changes commit={loaded} />}
    </section>
  );
}

function Changes({ commit }: { readonly commit: CommitView }) {
  const patches = parsePatch(commit.patch);
  const added = sum(commit.files.map((file) => file.added));
  const deleted = sum(commit.files.map((file) => file.deleted));
  return (
    <>
      {commit.body.trim() !== '' && <p class="diff-body">{commit.body.split('\n').map(said).join('\n').trim()}</p>}
      <p class="diff-sum">
        {counted(commit.files.length, 'file')} changed, <span class="added">+{added}</span>{' '}
        <span class="deleted">−{deleted}</span>
      </p>
      {patches.map((patch, i) => (
        <FileDiff
          key={patch.path}
          patch={patch}
          counts={countsOf(patch, i, commit)}
          open={i < OPEN_FILES && patch.lines.length <= OPEN_LINES}
        />
      ))}
      {commit.truncated && (
        <p class="diff-cut" role="note">
          The diff was cut: it is too large to show. See all of it with <code>git show {commit.id.slice(0, 12)}</code>.
        </p>
      )}
    </>
  );
}

/** The list of files and the patch are in the same order, but of a cut patch the last ones are missing. */
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
