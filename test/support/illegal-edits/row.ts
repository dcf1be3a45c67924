import { write } from '../says.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Row {
  readonly title: string;
  readonly does: readonly object[];
  /** `[rule, story or field it names]` of every violation, in order. */
  readonly broken: readonly (readonly [rule: string, names: string])[];
  /** Fields of US-001 that the iteration legally changes; none = the file is as it was, byte for byte. */
  readonly becomes?: Fields;
  /** Stories that are added, at the end. */
  readonly added?: readonly Fields[];
  readonly verdict: string;
  readonly args?: readonly string[];
}

export const FEEDBACK = 'say it in English';
export const REVIEWED = { reviewStatus: 'needs_review' };
export const SENT_BACK = { reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: FEEDBACK };
export const WORK = write('src/one.txt', 'one\n');

export const set = (fields: Fields, id = 'US-001'): object => ({ story: { id, set: fields } });

export const newStory = (id: string, fields = ''): string =>
  `b.userStories.push({ id: "${id}", title: "new ${id}", acceptanceCriteria: ["it works"], priority: 9, ${fields} })`;
