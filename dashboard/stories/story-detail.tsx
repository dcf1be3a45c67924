import type { RunView, StoryView } from '../../src/rules/view/index.ts';
import type { StoryText } from '../../src/surfaces/dashboard/index.ts';
import { apiOfRun } from '../api.ts';
import { ModeLabel, ResultPill } from '../parts/pills.tsx';
import { runHref } from '../route.ts';
import { useJson } from '../state/page.ts';
import { counted, said } from '../text.ts';
import { LongText } from '../transcript/long-text.tsx';

interface StoryDetailProps {
  readonly project: string;
  readonly view: RunView;
  readonly story: StoryView;
}

/** What an open card shows: the story's text as the backlog has it, and its iterations in this run. */
export function StoryDetail({ project, view, story }: StoryDetailProps) {
  const { id, state, reviewCount } = story;
  // Reviews change feedback and notes: they are read again when the story has moved on.
  const text = useJson<StoryText>(
    apiOfRun(project, view.run, `stories/${encodeURIComponent(id)}`),
    `${state} ${reviewCount}`,
  );
  return (
    <div class="story-detail" aria-busy={text === null}>
      {text instanceof Error && <p class="dim note">{text.message}</p>}
      {text !== null && !(text instanceof Error) && <Texts {...text} />}
      <Iterations project={project} view={view} story={id} />
    </div>
  );
}

function Texts({ description, acceptanceCriteria, reviewFeedback, notes }: StoryText) {
  return (
    <>
      <Part title="Description" text={description} />
      {acceptanceCriteria.length > 0 && (
        <>
          <h3>Acceptance criteria</h3>
          <ul class="criteria">
            {acceptanceCriteria.map((criterion) => (
              <li key={criterion} class="said">
                {said(criterion)}
              </li>
            ))}
          </ul>
        </>
      )}
      <Part title="Review feedback" text={reviewFeedback} />
      <Part title="Notes" text={notes} />
    </>
  );
}

function Part({ title, text }: { readonly title: string; readonly text: string }) {
  if (text.trim() === '') return null;
  return (
    <>
      <h3>{title}</h3>
      <LongText text={text} lines={12} />
    </>
  );
}

function Iterations({
  project,
  view,
  story,
}: {
  readonly project: string;
  readonly view: RunView;
  readonly story: string;
}) {
  const own = view.iterations.filter((one) => one.story === story);
  if (own.length === 0) return <p class="dim note">No iterations in this run.</p>;
  return (
    <>
      <h3>
        {counted(own.length, 'iteration')}, {counted(own.filter(({ mode }) => mode === 'review').length, 'review')}
      </h3>
      <ul class="story-iterations">
        {own.map((one) => (
          <li key={one.iteration}>
            <a class="number" href={runHref(project, view.run, one.iteration)}>
              #{one.iteration}
            </a>{' '}
            <ModeLabel mode={one.mode} />{' '}
            {one.verdict === null ? (
              <span class="dim">running or cut off</span>
            ) : (
              <ResultPill {...one} verdict={one.verdict} />
            )}
            {one.commit !== null && <code title={said(one.commit.subject)}> {one.commit.id.slice(0, 7)}</code>}
            {one.reason !== '' && <p class="dim said">{said(one.reason)}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}
