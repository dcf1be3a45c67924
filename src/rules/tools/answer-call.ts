import type {
  AcceptedFinding,
  Claim,
  Mode,
  NewStory,
  SaidFinding,
  SessionRecord,
  Story,
  StoryEdit,
  TamperFinding,
} from '../../contracts/index.ts';
import {
  type BacklogDocument,
  feedbackText,
  judge,
  nextId,
  propose,
  storyState,
  unanswered,
  unansweredText,
} from '../backlog/index.ts';
import { oneLine } from '../text/index.ts';
import type { ToolAnswer } from './specs.ts';

type Args = Readonly<Record<string, unknown>>;

/** What a call is judged by: the backlog before it and now, and what has been recorded so far. */
export interface ToolState {
  /** The id for a question asked now: `Q<n>`, unique in the workspace. */
  readonly question: string;
  readonly mode: Mode;
  readonly story: string;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly snapshot: BacklogDocument;
  /** The agent's current file; the snapshot where the file cannot be read. */
  readonly agent: BacklogDocument;
  readonly record: SessionRecord;
  /** Weakened tests that an approval must answer, numbered as in the prompt. */
  readonly toAnswer: readonly TamperFinding[];
  /** For `get_failure_context`; empty when there is no failure. */
  readonly failure: string;
}

export interface ToolOutcome {
  readonly answer: ToolAnswer;
  readonly record: SessionRecord;
  /** The checks decide first: when one is red, nothing is recorded and the answer is its output. */
  readonly needsChecks?: true;
  /** A person is asked to merge. */
  readonly merge?: { readonly title: string; readonly body: string };
}

/**
 * Carries out a call of one of the agent's tools, as a pure function: its claims and additions are judged by the rules
 * that settle applies, and recorded only if those allow them. Arguments were already checked against the tool's schema.
 */
export function answerCall(name: string, args: Args, state: ToolState): ToolOutcome {
  const handler = HANDLERS[name];
  if (!handler) return refuse(state, `There is no tool ${name}. ${offered(state)}`);
  return handler(args, state);
}

const HANDLERS: Readonly<Record<string, (args: Args, state: ToolState) => ToolOutcome>> = {
  get_story: getStory,
  list_stories: (_, state) => say(state, listText(proposed(state).backlog.stories, state.story)),
  get_failure_context: (_, state) =>
    say(state, state.failure === '' ? 'Nothing has failed for this story yet.' : state.failure),
  complete_story: completeStory,
  submit_review: submitReview,
  add_story: (args, state) => addStories([args], state, () => []),
  split_story: splitStory,
  report_blocker: (args, state) =>
    block(state, text(args, 'reason'), 'Recorded: the story is set aside and the user is notified. Stop here.'),
  ask_question: (args, state) =>
    block(
      state,
      `question ${state.question}: ${text(args, 'question')}`,
      'Recorded: the story waits for the answer, which comes after this session. Stop here.',
    ),
  log_progress: (args, state) => record(state, { notes: [...state.record.notes, text(args, 'text')] }, 'Noted.'),
  add_pattern: (args, state) =>
    record(state, { patterns: [...state.record.patterns, oneLine(text(args, 'pattern'))] }, 'Noted.'),
  request_merge: (args, state) => ({
    ...say(state, 'Noted: the user is asked. Continue, and do not push or merge yourself.'),
    merge: { title: oneLine(text(args, 'title')), body: text(args, 'body') },
  }),
};

function getStory(args: Args, state: ToolState): ToolOutcome {
  const { stories } = proposed(state).backlog;
  const id = text(args, 'id') || state.story;
  const story = stories.find((one) => one.id === id || one.safeId === id);
  if (!story)
    return refuse(state, `There is no story ${id}. The stories are ${stories.map((one) => one.id).join(', ')}.`);
  return say(state, storyText(story));
}

function completeStory(args: Args, state: ToolState): ToolOutcome {
  const summary = text(args, 'summary');
  if (state.mode === 'review') return refuse(state, 'A review decides about the story: call submit_review instead.');
  if (args['status'] === 'blocked') {
    return block(state, summary, 'Recorded: the story is set aside and the user is notified. Stop here.');
  }
  if (args['status'] === 'partial') {
    const notes = [...state.record.notes, `${state.story} is not finished: ${summary}`];
    return record(state, { claim: null, notes }, 'Noted: the next iteration continues. Stop here.');
  }
  if (args['tests'] === 'failing') {
    return refuse(state, 'A story whose tests fail is not finished: fix them, or use `partial` and say why.');
  }
  const open = openParts(state);
  if (open.length > 0) {
    return refuse(state, `${state.story} waits for ${open.join(', ')}: they come first. Use \`partial\` and stop.`);
  }
  const alreadyDone = args['already_done'] === true ? { alreadyDone: texts(args, 'evidence') } : {};
  const claim: Claim = { kind: 'ready', source: 'tool', ...alreadyDone };
  const notes: StoryEdit = { kind: 'set', id: state.story, fields: { notes: summary } };
  const next = state.skipReview ? 'the loop marks it done' : 'a fresh review decides';
  const done = `The checks pass and the story counts as finished: ${next}. Stop here.`;
  return { ...record(state, { claim, edits: [...state.record.edits, notes] }, done), needsChecks: true };
}

/** Parts the story depends on since it was split in this iteration: it cannot be finished before they are. */
function openParts(state: ToolState): readonly string[] {
  const { stories } = proposed(state).backlog;
  const dependsOn = stories.find(({ id }) => id === state.story)?.dependsOn ?? [];
  return stories.filter(({ id, passes }) => dependsOn.includes(id) && !passes).map(({ id }) => id);
}

function submitReview(args: Args, state: ToolState): ToolOutcome {
  if (state.mode !== 'review') {
    return refuse(state, 'An agent cannot approve its own work: call complete_story, and a fresh review decides.');
  }
  const feedback = text(args, 'feedback');
  if (args['verdict'] === 'approve') {
    const notes = text(args, 'notes');
    const accepted = acceptedOf(args);
    const open = unanswered(state.toAnswer, accepted);
    if (open.length > 0) {
      return refuse(
        state,
        `${unansweredText(open)}\nCall submit_review again with accepted_findings, or request that it is undone.`,
      );
    }
    const claim: Claim = {
      kind: 'approved',
      source: 'tool',
      ...(notes === '' ? {} : { notes }),
      ...(accepted.length === 0 ? {} : { accepted }),
    };
    return record(state, { claim }, 'Recorded: approved if the checks of the loop pass. Stop here.');
  }
  const findings = findingsOf(args);
  if (feedback === '' && findings.length === 0) {
    return refuse(
      state,
      'Requested changes need `findings`: what is wrong, item by item, with file, line and what should happen instead.',
    );
  }
  const claim: Claim = {
    kind: 'changes-requested',
    source: 'tool',
    feedback: feedback || feedbackText(findings),
    ...(findings.length === 0 ? {} : { findings }),
  };
  return record(state, { claim }, 'Recorded: changes requested. Stop here.');
}

function acceptedOf(args: Args): readonly AcceptedFinding[] {
  return objects(args, 'accepted_findings').flatMap((one) => {
    const { finding } = one;
    const reason = oneLine(text(one, 'reason'));
    return typeof finding === 'number' && reason !== '' ? [{ finding, reason }] : [];
  });
}

/** The points of a review that have a claim. The line number is part of the claim: it moves with every change. */
function findingsOf(args: Args): readonly SaidFinding[] {
  return objects(args, 'findings').flatMap((point) => {
    const claim = text(point, 'claim');
    const file = oneLine(text(point, 'file')).replace(/^\.\//, '') || null;
    const line = Number.isInteger(point['line']) && file !== null ? `${file}:${point['line']}: ` : '';
    const criterion = oneLine(text(point, 'criterion')) || null;
    const severity = /^(?:error|warning|note)$/i.exec(text(point, 'severity'))?.[0].toLowerCase();
    const label = severity === undefined ? '' : `${severity}: `;
    return claim === '' ? [] : [{ file, criterion, claim: `${label}${line}${claim}` }];
  });
}

function splitStory(args: Args, state: ToolState): ToolOutcome {
  const { stories } = proposed(state).backlog;
  const selected = stories.find(({ id }) => id === state.story);
  return addStories(objects(args, 'parts'), state, (added) => [
    {
      kind: 'set',
      id: state.story,
      fields: { dependsOn: [...(selected?.dependsOn ?? []), ...added.map(({ id }) => id)] },
    },
  ]);
}

/** Adds stories and what follows from them; records nothing when any rule objects. */
function addStories(
  wishes: readonly Args[],
  state: ToolState,
  alsoSet: (added: readonly NewStory[]) => readonly StoryEdit[],
): ToolOutcome {
  const stories = [...proposed(state).backlog.stories];
  const known: { id: string }[] = [...stories];
  let priority = stories.reduce((last, story) => Math.max(last, story.priority), 0);
  const added = wishes.map((wish): NewStory => {
    const id = nextId(known);
    known.push({ id });
    priority += 1;
    const wanted = wish['priority'];
    return {
      id,
      title: oneLine(text(wish, 'title')),
      description: text(wish, 'description'),
      acceptanceCriteria: texts(wish, 'acceptance_criteria'),
      priority: typeof wanted === 'number' ? wanted : priority,
      dependsOn: texts(wish, 'depends_on'),
    };
  });
  const edits = [
    ...state.record.edits,
    ...added.map((story): StoryEdit => ({ kind: 'add', story })),
    ...alsoSet(added),
  ];
  const objections = objectionsTo(edits, state);
  if (objections.length > 0) return refuse(state, objections.join('\n'));
  const ids = added.map(({ id }) => id).join(', ');
  return record(
    state,
    { edits },
    `Recorded as ${ids}. Do not work on ${added.length === 1 ? 'it' : 'them'} now: one story per iteration.`,
  );
}

/** The rules' objections to these changes, beyond those they already have to the agent's file. */
function objectionsTo(edits: readonly StoryEdit[], state: ToolState): readonly string[] {
  const { document, refused } = propose(state.agent, edits);
  const clashes = refused.flatMap(({ problems }) => problems.map(({ message, fix }) => `${message}: ${fix}`));
  const before = new Set(violationsOf(state.agent, state));
  return [...clashes, ...violationsOf(document, state).filter((message) => !before.has(message))];
}

function violationsOf(agent: BacklogDocument, state: ToolState): readonly string[] {
  const { mode, story: selected, skipReview, reviewCap, snapshot } = state;
  return judge({ mode, selected, skipReview, reviewCap, snapshot, agent, problems: [] }).violations.map(
    ({ message }) => message,
  );
}

function proposed({ agent, record: { edits } }: ToolState): BacklogDocument {
  return propose(agent, edits).document;
}

function block(state: ToolState, reason: string, answer: string): ToolOutcome {
  return record(state, { claim: { kind: 'blocked', source: 'tool', reason } }, answer);
}

function record(state: ToolState, change: Partial<SessionRecord>, answer: string): ToolOutcome {
  return { answer: { text: answer, isError: false }, record: { ...state.record, ...change } };
}

function say(state: ToolState, answer: string): ToolOutcome {
  return record(state, {}, answer);
}

function refuse(state: ToolState, why: string): ToolOutcome {
  return { answer: { text: why, isError: true }, record: state.record };
}

function offered({ mode }: ToolState): string {
  return mode === 'review'
    ? 'In a review call submit_review.'
    : 'To say that the story is finished call complete_story.';
}

function text(args: Args, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value.trim() : '';
}

function texts(args: Args, name: string): readonly string[] {
  const value = args[name];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string' && one.trim() !== '') : [];
}

function objects(args: Args, name: string): readonly Args[] {
  const value = args[name];
  return Array.isArray(value) ? value.filter((one): one is Args => typeof one === 'object' && one !== null) : [];
}

/** A story as an agent reads it. */
function storyText(story: Story): string {
  const { id, title, description, acceptanceCriteria, dependsOn, reviewFeedback, reviewCount, notes } = story;
  const parts = [
    `${id}: ${title}`,
    `State: ${stateText(story)}; priority ${story.priority}; reviews ${reviewCount}.`,
    ...(dependsOn.length > 0 ? [`Depends on: ${dependsOn.join(', ')}.`] : []),
    ...(description.trim() === '' ? [] : [description.trim()]),
    ['Acceptance criteria:', ...acceptanceCriteria.map((criterion) => `- ${criterion}`)].join('\n'),
    ...(story.verifyCommands?.length ? [`Its own checks: ${story.verifyCommands.join(', ')}`] : []),
    ...(reviewFeedback.trim() === '' ? [] : [`Review feedback:\n${reviewFeedback.trim()}`]),
    ...(notes.trim() === '' ? [] : [`Notes:\n${notes.trim()}`]),
  ];
  return parts.join('\n\n');
}

/** The backlog at a glance; the story of this iteration is marked. */
function listText(stories: readonly Story[], selected: string | null): string {
  if (stories.length === 0) return 'The backlog has no stories.';
  return stories
    .map((story) => {
      const waits = story.dependsOn.length > 0 ? ` (after ${story.dependsOn.join(', ')})` : '';
      return `${story.id === selected ? '* ' : '  '}${story.id} · ${stateText(story)} · ${story.title}${waits}`;
    })
    .join('\n');
}

function stateText(story: Story): string {
  const state = storyState(story);
  return state === 'blocked' ? `blocked: ${story.blocked}` : state;
}
