import { signal } from '@preact/signals';
import type { RunView } from '../../src/rules/view/model.ts';
import { StoryBar } from '../parts/bars.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Empty } from '../parts/problem.tsx';
import { Board } from './board.tsx';
import { DependencyGraph } from './dependency-graph.tsx';

type Look = 'board' | 'graph';

const look = signal<Look>('board');
const text = signal('');

/** The stories by state, or by what waits for what. */
export function StoriesSection({ project, view }: { readonly project: string; readonly view: RunView }) {
  if (view.stories.length === 0) {
    return (
      <Empty title={view.lonePrompt ? 'This run works on a prompt, without stories.' : 'No stories are known yet.'} />
    );
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
      {stories.length === 0 ? (
        <Empty title="No story matches the filter." />
      ) : look.value === 'board' ? (
        <Board project={project} view={view} stories={stories} />
      ) : (
        <DependencyGraph stories={stories} now={view.now.story} />
      )}
    </section>
  );
}
