/** A story from what a person typed. */
interface Sentence {
  readonly title: string;
  /** The whole text, where the title is not all of it. */
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  /** The part of a branch name that says what it is about: `add-json-flag`. */
  readonly slug: string;
}

const LONGEST_TITLE = 72;
const LONGEST_CRITERION = 300;
const LONGEST_SLUG = 40;
/** Say nothing in the name of a branch. */
const FILLERS = new Set(['a', 'an', 'the', 'please']);
/** A cut leaves none of them at the end. */
const DANGLING = /(?: (?:and|as|by|for|from|if|in|is|of|on|or|so|that|to|when|with))+$/;

/** The criteria are the items of a list in the text, else the text itself. Pure. */
export function storyOfSentence(text: string): Sentence {
  const whole = text.trim();
  const lines = whole.split(/\n+/).map((line) => line.trim().replace(/\s+/g, ' '));
  const first = (/^.+?[.!?](?=\s)/.exec(lines[0] ?? '')?.[0] ?? lines[0] ?? '').replace(/[.:\s]+$/, '');
  const title = cutAtWord(first, LONGEST_TITLE, '…');
  const items = lines.flatMap((line) => /^(?:[-*•]|\d+[.)])\s+(.+)/.exec(line)?.[1] ?? []);
  const oneLine = lines.join(' ');
  const criterion = oneLine.length <= LONGEST_CRITERION ? oneLine : `${title}, as the description asks`;
  return {
    title,
    description: oneLine.replace(/[.\s]+$/, '') === title ? '' : whole,
    acceptanceCriteria: items.length > 0 ? items : [criterion],
    slug: slugOf(title),
  };
}

/** Empty where the text has no letter that a branch name takes everywhere. */
function slugOf(title: string): string {
  const plain = title
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  const words = plain.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const telling = words.filter((word) => !FILLERS.has(word));
  const said = (telling.length > 0 ? telling : words).join(' ');
  return cutAtWord(said, LONGEST_SLUG, '').replace(DANGLING, '').replaceAll(' ', '-');
}

function cutAtWord(text: string, most: number, mark: string): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - mark.length + 1);
  const end = cut.lastIndexOf(' ');
  return `${end > 0 ? cut.slice(0, end) : cut.slice(0, -1)}${mark}`;
}
