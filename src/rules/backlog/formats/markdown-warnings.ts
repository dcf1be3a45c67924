import type { Problem } from '../../../contracts/model.ts';
import { linesAt } from '../lines.ts';
import type { PlanText } from './markdown-blocks.ts';
import { headingBox } from './markdown-boxes.ts';
import { ID, WORD_ID } from './markdown-ids.ts';

const CRITERIA = /^(?:acceptance|acceptance criteri(?:a|on)|success criteria|done when|definition of done|dod)$/i;
const STEPS = /^(?:tasks?|sub-?tasks?|steps|to-?dos?|checklist|implementation(?: tasks| steps)?)$/i;
const HINT = /acceptance|criteria|done|dod|task|step|to-?do|checklist|implementation/i;
/** A line that is nothing but a label: `**Acceptance Criteria:**`, `Tasks:`. */
const LABEL =
  /^[ \t]*(?:[-*+][ \t]+)?(?:(?:\*\*|__)([A-Za-z][A-Za-z -]{2,40}?):?(?:\*\*|__):?|([A-Za-z][A-Za-z -]{2,40}):)[ \t]*\r?$/gm;
const HEADING = /^#{1,6}[ \t]+(.*?)[ \t#]*$/;
const OWN_ID = new RegExp(`^\\W{0,4}(${ID}|${WORD_ID})\\b`);
/** What is made of stories: its tasks are these. */
const GROUP = /^(?:phase|milestone|epic|step|sprint)\b/i;
/** A box, in whatever place; code and links have none. */
const SOME_BOX = /\[[ xX\u2713\u2714]\](?![([])/;
/** So many names a message takes. */
const NAMED = 3;

/** What of a plan was perhaps meant otherwise than it is read. */
export function planWarnings(text: string, plan: PlanText, file: string): Problem[] {
  return [...criteriaAsStories(text, plan, file), ...unreadHeadings(text, plan, file)];
}

interface Owner {
  readonly offset: number;
  /** Its id, else its words. */
  readonly name: string;
  readonly hasId: boolean;
  label: string;
  inside: number;
  outside: number;
}

/** Boxes that all stand under "Acceptance Criteria:" and the like of headings that look like the stories. */
function criteriaAsStories(text: string, { form, blocks, headings }: PlanText, file: string): Problem[] {
  if (form === 'headings' || headings.length === 0 || !HINT.test(text)) return [];
  const owners = ownersOf(
    text,
    blocks.map(({ start }) => start),
    headings,
  ).filter(
    ({ inside, outside, hasId, name, label }) =>
      inside > 0 && outside === 0 && (CRITERIA.test(label) || (hasId && !GROUP.test(name))),
  );
  const [first] = owners;
  if (!first || (owners.length === 1 && !first.hasId)) return [];
  const boxes = owners.reduce((sum, { inside }) => sum + inside, 0);
  const names = owners.slice(0, NAMED).map(({ name }) => name);
  const more = owners.length > NAMED ? ` and ${owners.length - NAMED} more` : '';
  const counted = boxes === 1 ? 'the box' : `the ${boxes} boxes`;
  return [
    {
      severity: 'warning',
      rule: 'schema/criteria-as-stories',
      file,
      line: linesAt(text, [first.offset])[0] ?? 1,
      message: `${counted} under "${first.label}" of ${names.join(', ')}${more} ${boxes === 1 ? 'is a story' : 'are stories, one each'}`,
      mend: `If the headings are the stories, give them boxes, "### [ ] ${first.name}${first.hasId ? ': Title' : ''}": what is below becomes their criteria.`,
    },
  ];
}

/** The headings that hold boxes, each with the label that these stand under. */
function ownersOf(text: string, boxes: readonly number[], headings: PlanText['headings']): Owner[] {
  const owners: Owner[] = [];
  let owner: Owner | null = null;
  let level = 0;
  let box = boxes.findIndex((offset) => offset > (headings[0]?.offset ?? 0));
  for (const [index, heading] of headings.entries()) {
    const words = headingWords(text, heading.offset);
    let label = '';
    if (owner && heading.level > level && isLabel(words)) {
      label = words;
    } else {
      const id = OWN_ID.exec(words)?.[1];
      owner = { offset: heading.offset, name: id ?? words, hasId: id !== undefined, label: '', inside: 0, outside: 0 };
      level = heading.level;
      if (level > 1) owners.push(owner);
    }
    const end = headings[index + 1]?.offset ?? text.length;
    for (let from = heading.offset; box !== -1 && (boxes[box] ?? end) < end; box += 1) {
      const to = boxes[box] ?? end;
      // Between one box and the next, what stands last counts.
      for (const found of text.slice(from, to).matchAll(LABEL)) label = found[1] ?? found[2] ?? '';
      from = to;
      if (isLabel(label)) owner.inside += 1;
      else owner.outside += 1;
      if (isLabel(label) && owner.label === '') owner.label = label;
    }
  }
  return owners;
}

function headingWords(text: string, offset: number): string {
  const words = HEADING.exec(lineOf(text, offset))?.[1] ?? '';
  return words.replace(/\*\*|__|:$/g, '').trim();
}

function isLabel(words: string): boolean {
  return CRITERIA.test(words) || STEPS.test(words);
}

/** Headings with a box in a place where none is looked for. */
function unreadHeadings(text: string, { headings }: PlanText, file: string): Problem[] {
  const unread = headings.filter(({ offset }) => {
    const line = lineOf(text, offset);
    return line.includes('[') && SOME_BOX.test(line.replace(/`[^`]*`/g, '')) && headingBox(text, offset) === null;
  });
  const [first] = unread;
  if (!first) return [];
  return [
    {
      severity: 'warning',
      rule: 'schema/unread-box',
      file,
      line: linesAt(text, [first.offset])[0] ?? 1,
      message: `${unread.length === 1 ? 'a heading has a box' : `${unread.length} headings have boxes`} that nothing is read from: ${headingWords(text, first.offset)}`,
      mend: 'A heading that is a story begins or ends with its box: "### [ ] US-001: Title".',
    },
  ];
}

function lineOf(text: string, offset: number): string {
  const feed = text.indexOf('\n', offset);
  return text.slice(offset, feed === -1 ? text.length : feed).trimEnd();
}
