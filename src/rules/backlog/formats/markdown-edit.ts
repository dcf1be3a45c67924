import { applyEdits, type Edit } from 'jsonc-parser';
import type { NewStory, StoryFields } from '../../../contracts/index.ts';
import type { ForeignEdit } from '../api.ts';
import { nameBlocks, type PlanStory } from './markdown.ts';
import { isTicked, type PlanBlock, type PlanText, readBlocks } from './markdown-blocks.ts';
import { formatTitleLine, withoutHold } from './markdown-title.ts';
import { lineEnding, mostFrequent } from './text.ts';

/** Hashes, or the start of a list item. */
const LEAD = /^(?:#{1,6}[ \t]+(?:[-*+][ \t]+)?|[ \t>]*(?:(?:[-*+\u2022\u25E6\u25AA\u2023]|\d{1,9}[.)])[ \t]+)*)/;

/** A plan with boxes ticked or cleared, in the plan's own mark, and stories added after the last open one, in its style. */
export function editMarkdown(
  text: string,
  changes: ReadonlyMap<string, StoryFields>,
  added: readonly NewStory[],
): ForeignEdit {
  const plan = readBlocks(text);
  const stories = nameBlocks(plan.blocks);
  const ticks = plan.blocks.map(({ box }) => text.slice(box.start, box.end)).filter(isTicked);
  const tick = mostFrequent(ticks) ?? 'x';
  const edits: Edit[] = [];
  const elsewhere = new Map<string, Omit<StoryFields, 'passes'>>();
  for (const { id, block } of stories) {
    const { passes, ...rest } = changes.get(id) ?? {};
    if (passes !== undefined && passes !== block.checked) {
      edits.push(mark(block, passes ? tick : ' '));
    } else if (rest.blocked === null && block.calledOff) {
      edits.push(mark(block, ' '));
    }
    if (rest.blocked === null) edits.push(...free(text, block));
    elsewhere.set(id, rest);
  }
  const ticked = applyEdits(text, edits);
  if (added.length === 0) return { text: ticked, elsewhere };
  for (const { id, notes, priority } of added) {
    elsewhere.set(id, { ...(notes ? { notes } : {}), ...(priority !== undefined ? { priority } : {}) });
  }
  return { text: addStories(ticked, plan, stories, added), elsewhere };
}

function mark({ box: { start, end } }: PlanBlock, content: string): Edit {
  return { offset: start, length: end - start, content };
}

/** To unblock a story that the plan itself blocks, the mark is removed from its line. */
function free(text: string, { box }: PlanBlock): Edit[] {
  const { titleStart: start, titleEnd: end } = box;
  const line = text.slice(start, end);
  const freed = withoutHold(line);
  return freed === line ? [] : [{ offset: start, length: end - start, content: freed }];
}

function addStories(text: string, plan: PlanText, stories: readonly PlanStory[], added: readonly NewStory[]): string {
  const model = (stories.findLast(({ block }) => !block.checked) ?? stories.at(-1))?.block;
  if (!model) throw new Error('a plan without stories was edited');
  const eol = lineEnding(text);
  const lead = leadOf(text, model);
  const blocks = added.map((story) => renderStory(story, lead, plan.form).join(eol));
  const block = text.slice(model.start, model.end);
  const gap = plan.form === 'headings' || /\n[ \t]*\r?\n$/.test(block) ? eol + eol : eol;
  const after = insert(text, model.start + contentLength(block), blocks.map((story) => gap + story).join(''));
  if (readBlocks(after).blocks.length === stories.length + added.length) return after;
  // The block ends in something that swallows the text after it, such as an unclosed code fence.
  const start = model.start === 0 && text.startsWith('\uFEFF') ? 1 : model.start;
  return insert(text, start, blocks.map((story) => story + gap).join(''));
}

/** The text before the box of a story: `- `, `### `, `2. ` …; without any part that only this story has. */
function leadOf(text: string, { start, box }: PlanBlock): string {
  const before = text.slice(start, Math.min(box.start, box.titleStart)).replace('\uFEFF', '');
  return LEAD.exec(before)?.[0] ?? '';
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

/** Length of a block without trailing white space and rules: these stay after the added text. */
function contentLength(block: string): number {
  let content = block.trimEnd();
  for (;;) {
    const shorter = content.replace(/\n[ \t]*(?:-{3,}|\*{3,}|_{3,})$/, '').trimEnd();
    if (shorter.length === content.length) return content.length;
    content = shorter;
  }
}

/** The lines of a new story. `lead` is the text before the box in the imitated story: `- `, `### `, `2. ` … */
function renderStory(story: NewStory, lead: string, form: PlanText['form']): string[] {
  const needs = story.dependsOn ?? [];
  const criteria = story.acceptanceCriteria ?? [];
  const bullet = /[-*+]/.exec(lead)?.[0] ?? '-';
  const first = `${lead}[ ] ${formatTitleLine(story.id, story.title)}`;
  const body: string[] = [];
  if (story.description) body.push(...story.description.split(/\r?\n/));
  if (needs.length > 0) body.push(`depends on: ${needs.join(', ')}`);
  const list = criteria.map((criterion) => `${bullet} ${criterion.replace(/\s+/g, ' ')}`);
  if (form === 'headings') {
    return [
      first,
      ...(body.length > 0 ? ['', ...body] : []),
      ...(list.length > 0 ? ['', '**Acceptance Criteria:**', ...list] : []),
    ];
  }
  // Below the marker there are spaces; the marks of a block quote continue.
  const indent = lead.replace(/[^>\s]/g, ' ');
  return [first, ...[...body, ...list].map((line) => (line === '' ? '' : indent + line))];
}
