import type { NewStory, StoryFields } from '../../../contracts/model.ts';
import { lineEnding } from '../lines.ts';
import { applyPatches, type Patch } from './json-edit.ts';
import { nameBlocks, type PlanStory } from './markdown.ts';
import { type PlanText, readBlocks } from './markdown-blocks.ts';
import { formatTitleLine } from './markdown-title.ts';
import type { ForeignEdit } from './prd-json-edit.ts';

/**
 * A plan with boxes ticked or cleared and stories added. A tick changes one character; whatever else a story is set to
 * goes elsewhere. New stories follow the last one that is still open, in the way that one is written.
 */
export function editMarkdown(
  text: string,
  changes: ReadonlyMap<string, StoryFields>,
  added: readonly NewStory[],
): ForeignEdit {
  const plan = readBlocks(text);
  const stories = nameBlocks(plan.blocks);
  const patches: Patch[] = [];
  const elsewhere = new Map<string, Omit<StoryFields, 'passes'>>();
  for (const { id, block } of stories) {
    const { passes, ...rest } = changes.get(id) ?? {};
    if (passes !== undefined && passes !== block.checked) {
      patches.push({ start: block.box, end: block.box + 1, text: passes ? 'x' : ' ' });
    }
    elsewhere.set(id, rest);
  }
  const ticked = applyPatches(text, patches);
  if (added.length === 0) return { text: ticked, elsewhere };
  for (const { id, notes, priority } of added) {
    elsewhere.set(id, { ...(notes ? { notes } : {}), ...(priority !== undefined ? { priority } : {}) });
  }
  return { text: addStories(ticked, plan, stories, added), elsewhere };
}

function addStories(text: string, plan: PlanText, stories: readonly PlanStory[], added: readonly NewStory[]): string {
  const model = (stories.findLast(({ block }) => !block.checked) ?? stories.at(-1))?.block;
  if (!model) throw new Error('a plan without stories was edited');
  const eol = lineEnding(text);
  const lead = text.slice(model.start, model.box - 1).replace('\uFEFF', '');
  const blocks = added.map((story) => renderStory(story, lead, plan.form).join(eol));
  const block = text.slice(model.start, model.end);
  const gap = plan.form === 'headings' || /\n[ \t]*\r?\n$/.test(block) ? eol + eol : eol;
  const after = insert(text, model.start + contentLength(block), blocks.map((story) => gap + story).join(''));
  if (readBlocks(after).blocks.length === stories.length + added.length) return after;
  // The block ends in something that swallows what follows, such as a code fence that nobody closed.
  const start = model.start === 0 && text.startsWith('\uFEFF') ? 1 : model.start;
  return insert(text, start, blocks.map((story) => story + gap).join(''));
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

/** Length of a block without the white space and rules that end it: they stay behind what is added. */
function contentLength(block: string): number {
  let content = block.trimEnd();
  for (;;) {
    const shorter = content.replace(/\n[ \t]*(?:-{3,}|\*{3,}|_{3,})$/, '').trimEnd();
    if (shorter.length === content.length) return content.length;
    content = shorter;
  }
}

/** The lines of a new story. `lead` is what stands before the box in the story that is imitated: `- `, `### `, `2. ` … */
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
  // What the marker took is blank below it; the marks of a block quote go on.
  const indent = lead.replace(/[^>\s]/g, ' ');
  return [first, ...[...body, ...list].map((line) => (line === '' ? '' : indent + line))];
}
