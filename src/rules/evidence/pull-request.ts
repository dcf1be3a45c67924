import { shortLine } from '../printable.ts';
import type { LoopEvidence } from './collect.ts';
import { block, code, plain, quiet, quoted } from './markdown-text.ts';
import { checkTable, doubtWords, reviewWords, spentWords, storyTable } from './words.ts';

/** An agent's words about a merge that it would like. */
export interface Wish {
  readonly story: string;
  readonly title: string;
  readonly body: string;
}

export interface PullRequestFacts {
  readonly project: string | null;
  readonly branch: string;
  readonly base: string;
  /** Oldest first. */
  readonly wishes: readonly Wish[];
  /** As `git diff --stat` prints it. */
  readonly diffStat: string;
  readonly commits: number;
}

export interface PullRequestText {
  readonly title: string;
  readonly body: string;
}

/** Most that GitHub takes is 65,536 characters. */
const MOST_CHARACTERS = 60_000;
const MOST_STORIES = 100;
const MOST_DOUBTS = 50;
const MOST_WISHES = 10;

/** What a pull request says: stories, reviews, checks, cost, and what is in doubt. Whatever agents wrote is plain text. */
export function pullRequestText(facts: PullRequestFacts, evidence: LoopEvidence): PullRequestText {
  return { title: titleOf(facts, evidence), body: cut(bodyOf(facts, evidence)) };
}

/** One wish, or one story, names it; else the branch does. */
function titleOf({ wishes, branch, project }: PullRequestFacts, { stories, done }: LoopEvidence): string {
  const only = wishes.length === 1 ? wishes[0] : undefined;
  const story = stories.length === 1 ? stories[0]?.story : undefined;
  const text =
    only?.title ??
    (story ? `${story.id}: ${story.title}` : `${project || branch}: ${done} of ${stories.length} stories`);
  return quiet(shortLine(text, 100)) || branch;
}

function bodyOf(facts: PullRequestFacts, evidence: LoopEvidence): readonly string[] {
  const { stories, done } = evidence;
  const open = stories.length - done;
  const doubts = doubtWords(evidence);
  const checks = checkTable(evidence);
  return [
    `${done} of ${stories.length} ${stories.length === 1 ? 'story' : 'stories'} done in ${facts.commits === 1 ? '1 commit' : `${facts.commits} commits`} on ${code(facts.branch)}, to be merged into ${code(facts.base)}.`,
    ...(open > 0 ? ['', `**${open} ${open === 1 ? 'story is' : 'stories are'} still open.**`] : []),
    '',
    '## Stories',
    '',
    ...storyTable(evidence, MOST_STORIES),
    '',
    '## Evidence',
    '',
    ...reviewWords(evidence).map((line) => `- ${line}`),
    `- Spent: ${spentWords(evidence)}.`,
    ...(checks.length > 0 ? ['', ...checks] : []),
    ...(doubts.length > 0 ? ['', '## Worth a look', '', ...listed(doubts)] : []),
    ...(facts.wishes.length > 0
      ? ['', '## What the agents say', ...facts.wishes.slice(-MOST_WISHES).flatMap(wish)]
      : []),
    ...(facts.diffStat === '' ? [] : ['', '## Changes', '', ...block(facts.diffStat)]),
    '',
    'The tables come from the receipts that the loop wrote itself when it approved a story.',
  ];
}

function wish({ story, title, body }: Wish): readonly string[] {
  return ['', `About ${plain(story, 60)}: ${plain(title)}`, ...(body.trim() === '' ? [] : ['', ...quoted(body)])];
}

function listed(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_DOUBTS;
  return [...lines.slice(0, MOST_DOUBTS), ...(more > 0 ? [`… and ${more} more`] : [])].map((line) => `- ${line}`);
}

/** Whole lines, as many as fit. A block that is cut open would swallow the note about it, so the note comes first. */
function cut(lines: readonly string[]): string {
  const text = `${lines.join('\n')}\n`;
  if (text.length <= MOST_CHARACTERS) return text;
  let length = 0;
  const kept = lines.filter((line) => {
    length += line.length + 1;
    return length < MOST_CHARACTERS;
  });
  return `${['_Cut: the whole is too long for a pull request._', '', ...kept].join('\n')}\n`;
}
