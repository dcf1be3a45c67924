/**
 * User stories in prose: headings with a story's id (`US-001`, `HU-1`), or with "As a … I want …" below them. Such a
 * document has no place for a tick, so it is not worked on in place, and all of its stories are open.
 */

const SENTENCE =
  /\b(?:as an? |como |en tant qu|als |come |jako )[\s\S]{2,300}?\b(?:i (?:want|need|can|would like)|quiero|quero|puedo|je (?:veux|souhaite|peux)|möchte ich|will ich|wil ik|voglio|chcę)\b/gi;
const HEADING = /^(#{1,6})[ \t]+(.+?)[ \t#]*$/;
const ID =
  /^\W{0,4}(?:(?:user )?story |historia (?:de usuario )?)?((?:US|HU|ST)[-_. ]?[A-Z]*-?\d[\w.-]*?|[A-Z]+\d*-\d[\w.-]*?|[A-Z]{1,3}\d+|\d+(?:\.\d+)*)[.)]?[ \t]*[:.)\u2013\u2014-]*[ \t]+(?=\S)/i;
const STORY_ID = /^(?:US|HU)[-_. ]?[A-Z]*-?\d/i;
const CRITERIA = /criteri|crit[eè]re|akzeptanz|acceptance/i;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(?=\S)/;
/** A single one may be an example. */
const FEWEST = 2;

interface Section {
  readonly words: string;
  readonly level: number;
  readonly lines: string[];
}

/** The stories of such a document as the JSON of a backlog; null for any other text. */
export function readUserStories(text: string): string | null {
  const sections = sectionsOf(text);
  // Several sentences make a group of stories.
  const isStory = ({ words, lines }: Section) =>
    STORY_ID.test(ID.exec(words)?.[1] ?? '') || sentencesIn(lines.join('\n')) === 1;
  const stories: Section[] = [];
  const around: string[] = [];
  for (const section of sections) {
    const last = stories.at(-1);
    if (section.level > 1 && isStory(section)) stories.push(section);
    // What is below a deeper heading belongs to the story above it.
    else if (last && section.level > last.level) last.lines.push(`${section.words}:`, ...section.lines);
    else around.push(...(stories.length === 0 ? section.lines : []));
  }
  if (stories.length < FEWEST) return null;
  const project = sections.find(({ level }) => level === 1)?.words;
  return JSON.stringify({ project, description: around.join('\n').trim(), userStories: stories.map(storyOf) }, null, 2);
}

function sentencesIn(text: string): number {
  return text.replace(/[*_]/g, '').match(SENTENCE)?.length ?? 0;
}

/** The headings of a text with the lines below each; headings in code are none. */
function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [{ words: '', level: 0, lines: [] }];
  let fenced = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const [, marks, words] = (fenced ? null : HEADING.exec(line)) ?? [];
    if (marks === undefined || words === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ words: words.replace(/\*\*|__/g, '').trim(), level: marks.length, lines: [] });
  }
  return sections;
}

/** Items below a label for criteria are criteria; without such a label all items that are not the story's own sentence. */
function storyOf({ words, lines }: Section) {
  const label = lines.findIndex((line) => CRITERIA.test(line) && !ITEM.test(line));
  const criteria: string[] = [];
  const description: string[] = [];
  for (const [at, line] of lines.entries()) {
    const bare = line.replace(ITEM, '').trim();
    const isItem = ITEM.test(line) && at > label && sentencesIn(bare) === 0;
    const last = criteria.length - 1;
    if (isItem) criteria.push(bare);
    else if (/^\s+\S/.test(line) && last >= 0 && ITEM.test(lines[at - 1] ?? '')) criteria[last] += ` ${bare}`;
    else if (at !== label && !/^\s*-{3,}\s*$/.test(line)) description.push(line);
  }
  const id = ID.exec(words);
  return {
    ...(id?.[1] === undefined ? {} : { id: id[1] }),
    title: id === null ? words : words.slice(id[0].length),
    description: description
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    acceptanceCriteria: criteria,
    passes: false,
  };
}
