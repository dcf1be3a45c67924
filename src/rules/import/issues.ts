import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { type StoryEdit, UsageError } from '../../contracts/index.ts';
import { editBacklog, type Fields, loadSource, priorityOf } from '../backlog/index.ts';
import { cleanValue } from '../text/index.ts';

/** What `gh:OWNER/REPO#LABEL` names; see {@link readIssueSource}. */
export interface IssueSource {
  readonly repository: string | null;
  readonly label: string | null;
  readonly number: number | null;
}

const SOURCE = /^gh:([A-Za-z0-9._-]+\/[A-Za-z0-9._-]+)?(?:#(.+))?$/;

/**
 * Reads `gh:OWNER/REPO#LABEL`, `gh:OWNER/REPO`, `gh:#LABEL` and `gh:OWNER/REPO#12`; null for texts without `gh:`.
 * @throws UsageError for a text that cannot be read
 */
export function readIssueSource(source: string): IssueSource | null {
  if (!source.startsWith('gh:')) return null;
  const found = SOURCE.exec(source.trim());
  const [, repository = null, after = null] = found ?? [];
  // The value becomes an argument of gh and must not be taken for a flag.
  const isFlag = [repository, after].some((part) => part?.startsWith('-'));
  if (!found || isFlag || (repository === null && after === null)) {
    throw new UsageError({
      what: `'${source}' names no issues`,
      fix: ['gh:OWNER/REPO#LABEL, gh:OWNER/REPO, gh:#LABEL for this repository, or gh:OWNER/REPO#12 for one issue'],
    });
  }
  const number = after !== null && /^[1-9]\d{0,9}$/.test(after) ? Number(after) : null;
  return { repository, label: number === null ? after : null, number };
}

const ADDRESS = /^(?:https?:\/\/)?(?:www\.)?github\.com\/([A-Za-z0-9._-]+)\/([A-Za-z0-9._-]+?)(?:\.git)?(?:\/(.*))?$/;

/** The issues at a GitHub address, as {@link readIssueSource} reads them; null for any other text. */
export function issuesOfAddress(address: string): string | null {
  const found = ADDRESS.exec(address.trim());
  if (found === null) return null;
  const [, owner = '', repository = '', rest = ''] = found;
  const number = /^issues\/(\d+)/.exec(rest)?.[1];
  const label = /label(?:%3A|:)(?:%22|")?([^"%+&\s]+)/i.exec(rest)?.[1] ?? /^labels\/([^/?#%]+)/.exec(rest)?.[1];
  return `gh:${owner}/${repository}${(number ?? label) ? `#${number ?? label}` : ''}`;
}

/** An issue of a tracker. Its texts come from outside: they become a story's text and nothing more. */
export interface ForeignIssue {
  /** Id of its story. */
  readonly id: string;
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
/** Priority of a story that no label ranks. */
const MIDDLE = priorityOf('medium') ?? 2;

/** Issues as native stories. Check boxes are criteria, `depends on #7` is a dependency if `known` has it, else a note. */
export function issueStories(issues: readonly ForeignIssue[], known: ReadonlySet<string>): readonly IssueStory[] {
  const ids = new Set([...known, ...issues.map(({ id }) => id)]);
  return issues.map((issue) => issueStory(cleanValue(issue) as ForeignIssue, ids));
}

export type IssueStory = ReturnType<typeof issueStory>;

/** What the text of an issue says: check boxes are criteria, `depends on #7` names another issue. */
export function issueParts(body: string) {
  const lines = outsideFences(body);
  return {
    criteria: lines.flatMap(({ text, fenced }) => (fenced ? [] : (BOX.exec(text)?.[1]?.trim() ?? []))),
    needs: needsOf(lines.map(({ text, fenced }) => (fenced ? '' : text)).join('\n')),
    description: lines
      .filter(({ text, fenced }) => fenced || !BOX.test(text))
      .map(({ text }) => text)
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  };
}

function issueStory(issue: ForeignIssue, ids: ReadonlySet<string>) {
  const { id, body, labels } = issue;
  const { criteria, description, needs: numbers } = issueParts(body);
  const needs = numbers.map(idOf).filter((each) => each !== id);
  const unknown = needs.filter((each) => !ids.has(each));
  const title = issue.title.replace(/\s+/g, ' ').trim() || id;
  return {
    id,
    title,
    description,
    acceptanceCriteria: criteria.length > 0 ? criteria : [title],
    priority: labels.map((label) => priorityOf(rankOf(label))).find((rank) => rank !== null) ?? MIDDLE,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: [`${issue.url || id} by ${issue.author || 'an unknown author'}`, ...unknown.map(waitingNote)].join('\n'),
    dependsOn: needs.filter((each) => ids.has(each)),
    ...(labels.length > 0 ? { labels } : {}),
    ...(issue.url === '' ? {} : { url: issue.url }),
    author: issue.author,
    ...(issue.milestone === null ? {} : { milestone: issue.milestone }),
  };
}

/** A line of `notes` for a dependency that cannot be recorded yet. */
function waitingNote(id: string): string {
  return `waits for ${id}, which is not a story here`;
}

export function idOf(number: number): string {
  return `GH-${number}`;
}

/** `priority: high`, `prio/P1`, `P0`, `must-have` → the part with the rank. Other labels give an empty text. */
function rankOf(label: string): string {
  const word = label.trim().replace(/^(?:priority|prio)\s*[:/= -]\s*/i, '');
  return /^(?:p[0-4]|critical|urgent|high|medium|low|must|should|could)(?:[ -]have)?$/i.test(word)
    ? word.replace(/[ -]have$/i, '')
    : '';
}

function needsOf(text: string): readonly number[] {
  const groups = [...text.matchAll(NEEDS)].map(([, group = '']) => group);
  const numbers = groups.flatMap((group) =>
    [...group.matchAll(/(?:#|\/issues\/)(\d+)/g)].map(([, digits]) => Number(digits)),
  );
  return [...new Set(numbers)];
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

/** A native backlog with stories appended; every other byte stays. @throws Error for a text without a list of stories */
export function appendStories(text: string, stories: readonly Fields[]): string {
  if (stories.length === 0) return text;
  const tree = parseTree(text);
  const list = tree && findNodeAtLocation(tree, ['userStories']);
  if (list?.type !== 'array') throw new Error('no list of stories to append to');
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const margin = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const written = stories.map((story) => indented(JSON.stringify(story, null, margin), margin.repeat(2), newline));
  const last = list.children?.at(-1);
  const from = last === undefined ? list.offset + 1 : last.offset + last.length;
  const to = last === undefined ? list.offset + list.length - 1 : from;
  const before = last === undefined ? '' : ',';
  const after = last === undefined ? `${newline}${margin}` : '';
  return `${text.slice(0, from)}${before}${written.join(',')}${after}${text.slice(to)}`;
}

function indented(json: string, margin: string, newline: string): string {
  return json.split('\n').reduce((text, line) => `${text}${newline}${margin}${line}`, '');
}

/** A native backlog in which stories depend on those they were waiting for, now that these exist. @param fresh their ids */
export function linkWaiting(text: string, fresh: readonly string[]): string {
  const source = {
    format: 'tasks-json',
    file: 'tasks.json',
    text,
    reviewsFile: 'reviews.json',
    reviewsText: null,
  } as const;
  const { document } = loadSource(source);
  // The caller reports the problems of a backlog that cannot be read.
  if (document === null) return text;
  const edits = document.backlog.stories.flatMap((story): StoryEdit[] => {
    const lines = story.notes.split('\n');
    const found = fresh.filter((id) => lines.includes(waitingNote(id)));
    if (found.length === 0) return [];
    const notes = lines.filter((line) => !found.some((id) => line === waitingNote(id))).join('\n');
    return [{ kind: 'set', id: story.id, fields: { dependsOn: [...new Set([...story.dependsOn, ...found])], notes } }];
  });
  return editBacklog(document, edits).text;
}
