import { applyEdits, findNodeAtLocation, type JSONPath, modify, parseTree } from 'jsonc-parser';
import { type Fields, isFields } from '../backlog/formats/keys.ts';
import { waitingNote } from './issue-stories.ts';

/**
 * A native backlog with stories appended; every other byte stays.
 * @throws Error for a text without a list of stories: whoever calls has read it
 */
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

/**
 * A native backlog whose stories depend on those that they were waiting for, now that these are stories as well.
 * @param fresh ids of stories that have just come
 */
export function linkWaiting(text: string, fresh: readonly string[]): string {
  const value: unknown = JSON.parse(text);
  const stories = isFields(value) ? value['userStories'] : null;
  if (!Array.isArray(stories)) return text;
  let linked = text;
  for (const [at, story] of stories.entries()) {
    if (!isFields(story) || typeof story['notes'] !== 'string') continue;
    const lines = story['notes'].split('\n');
    const found = fresh.filter((id) => lines.includes(waitingNote(id)));
    if (found.length === 0) continue;
    const before = Array.isArray(story['dependsOn']) ? story['dependsOn'] : [];
    const notes = lines.filter((line) => !found.some((id) => line === waitingNote(id))).join('\n');
    linked = replaced(linked, ['userStories', at, 'dependsOn'], [...new Set([...before, ...found])]);
    linked = replaced(linked, ['userStories', at, 'notes'], notes);
  }
  return linked;
}

function replaced(text: string, path: JSONPath, value: unknown): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol };
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}
