import type { OutlineHeading } from './markdown-outline.ts';
import { ID, WORD_ID } from './markdown-title.ts';
import { lineFrom } from './text.ts';

/** A heading, and the boxes below it. */
interface Owner {
  readonly offset: number;
  /** Its id if it has one, else its words. */
  readonly name: string;
  readonly hasId: boolean;
  /** The label above its first box that has one: "Acceptance Criteria", "Tasks". */
  readonly label: string;
  /** Which of all boxes. */
  readonly boxes: readonly number[];
  /** How many of them have no label. */
  readonly outside: number;
}

const CRITERIA = /^(?:acceptance|acceptance criteri(?:a|on)|success criteria|done when|definition of done|dod)$/i;
const STEPS = /^(?:tasks?|sub-?tasks?|steps|to-?dos?|checklist|implementation(?: tasks| steps)?)$/i;
/** A line that is only a label: `**Acceptance Criteria:**`, `Tasks:`. */
const LABEL =
  /^[ \t]*(?:[-*+][ \t]+)?(?:(?:\*\*|__)([A-Za-z][A-Za-z -]{2,40}?):?(?:\*\*|__):?|([A-Za-z][A-Za-z -]{2,40}):)[ \t]*\r?$/gm;
const HEADING = /^#{1,6}[ \t]+(.*?)[ \t#]*$/;
const OWN_ID = new RegExp(`^\\W{0,4}(${ID}|${WORD_ID})\\b`);
/** Names of groups of stories: the boxes below them are stories. */
const GROUP = /^(?:phase|milestone|epic|step|sprint)\b/i;

/** A text without any of these has no criteria under a label. */
const HINT = /acceptance|criteri|done when|definition of done|dod/i;

/** The headings of a plan that are not its title, nor labels of boxes. @param boxes where they are, in their order */
export function ownersOf(
  text: string,
  boxes: readonly number[],
  headings: readonly OutlineHeading[],
): readonly Owner[] {
  const owners: Owner[] = [];
  let owner: { label: string; boxes: number[]; outside: number } | null = null;
  let level = 0;
  let box = boxes.findIndex((offset) => offset > (headings[0]?.offset ?? 0));
  for (const [index, { offset, level: own }] of headings.entries()) {
    const words = headingWords(text, offset);
    let label = '';
    if (owner && own > level && isLabel(words)) {
      label = words;
    } else {
      const id = OWN_ID.exec(words)?.[1];
      const next = { offset, name: id ?? words, hasId: id !== undefined, label: '', boxes: [], outside: 0 };
      owner = next;
      level = own;
      if (level > 1) owners.push(next);
    }
    const end = headings[index + 1]?.offset ?? text.length;
    for (let from = offset; box !== -1 && (boxes[box] ?? end) < end; box += 1) {
      const to = boxes[box] ?? end;
      // Between one box and the next, the last label counts.
      for (const found of text.slice(from, to).matchAll(LABEL)) label = found[1] ?? found[2] ?? '';
      from = to;
      owner.boxes.push(box);
      if (!isLabel(label)) owner.outside += 1;
      else if (owner.label === '') owner.label = label;
    }
  }
  return owners;
}

/** Whether all boxes below a heading are parts of a story, which then probably is the heading. */
export function seemsStory({ name, hasId, label, boxes, outside }: Owner): boolean {
  return boxes.length > 0 && outside === 0 && (CRITERIA.test(label) || (hasId && !GROUP.test(name)));
}

/**
 * The headings that are the stories of a plan: each has an id, all boxes are their acceptance criteria, and no other
 * heading has an id of the same kind. Empty when the plan is another.
 */
export function storiesAmong(
  text: string,
  boxes: readonly number[],
  headings: readonly OutlineHeading[],
): readonly Owner[] {
  if (!HINT.test(text)) return [];
  const owners = ownersOf(text, boxes, headings);
  const stories = owners.filter((one) => one.boxes.length > 0);
  const areStories = stories.every((one) => one.hasId && seemsStory(one) && CRITERIA.test(one.label));
  const owned = stories.reduce((sum, one) => sum + one.boxes.length, 0);
  if (!areStories || owned < boxes.length) return [];
  const kinds = new Set(stories.map(kindOf));
  const others = owners.some((one) => one.boxes.length === 0 && one.hasId && kinds.has(kindOf(one)));
  return others ? [] : stories;
}

/** `US-` for `US-001`. */
function kindOf({ name }: Owner): string {
  return name.replace(/\d.*/s, '').toLowerCase();
}

export function headingWords(text: string, offset: number): string {
  const words = HEADING.exec(lineFrom(text, offset))?.[1] ?? '';
  return words.replace(/\*\*|__|:$/g, '').trim();
}

function isLabel(words: string): boolean {
  return CRITERIA.test(words) || STEPS.test(words);
}
