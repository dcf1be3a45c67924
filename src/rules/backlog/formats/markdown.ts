import { applyEdits, type Edit } from 'jsonc-parser';
import type { NewStory, Problem, Story, StoryFields } from '../../../contracts/index.ts';
import { blankBacklog, blankStory, type ForeignEdit, type Parsed, unreadable } from '../api.ts';
import { derivedId, uniqueIds } from '../ids.ts';
import { type PlanBlock, type PlanText, readBlocks } from './markdown-blocks.ts';
import { type PlanBody, readBody, sectionChecks } from './markdown-body.ts';
import { headingBox, isTicked } from './markdown-boxes.ts';
import { headingWords, ownersOf, seemsStory } from './markdown-owners.ts';
import { formatTitleLine, holdIn, parseTitleLine, type TitleLine, withoutHold } from './markdown-title.ts';
import { markWords } from './prd-done.ts';
import { fillPriorities } from './priority.ts';
import { error, lineAt, lineEnding, lineFrom, linesAt, mostFrequent, repeatedId, warning } from './text.ts';

interface PlanStory extends TitleLine {
  readonly id: string;
  readonly block: PlanBlock;
  /** Why it is on hold, according to its line; null when it is not. */
  readonly hold: string | null;
}

/** Reads a Markdown plan: every check box outside code and comments that is not nested inside another is a story. */
export function readMarkdown(text: string, file: string): Parsed {
  const plan = readBlocks(text);
  const { blocks } = plan;
  const planned = nameBlocks(blocks);
  if (planned.length === 0) return unreadable('markdown', noBoxes(text, file));
  const lines = linesAt(
    text,
    planned.map(({ block }) => block.box.start),
  );
  const names = {
    ids: new Set(planned.map(({ id }) => id)),
    titles: new Set(planned.map(({ title }) => title.toLowerCase())),
  };
  const bodies = planned.map((story) => readBody(story, names));
  const priorities = fillPriorities(bodies.map((body) => body.priority));
  const problems = planWarnings(text, plan, file);
  const stories = planned.map((story, index): Story => {
    const line = lines[index] ?? 1;
    const body = bodies[index];
    if (story.ownId !== null && story.ownId !== story.id) problems.push(repeatedId(story.ownId, story.id, line, file));
    return {
      ...blankStory(story.id, story.title, line),
      description: body?.description ?? '',
      acceptanceCriteria: body?.criteria ?? [],
      priority: priorities[index] ?? index + 1,
      passes: story.block.checked,
      dependsOn: body?.dependsOn ?? [],
      ...optional(story, body),
    };
  });
  const project = /^\uFEFF?\s*#[ \t]+(.+)/.exec(text)?.[1]?.trim() ?? null;
  const backlog = { ...blankBacklog('markdown'), project, verifyCommands: sectionChecks(text, blocks), stories };
  return { format: 'markdown', backlog, problems };
}

const NOTHING = {};

function optional(
  { hold, labels, block }: PlanStory,
  body: PlanBody | undefined,
): Pick<Story, 'verifyCommands' | 'paths' | 'labels' | 'blocked' | 'repo'> {
  const { checks = [], paths = [], repo = null } = body ?? {};
  const isHeld = hold !== null && !block.checked;
  if (!isHeld && repo === null && checks.length + paths.length + labels.length === 0) return NOTHING;
  return {
    ...(checks.length > 0 ? { verifyCommands: checks } : {}),
    ...(paths.length > 0 ? { paths } : {}),
    ...(labels.length > 0 ? { labels } : {}),
    ...(isHeld ? { blocked: hold } : {}),
    ...(repo !== null ? { repo } : {}),
  };
}

/** Ids for all stories: the one on the line, else one from the title. A repeated one gets a number. */
function nameBlocks(blocks: readonly PlanBlock[]): readonly PlanStory[] {
  const unique = uniqueIds();
  return blocks.map((block) => {
    const said = holdIn(block.titleLine);
    const line = parseTitleLine(said === null ? block.titleLine : withoutHold(block.titleLine));
    const hold = said ?? (block.calledOff ? 'the plan says: cancelled, [-]' : null);
    const title = line.title === '' ? firstWords(block) : line.title;
    const { ownId, rest, labels } = line;
    return { ownId, rest, labels, title, block, hold, id: unique(ownId ?? derivedId(title)) };
  });
}

function firstWords({ lines }: PlanBlock): string {
  return lines.find(({ text }) => text.trim() !== '')?.text.trim() ?? '';
}

function noBoxes(text: string, file: string): Problem {
  const fix = 'Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it.';
  return text.replace('\uFEFF', '').trim() === ''
    ? error('schema/empty', file, 1, 'the file is empty', fix)
    : error('schema/no-stories', file, 1, 'the plan has no check boxes, so it names no stories', fix);
}

const HINT = /acceptance|criteria|done|dod|task|step|to-?do|checklist|implementation/i;
/** A box in any place; code and links do not count. */
const SOME_BOX = /\[[ xX\u2713\u2714]\](?![([])/;
const NAMED = 3;

/** Parts of a plan that may have been meant differently from how they were read. */
function planWarnings(text: string, plan: PlanText, file: string): Problem[] {
  return [...criteriaAsStories(text, plan, file), ...unreadHeadings(text, plan, file), ...legend(plan, file)];
}

function legend({ legend: count }: PlanText, file: string): Problem[] {
  if (count === 0) return [];
  const message = `${count} boxes are ignored: they are named after states, so they look like a legend`;
  return [warning('schema/left-out', file, 1, message, 'Give a box that is a story another title.')];
}

/** Boxes that are all under "Acceptance Criteria:" or similar labels, below headings that look like stories. */
function criteriaAsStories(text: string, { form, blocks, headings }: PlanText, file: string): Problem[] {
  if (form !== 'items' || headings.length === 0 || !HINT.test(text)) return [];
  const owners = ownersOf(
    text,
    blocks.map(({ start }) => start),
    headings,
  ).filter(seemsStory);
  const [first] = owners;
  if (!first || (owners.length === 1 && !first.hasId)) return [];
  const boxes = owners.reduce((sum, { boxes: own }) => sum + own.length, 0);
  const names = owners.slice(0, NAMED).map(({ name }) => name);
  const more = owners.length > NAMED ? ` and ${owners.length - NAMED} more` : '';
  const counted = boxes === 1 ? 'the box' : `the ${boxes} boxes`;
  const message = `${counted} under "${first.label}" of ${names.join(', ')}${more} ${boxes === 1 ? 'is a story' : 'are stories, one each'}`;
  const fix = `If the headings are the stories, give them boxes, "### [ ] ${first.name}${first.hasId ? ': Title' : ''}": what is below becomes their criteria.`;
  return [warning('schema/criteria-as-stories', file, lineAt(text, first.offset), message, fix)];
}

/** Headings with a box in an unsupported place. */
function unreadHeadings(text: string, { headings }: PlanText, file: string): Problem[] {
  const unread = headings.filter(({ offset }) => {
    const line = lineFrom(text, offset);
    return line.includes('[') && SOME_BOX.test(line.replace(/`[^`]*`/g, '')) && headingBox(text, offset) === null;
  });
  const [first] = unread;
  if (!first) return [];
  const boxes = unread.length === 1 ? 'a heading has a box' : `${unread.length} headings have boxes`;
  const message = `${boxes} that ralph does not read as a story: ${headingWords(text, first.offset)}`;
  const fix = 'A heading that is a story begins or ends with its box: "### [ ] US-001: Title".';
  return [warning('schema/unread-box', file, lineAt(text, first.offset), message, fix)];
}

/** Hashes, or the start of a list item. */
const LEAD =
  /^(?:#{1,6}[ \t]+(?:[-*+][ \t]+)?|[ \t>]*(?:(?:[-*+\u2022\u25E6\u25AA\u2023\u2013\u2014]|\d{1,9}[.)])(?:[ \t\u00A0]+|(?=\[)))*)/;

/** A plan with boxes ticked or cleared, in the plan's own mark, and stories added after the last open one, in its style. */
export function editMarkdown(
  text: string,
  changes: ReadonlyMap<string, StoryFields>,
  added: readonly NewStory[],
): ForeignEdit {
  const plan = readBlocks(text);
  const stories = nameBlocks(plan.blocks);
  const signs = plan.blocks.map(({ box }) => text.slice(box.start, box.end));
  const signFor = (done: boolean, block: PlanBlock): string => {
    const like = text.slice(block.box.start, block.box.end);
    if (isBox(text, plan, block)) return done ? (mostFrequent(signs.filter(isTicked)) ?? 'x') : ' ';
    return markWords(
      done,
      like,
      plan.isBoxed ? signs.filter((sign) => /\p{Extended_Pictographic}/u.test(sign)) : signs,
    );
  };
  const edits: Edit[] = [];
  const elsewhere = new Map<string, Omit<StoryFields, 'passes'>>();
  for (const { id, block } of stories) {
    const { passes, ...rest } = changes.get(id) ?? {};
    if (passes !== undefined && passes !== block.checked) {
      edits.push(...marked(block, signFor(passes, block)));
    } else if (rest.blocked === null && block.calledOff) {
      edits.push(...marked(block, signFor(false, block)));
    }
    if (rest.blocked === null) edits.push(...free(text, block));
    elsewhere.set(id, rest);
  }
  const ticked = applyEdits(text, edits);
  if (added.length === 0) return { text: ticked, elsewhere };
  for (const { id, title: _title, notes, priority, ...body } of added) {
    const kept = { ...(notes ? { notes } : {}), ...(priority !== undefined ? { priority } : {}) };
    // A row of a table has no room for more than its title.
    elsewhere.set(id, plan.form === 'rows' ? { ...body, ...kept } : kept);
  }
  return { text: addStories(ticked, readBlocks(ticked), added, signFor), elsewhere };
}

/** Whether a mark is a box: of a list, a heading, or in a cell of a table. */
function isBox(text: string, plan: PlanText, { box, criteria }: PlanBlock): boolean {
  if (plan.isBoxed) return criteria !== undefined || /^[ \t\u00A0]{0,3}\\?\]/.test(text.slice(box.end, box.end + 5));
  return box.end - box.start <= 1 && text[box.start - 1] === '[';
}

function marked({ box, criteria = [box] }: PlanBlock, content: string): Edit[] {
  return criteria.map(({ start, end }) => ({ offset: start, length: end - start, content }));
}

/** To unblock a story that the plan itself blocks, the mark is removed from its line. */
function free(text: string, { box }: PlanBlock): Edit[] {
  const { titleStart: start, titleEnd: end } = box;
  const line = text.slice(start, end);
  const freed = withoutHold(line);
  return freed === line ? [] : [{ offset: start, length: end - start, content: freed }];
}

function addStories(
  text: string,
  plan: PlanText,
  added: readonly NewStory[],
  signFor: (done: boolean, like: PlanBlock) => string,
): string {
  const model = plan.blocks.findLast(({ checked }) => !checked) ?? plan.blocks.at(-1);
  if (!model) throw new Error('a plan without stories was edited');
  const eol = lineEnding(text);
  const lead = leadOf(text, model);
  const blocks = added.map((story) => {
    const title = formatTitleLine(story.id, story.title);
    const boxed = plan.form === 'criteria' ? `${lead}${title}` : `${lead}[ ] ${title}`;
    const first = plan.isBoxed ? boxed : imitate(text, model, title, signFor(false, model));
    return [first, ...(plan.form === 'rows' ? [] : bodyOf(story, lead, plan.form))].join(eol);
  });
  const block = text.slice(model.start, model.end);
  const gap = plan.form === 'headings' || plan.form === 'criteria' || /\n[ \t]*\r?\n$/.test(block) ? eol + eol : eol;
  const after = insert(text, model.start + contentLength(block), blocks.map((story) => gap + story).join(''));
  if (readBlocks(after).blocks.length === plan.blocks.length + added.length) return after;
  // The block ends in something that swallows the text after it, such as an unclosed code fence.
  const start = model.start === 0 && text.startsWith('\uFEFF') ? 1 : model.start;
  return insert(text, start, blocks.map((story) => story + gap).join(''));
}

/** The lines of a story up to its title and mark, with others in their place; the other cells of a row are blank. */
function imitate(text: string, { start, box }: PlanBlock, title: string, sign: string): string {
  const [one, two] = [
    { from: box.titleStart, to: box.titleEnd, said: title },
    { from: box.start, to: box.end, said: sign },
  ].toSorted((a, b) => a.from - b.from) as [Span, Span];
  const line = text.slice(start, two.to) + lineFrom(text, two.to);
  const between = [
    line.slice(0, one.from - start),
    line.slice(one.to - start, two.from - start),
    line.slice(two.to - start),
  ];
  const [before, middle, after] = line.trimStart().startsWith('|')
    ? between.map((part) => part.replace(/[^|\s[\]]/g, ' '))
    : between;
  return `${before}${one.said}${middle}${two.said}${after}`;
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly said: string;
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

/** The lines of a new story below its first. `lead` is the text before the box in the imitated story: `- `, `### `, `2. ` … */
function bodyOf(story: NewStory, lead: string, form: PlanText['form']): string[] {
  const needs = story.dependsOn ?? [];
  const criteria = story.acceptanceCriteria ?? [];
  const bullet = /[-*+]/.exec(lead)?.[0] ?? '-';
  const body: string[] = [];
  if (story.description) body.push(...story.description.split(/\r?\n/));
  if (needs.length > 0) body.push(`depends on: ${needs.join(', ')}`);
  const asked = form === 'criteria' && criteria.length === 0 ? [story.title] : criteria;
  const list = asked.map((one) => `${bullet} ${form === 'criteria' ? '[ ] ' : ''}${one.replace(/\s+/g, ' ')}`);
  if (form === 'headings' || form === 'criteria') {
    return [
      ...(body.length > 0 ? ['', ...body] : []),
      ...(list.length > 0 ? ['', '**Acceptance Criteria:**', ...list] : []),
    ];
  }
  // Below the marker there are spaces; the marks of a block quote continue.
  const indent = lead.replace(/[^>\s]/g, ' ');
  return [...body, ...list].map((line) => (line === '' ? '' : indent + line));
}
