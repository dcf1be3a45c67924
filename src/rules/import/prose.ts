import { type PlanBlock, readBlocks } from '../backlog/formats/markdown-blocks.ts';

/** What a plan says beside the titles, descriptions and criteria of its stories. */
export interface PlanExtras {
  /** The text around the stories; null when that is headings alone. */
  readonly prose: string | null;
  /** By story, in file order: headings above it, and what its lines say that no field has. */
  readonly stories: readonly { readonly section: string | null; readonly notes: readonly string[] }[];
}

/** Before a criterion whose box was ticked. */
export const TICKED_NOTE = 'ticked in the plan: ';

const TICKED = /^\s*(?:[-*+]|\d+[.)])\s+\[[xX]\]\s+(.+)$/;
const HEADING = /^(#{1,6})[ \t]+(.+?)[ \t#]*$/;

/** Takes the prose out of a Markdown plan. */
export function readExtras(
  text: string,
  titles: readonly { readonly id: string; readonly title: string }[],
): PlanExtras {
  const { blocks } = readBlocks(text);
  const gaps = blocks.map((block, index) => text.slice(blocks[index - 1]?.end ?? 0, block.start));
  const last = blocks.at(-1);
  const around = [...gaps, text.slice(last?.end ?? 0)].join('').replace(/^\uFEFF/, '');
  const sections = sectionsBefore(gaps);
  return {
    prose: hasProse(around) ? `${around.replace(/(\r?\n){3,}/g, '\n\n').trim()}\n` : null,
    stories: blocks.map((block, index) => ({
      section: sections[index] ?? null,
      notes: [...titleNote(block, titles[index]), ...tickedNotes(block)],
    })),
  };
}

/** The headings that a story stands under, outermost first. */
function sectionsBefore(gaps: readonly string[]): readonly (string | null)[] {
  const open: { level: number; name: string }[] = [];
  return gaps.map((gap) => {
    let fenced = false;
    for (const line of gap.split(/\r?\n/)) {
      if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
      const heading = fenced ? null : HEADING.exec(line);
      if (!heading) continue;
      const level = heading[1]?.length ?? 1;
      while ((open.at(-1)?.level ?? 0) >= level) open.pop();
      open.push({ level, name: heading[2] ?? '' });
    }
    const names = open.filter(({ level }) => level > 1).map(({ name }) => name);
    return names.length > 0 ? names.join(' / ') : null;
  });
}

function hasProse(text: string): boolean {
  return text
    .split(/\r?\n/)
    .some((line) => line.trim() !== '' && !HEADING.test(line) && !/^\s*[-*_]{3,}\s*$/.test(line));
}

/** The line of the story where it says more than its id and title do. */
function titleNote(
  { titleLine }: PlanBlock,
  title: { readonly id: string; readonly title: string } | undefined,
): string[] {
  const said = letters(titleLine);
  const known = title === undefined ? '' : letters(title.title);
  if (title === undefined || said === known || said === letters(title.id) + known) return [];
  return [`in the plan: ${titleLine}`];
}

function tickedNotes({ lines }: PlanBlock): string[] {
  const ticked = lines.flatMap(({ text }) => TICKED.exec(text)?.[1] ?? []);
  return ticked.map((criterion) => `${TICKED_NOTE}${criterion}`);
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
