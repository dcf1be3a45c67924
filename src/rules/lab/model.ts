import {
  count,
  dollars,
  listOf,
  maybe,
  nullOr,
  number,
  type Of,
  object,
  oneOf,
  text,
  time,
  truth,
} from '../../contracts/index.ts';

/** Lines of a change, tests left out. */
const size = object({ files: count, added: count, removed: count });

/**
 * A commit of the repository's own history that can be judged: its tests fail on the tree before it and pass on the
 * tree after it.
 */
export const labTask = object({
  /** Stable: the first 12 digits of the commit. */
  id: text,
  /** Full object names. */
  commit: text,
  parent: text,
  /** Trees before and after. */
  before: text,
  after: text,
  /** What the agent is told; a person may edit it. */
  story: object({ title: text, description: text, acceptanceCriteria: listOf(text) }),
  /** Paths of the commit that are tests: hidden from the agent, put in place by the judge. */
  tests: listOf(text),
  /** The other paths of the commit. */
  files: listOf(text),
  /** What the person changed. */
  size,
  /**
   * Commands that judge: all are green after the commit. `greenBefore`: also without the hidden tests, on the tree
   * before and on what the commit made of it. `passed` and `names`: how many tests pass at least, and which of the hidden ones, as far as its output says.
   */
  checks: listOf(object({ command: text, greenBefore: truth, passed: maybe(count), names: maybe(listOf(text)) })),
  /** Whether the checks are red after the commit when its tests are made to fail: then an agent's work can be held to it. */
  canFail: maybe(truth),
  /** Seconds that the judge's commands took on the tree after. */
  judgeSeconds: number,
  minedAt: time,
});
export type LabTask = Of<typeof labTask>;

/** A commit that is not a task. */
export const droppedCommit = object({
  commit: text,
  title: text,
  /** One of few words, for counting: `no tests`, `no code`, `merge`, `passes before`, `fails after`, `flaky`, `set-up failed`, … */
  reason: text,
  /** One sentence; null: the reason says all. */
  detail: nullOr(text),
});
export type DroppedCommit = Of<typeof droppedCommit>;

/** What is compared: an agent, a model and a prompt. */
const labArm = object({
  /** As it was typed, unique in a lab: `claude:opus`, `codex · mine.md`. */
  name: text,
  agent: text,
  /** null: the agent's own default. */
  model: nullOr(text),
  /** `default` or the path of a prompt template. */
  prompt: text,
  review: truth,
});
export type LabArm = Of<typeof labArm>;

/** One arm's attempt at one task, appended to the results as one line. */
export const labResult = object({
  task: text,
  arm: labArm,
  /** From 1. */
  repeat: count,
  /** `solved`: the hidden tests pass and nothing that was green is red. `error`: the attempt says nothing about the arm. */
  outcome: oneOf('solved', 'unsolved', 'error'),
  /** Why, in a sentence. */
  reason: text,
  /** Of the hidden tests; null: the judge did not get that far. */
  hiddenPassed: nullOr(truth),
  /** Commands that were green before and are red now, hidden tests left out. */
  broke: listOf(text),
  /** What the agent changed. */
  diff: size,
  iterations: count,
  tokens: count,
  /** US dollars; null: the agent does not say. */
  costUsd: nullOr(dollars),
  seconds: number,
  /** How often review sent the work back. */
  sentBack: count,
  /** Path of the attempt's folder, with transcripts and the diff, relative to the lab's folder. */
  folder: text,
  startedAt: time,
  endedAt: time,
  ralph: text,
});
export type LabResult = Of<typeof labResult>;
