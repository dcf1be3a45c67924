import type { Config, Story } from '../../contracts/index.ts';
import type { Receipt } from '../backlog/index.ts';
import { subjectOf } from '../judge/index.ts';
import { shortLine } from '../text/index.ts';
import { APPROVED_BY } from './words.ts';

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
  return { subject: subjectOf(config, kind, { id, title }), body: bodyOf(told, also) };
}

/** The message of one commit for a whole branch. */
export function branchMessage(
  config: Config,
  name: string,
  told: readonly ToldStory[],
  also: readonly string[],
): Message {
  if (told.length <= 1) return storyMessage(config, told, also);
  return { subject: shortLine(`${name}: ${told.length} stories`, 100), body: bodyOf(told, also) };
}

function bodyOf(told: readonly ToldStory[], also: readonly string[]): string {
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
