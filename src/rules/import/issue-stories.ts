import type { Fields } from '../backlog/formats/keys.ts';
import { priorityOf } from '../backlog/formats/priority.ts';
import { cleanValue } from './clean-text.ts';

/** An issue of a tracker. Its texts are somebody else's: they become text of a story and nothing more. */
export interface ForeignIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly url: string;
  readonly author: string;
  readonly milestone: string | null;
}

const BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s+(.+)$/;
const NEEDS =
  /\b(?:depends\s+on|blocked\s+by|requires|after)\b[:\s]+((?:(?:,|and|&|\s)*(?:#\d+|https?:\/\/\S+\/issues\/\d+))+)/gi;
/** Of a story that no label ranks. */
const MIDDLE = priorityOf('medium') ?? 2;

/**
 * Issues as stories of a native backlog. Check boxes are criteria, `depends on #7` is a dependency when that issue is
 * known, else a note.
 * @param known ids of stories that are there already
 */
export function issueStories(issues: readonly ForeignIssue[], known: ReadonlySet<string>): readonly Fields[] {
  const ids = new Set([...known, ...issues.map(({ number }) => idOf(number))]);
  return issues.map((issue) => issueStory(cleanValue(issue) as ForeignIssue, ids));
}

function issueStory(issue: ForeignIssue, ids: ReadonlySet<string>): Fields {
  const { body, labels } = issue;
  const id = idOf(issue.number);
  const lines = outsideFences(body);
  const criteria = lines.flatMap(({ text, fenced }) => (fenced ? [] : (BOX.exec(text)?.[1]?.trim() ?? [])));
  const needs = needsOf(lines.map(({ text, fenced }) => (fenced ? '' : text)).join('\n')).filter((each) => each !== id);
  const unknown = needs.filter((each) => !ids.has(each));
  const title = issue.title.replace(/\s+/g, ' ').trim() || id;
  return {
    id,
    title,
    description: lines
      .filter(({ text, fenced }) => fenced || !BOX.test(text))
      .map(({ text }) => text)
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    acceptanceCriteria: criteria.length > 0 ? criteria : [title],
    priority: labels.map((label) => priorityOf(rankOf(label))).find((rank) => rank !== null) ?? MIDDLE,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: [`${issue.url} by ${issue.author || 'somebody unknown'}`, ...unknown.map(waitingNote)].join('\n'),
    dependsOn: needs.filter((each) => ids.has(each)),
    ...(labels.length > 0 ? { labels } : {}),
    url: issue.url,
    author: issue.author,
    ...(issue.milestone === null ? {} : { milestone: issue.milestone }),
  };
}

/** A line of `notes`: the dependency that cannot be one yet. */
export function waitingNote(id: string): string {
  return `waits for ${id}, which is no story`;
}

/** The id of the story of an issue. */
export function idOf(number: number): string {
  return `GH-${number}`;
}

/** `priority: high`, `prio/P1`, `P0`, `must-have` → what ranks it. Other labels rank nothing. */
function rankOf(label: string): string {
  const word = label.trim().replace(/^(?:priority|prio)\s*[:/= -]\s*/i, '');
  return /^(?:p[0-4]|critical|urgent|high|medium|low|must|should|could)(?:[ -]have)?$/i.test(word)
    ? word.replace(/[ -]have$/i, '')
    : '';
}

function needsOf(text: string): readonly string[] {
  const groups = [...text.matchAll(NEEDS)].map(([, group = '']) => group);
  const numbers = groups.flatMap((group) =>
    [...group.matchAll(/(?:#|\/issues\/)(\d+)/g)].map(([, digits]) => Number(digits)),
  );
  return [...new Set(numbers.map(idOf))];
}

function outsideFences(body: string): readonly { readonly text: string; readonly fenced: boolean }[] {
  let fence: string | null = null;
  return body.split(/\r?\n/).map((text) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1];
    const fenced = fence !== null || mark !== undefined;
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence)) fence = null;
    return { text, fenced };
  });
}
