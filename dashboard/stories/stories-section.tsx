import { signal } from '@preact/signals';
import { controlToken } from '../api.ts';
import { FilterBar } from '../parts/filter-bar.tsx';
import { StoryBar } from '../parts/pills.tsx';
import { Empty } from '../parts/problem.tsx';
import { isLatest, isLive } from '../state/overview.ts';
import type { ShownRun } from '../state/run.ts';
import { Board } from './board.tsx';
import { DependencyGraph } from './dependency-graph.tsx';

type Look = 'board' | 'graph';

const look = signal<Look>('board');
const text = signal('');

export function StoriesSection({ shown }: { readonly shown: ShownRun }) {
  const { view } = shown;
  const live = isLive(shown);
  if (view.stories.length === 0) {
    const unknown = live ? 'No stories are known yet.' : 'The log has no stories.';
    return <Empty title={view.lonePrompt ? 'This run works from a prompt, without stories.' : unknown} />;
  }
  const wanted = text.value.trim().toLowerCase();
  const stories = view.stories.filter((story) => `${story.id} ${story.title}`.toLowerCase().includes(wanted));
  return (
    <section aria-label="Stories">
      <FilterBar
        label="Filter stories"
        text={text.value}
        onText={(next) => {
          text.value = next;
        }}
        choices={[
          { value: 'board', text: 'Board' },
          { value: 'graph', text: 'Dependencies' },
        ]}
        choice={look.value}
        onChoice={(next) => {
          look.value = next;
        }}
      >
        <StoryBar {...view.storyCounts} />
      </FilterBar>
      {!live && (
        <p class="dim note left-so">
          The stories at the end of the run.
          {controlToken() !== null &&
            (isLatest(shown.project.id, view.run)
              ? ' The buttons act on the current backlog.'
              : ' Decide about stories in the latest run.')}
        </p>
      )}
      {stories.length === 0 ? (
        <Empty title="No story matches the filter." />
      ) : look.value === 'board' ? (
        <Board project={shown.project.id} view={view} live={live} stories={stories} />
      ) : (
        <DependencyGraph stories={stories} now={view.now.story} />
      )}
    </section>
  );
}
