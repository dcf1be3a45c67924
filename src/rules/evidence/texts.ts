import type { Config, Story } from '../../contracts/index.ts';
import type { Receipt } from '../backlog/index.ts';
import { subjectOf } from '../judge/index.ts';
import { shortLine } from '../text/index.ts';
import type { LoopEvidence } from './collect.ts';
import {
  APPROVED_BY,
  block,
  checkTable,
  closingLines,
  code,
  doubtWords,
  plain,
  quiet,
  quoted,
  reviewWords,
  spentWords,
  storyTable,
  table,
} from './words.ts';

/** An agent's description of a merge that it asks for. */
interface Wish {
  readonly story: string;
  readonly title: string;
  readonly body: string;
}

interface PullRequestFacts {
  readonly project: string | null;
  readonly branch: string;
  readonly base: string;
  /** Oldest first. */
  readonly wishes: readonly Wish[];
  /** As `git diff --stat` prints it. */
  readonly diffStat: string;
  readonly commits: number;
}

interface PullRequestText {
  readonly title: string;
  readonly body: string;
}

/** GitHub accepts at most 65,536 characters. */
const MOST_CHARACTERS = 60_000;
const MOST_STORIES = 100;
const MOST_DOUBTS = 50;
const MOST_WISHES = 10;

/** The text of a pull request: stories, reviews, checks, cost, and doubts. Agents' text becomes plain text. */
export function pullRequestText(facts: PullRequestFacts, evidence: LoopEvidence): PullRequestText {
  return { title: titleOf(facts, evidence), body: cut(bodyOf(facts, evidence)) };
}

/** A single wish or a single story gives the title; else the branch does. */
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
  const closing = closingLines(evidence);
  return [
    `${done} of ${stories.length} ${stories.length === 1 ? 'story' : 'stories'} done in ${facts.commits === 1 ? '1 commit' : `${facts.commits} commits`} on ${code(facts.branch)}, to be merged into ${code(facts.base)}.`,
    ...(open > 0 ? ['', `**${open} ${open === 1 ? 'story is' : 'stories are'} still open.**`] : []),
    ...(closing.length > 0 ? ['', ...closing] : []),
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

/** As many whole lines as fit. An unclosed block would swallow the note about the cut, so the note comes first. */
function cut(lines: readonly string[]): string {
  const text = `${lines.join('\n')}\n`;
  if (text.length <= MOST_CHARACTERS) return text;
  let length = 0;
  const kept = lines.filter((line) => {
    length += line.length + 1;
    return length < MOST_CHARACTERS;
  });
  return `${['_Shortened: the full text is too long for a pull request._', '', ...kept].join('\n')}\n`;
}

/** What the summary of an archive says in addition to the evidence. */
interface SummaryFacts {
  readonly label: string;
  readonly project: string | null;
  readonly branch: string | null;
  /** Epoch ms. */
  readonly archivedAt: number;
  /** The commit that the loop left. */
  readonly head: string;
  /** Names and contents of this loop's rescues that still exist. */
  readonly rescues: readonly { readonly name: string; readonly subject: string }[];
}

const MOST_ROWS = 2000;
const MOST_RESCUES = 50;

/** `summary.md` of an archive: the result of the loop and the evidence for it. */
export function summaryMarkdown(facts: SummaryFacts, evidence: LoopEvidence): string {
  const { stories, done, from, to } = evidence;
  const doubts = doubtWords(evidence);
  const checks = checkTable(evidence);
  const lines = [
    `# ${plain(facts.label)}`,
    '',
    `${done} of ${stories.length} ${stories.length === 1 ? 'story' : 'stories'} done.`,
    '',
    ...table(
      ['', ''],
      [
        ...(facts.project ? [['Project', plain(facts.project)]] : []),
        ...(facts.branch ? [['Branch', code(facts.branch)]] : []),
        ['Commit', code(facts.head)],
        ['Worked on', from === null || to === null ? 'unknown' : `${moment(from)} to ${moment(to)}`],
        ['Archived', moment(facts.archivedAt)],
        ['Spent', spentWords(evidence)],
      ],
    ),
    '',
    '## Stories',
    '',
    ...storyTable(evidence, MOST_ROWS),
    '',
    '## Reviews',
    '',
    ...reviewWords(evidence).map((line) => `- ${line}`),
    ...(checks.length > 0 ? ['', '## Checks', '', ...checks] : []),
    ...(doubts.length > 0 ? ['', '## Worth a look', '', ...doubts.map((line) => `- ${line}`)] : []),
    ...(facts.rescues.length > 0 ? ['', '## Rescued work', '', ...rescueLines(facts.rescues)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function rescueLines(rescues: SummaryFacts['rescues']): readonly string[] {
  const cut = rescues.length - MOST_RESCUES;
  return [
    'Kept in the repository it was made in, until `ralph rescue prune`.',
    '',
    ...rescues.slice(0, MOST_RESCUES).map(({ name, subject }) => `- ${code(name)} ${plain(subject)}`),
    ...(cut > 0 ? [`- … and ${cut} more`] : []),
  ];
}

/** A time in UTC, so that the text is the same on every machine. */
function moment(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export interface ToldStory {
  readonly story: Story;
  readonly receipt: Receipt | null;
}

interface Message {
  readonly subject: string;
  readonly body: string;
}

/** The message of a commit that holds all the work on a story, or on several: titles, criteria, receipts. */
export function storyMessage(config: Config, told: readonly ToldStory[], also: readonly string[] = []): Message {
  const id = told.map(({ story }) => story.safeId).join(', ');
  const title = told.map(({ story }) => story.title).join('; ');
  const kind = told.every(({ story }) => story.passes) ? 'implement' : 'wip';
  return { subject: subjectOf(config, kind, { id, title }), body: storiesBody(told, also) };
}

/** The message of one commit for a whole branch. */
export function branchMessage(
  config: Config,
  name: string,
  told: readonly ToldStory[],
  also: readonly string[],
): Message {
  if (told.length <= 1) return storyMessage(config, told, also);
  return { subject: shortLine(`${name}: ${told.length} stories`, 100), body: storiesBody(told, also) };
}

function storiesBody(told: readonly ToldStory[], also: readonly string[]): string {
  const parts = told.map(({ story, receipt }) => {
    const heading = told.length > 1 ? [`${story.safeId}: ${shortLine(story.title, 200)}`, ''] : [];
    const criteria = story.acceptanceCriteria.map((text) => `- ${shortLine(text, 300)}`);
    return [...heading, ...criteria, ...(criteria.length > 0 ? [''] : []), receiptWords(story, receipt)].join('\n');
  });
  const commits =
    also.length === 0 ? [] : [['Also in this commit:', '', ...also.map((text) => `- ${text}`)].join('\n')];
  return [...parts, ...commits].join('\n\n');
}

function receiptWords({ passes }: Story, receipt: Receipt | null): string {
  if (!passes) return 'Not finished.';
  if (receipt === null) return 'Done without a receipt.';
  const passed = receipt.checks.filter(({ ok }) => ok).map(({ command }) => shortLine(command, 100));
  const failed = receipt.checks.filter(({ ok }) => !ok).map(({ command }) => shortLine(command, 100));
  const reviews = receipt.reviews > 1 ? ` (${receipt.reviews} reviews)` : '';
  return [
    ...(receipt.verified ? [] : ['No checks were run.']),
    ...(passed.length > 0 ? [`Checks passed: ${passed.join(', ')}.`] : []),
    ...(failed.length > 0 ? [`Checks that fail, as before the run: ${failed.join(', ')}.`] : []),
    `Approved by ${APPROVED_BY[receipt.by]} on ${receipt.approvedAt.slice(0, 10)}${reviews}.`,
    ...(receipt.concerns ? [`Concerns: ${shortLine(receipt.concerns, 400)}`] : []),
  ].join('\n');
}
