import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { StoryState } from '../../src/contracts/index.ts';
import { AWAITS_APPROVAL } from '../../src/rules/backlog/index.ts';
import { questionIn } from '../../src/rules/text/index.ts';
import type { RunView, StoryView } from '../../src/rules/view/index.ts';
import { controlToken, shutOut } from '../api.ts';
import { ask, rejectAsk, storyAsk } from '../controls/asks.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { StoryStatePill, VerdictPill } from '../parts/pills.tsx';
import { isLatest } from '../state/overview.ts';
import { counted, dollars, elapsed, said } from '../text.ts';
import { type Decision, decisionOf, keepDecision } from './decisions.ts';
import { StoryDetail } from './story-detail.tsx';

/** Cards of a column before the reader asks for the rest. */
const SHOWN = 40;

const COLUMNS: readonly { readonly title: string; readonly states: readonly StoryState[] }[] = [
  { title: 'To do', states: ['to do'] },
  { title: 'Changes requested', states: ['changes requested'] },
  { title: 'Needs review', states: ['needs review'] },
  { title: 'Blocked', states: ['blocked'] },
  { title: 'Done', states: ['done', 'done, unreviewed'] },
];

const DECIDED_TEXT: Readonly<Record<Decision, string>> = {
  approve: 'approved by you just now',
  reopen: 'reopened by you just now',
  reject: 'sent back by you just now',
};

export function Board(props: {
  readonly project: string;
  readonly view: RunView;
  /** Whether the run is live; if not, it does not carry out the decision. */
  readonly live: boolean;
  readonly stories: readonly StoryView[];
}) {
  const done = new Set(props.view.stories.filter(isDone).map((story) => story.id));
  return (
    <div class="board">
      {COLUMNS.map(({ title, states }) => (
        <Column
          key={title}
          title={title}
          stories={props.stories.filter((story) => states.includes(story.state))}
          done={done}
          working={props.view.ended === null ? props.view.now.story : null}
          project={props.project}
          view={props.view}
          live={props.live}
        />
      ))}
    </div>
  );
}

interface CardContext {
  readonly done: ReadonlySet<string>;
  readonly working: string | null;
  readonly project: string;
  readonly view: RunView;
  readonly live: boolean;
}

function Column(props: CardContext & { readonly title: string; readonly stories: readonly StoryView[] }) {
  const { title, stories, ...context } = props;
  const [all, setAll] = useState(false);
  const shown = all ? stories : stories.slice(0, SHOWN);
  return (
    <section class={stories.length === 0 ? 'board-column stack-2 none' : 'board-column stack-2'} aria-label={title}>
      <h2>
        {title} <span class="count">{stories.length}</span>
      </h2>
      <ul class="stack-2">
        {shown.map((story) => (
          <Card key={story.id} story={story} {...context} />
        ))}
      </ul>
      {shown.length < stories.length && (
        <button type="button" class="button quiet more" onClick={() => setAll(true)}>
          Show {stories.length - shown.length} more
        </button>
      )}
    </section>
  );
}

/** Open cards, by run and story: they stay open when a story moves to another column. */
const opened = signal<ReadonlySet<string>>(new Set());

function toggle(key: string): void {
  const all = new Set(opened.value);
  if (!all.delete(key)) all.add(key);
  opened.value = all;
}

function Card({ story, done, working, project, view, live: runLives }: CardContext & { readonly story: StoryView }) {
  const { run } = view;
  const waitsFor = isDone(story) ? [] : story.dependsOn.filter((id) => !done.has(id));
  const live = story.id === working;
  const place = `${project}/${run}`;
  const decided = decisionOf(place, story);
  const own = story.blocked === AWAITS_APPROVAL ? 'needs review' : story.state;
  const state = decided?.state ?? own;
  const key = `${place} ${story.id}`;
  const isOpen = opened.value.has(key);
  const decide = (decision: Decision) =>
    ask({
      ...(decision === 'reject' ? rejectAsk(project, run, story) : storyAsk(project, run, story, decision)),
      onDone: () => keepDecision(place, story.id, { decision, shown: story.state }),
    });
  return (
    <li class={live ? 'panel card live' : 'panel card'}>
      <p class="card-head">
        <span class="mono dim id cut" title={said(story.id)}>
          {said(story.id)}
        </span>
        {live && (
          <span class="pill accent live">
            <Icon name="play" />
            <span>now</span>
          </span>
        )}
        {story.state === 'done, unreviewed' && <StoryStatePill state={story.state} />}
      </p>
      <button
        type="button"
        class={isOpen ? 'card-title' : 'card-title clamped'}
        title={said(story.title)}
        aria-expanded={isOpen}
        onClick={() => toggle(key)}
      >
        {said(story.title)}
      </button>
      {waitsFor.length > 0 && (
        <p class="chips">
          {waitsFor.map((id) => (
            <span key={id} class="chip">
              <Icon name="clock" /> waits for {said(id)}
            </span>
          ))}
        </p>
      )}
      {story.blocked !== null && (
        <p class="note warn toned said">{said(questionIn(story.blocked)?.text ?? story.blocked)}</p>
      )}
      {story.iterations > 0 && (
        <p class="dim meta number">
          {story.lastVerdict !== null && <VerdictPill verdict={story.lastVerdict} />}
          <span>{counted(story.iterations, 'iteration')}</span>
          <span>{elapsed(story.durationMs)}</span>
          <span>{dollars(story.costUsd)}</span>
        </p>
      )}
      {isOpen && <StoryDetail project={project} view={view} story={story} />}
      {decided !== null && (
        <p class="note good toned">
          <Icon name="check" /> {DECIDED_TEXT[decided.decision]}
          {runLives && '; the run applies it'}
        </p>
      )}
      {controlToken() !== null && isLatest(project, run) && (
        <p class="card-actions">
          {ACTIONS.filter(({ unless }) => !unless.includes(state)).map(({ decision, text, icon }) => (
            <button
              key={decision}
              type="button"
              class="button small"
              aria-label={`${text} ${said(story.id)}`}
              disabled={shutOut.value}
              onClick={() => decide(decision)}
            >
              <Icon name={icon} /> {text}
            </button>
          ))}
        </p>
      )}
    </li>
  );
}

const ACTIONS: readonly {
  readonly decision: Decision;
  readonly text: string;
  readonly icon: IconName;
  readonly unless: readonly StoryState[];
}[] = [
  { decision: 'approve', text: 'Approve', icon: 'check', unless: ['done'] },
  { decision: 'reject', text: 'Request changes', icon: 'pen', unless: ['to do', 'blocked'] },
  { decision: 'reopen', text: 'Reopen', icon: 'repeat', unless: ['to do'] },
];

function isDone(story: StoryView): boolean {
  return story.state === 'done' || story.state === 'done, unreviewed';
}
