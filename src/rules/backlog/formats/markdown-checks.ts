import { isCheckCommand } from './check-command.ts';
import type { PlanBlock } from './markdown-blocks.ts';

const LABEL =
  /^\W*(?:verif(?:y|ication)|validat(?:e|ion)|quality (?:gates?|checks?)|how to (?:verify|test)|(?:test|verification|validation|check) commands?|checks)\b[^.]{0,40}$/i;
const ANNOUNCED = /(?:veri|valid|check)[a-z]*\W*:/i;
const SECTION = /^#{1,6}[ \t].*(?:verif|valid|quality|check|how to|command)/im;
const FENCE = /^\s*(?:`{3,}|~{3,})/;
const HEADING = /^(#{1,6})[ \t]+(.*)$/;

/** Whether a label or heading announces what is to be run to see that work is done. */
export function isVerificationLabel(label: string): boolean {
  return label !== '' && LABEL.test(label.trim());
}

/**
 * The commands in lines that a loop can run: in code that follows `Verify:`, or anywhere in it under such a label.
 *
 * @param labelled whether the lines stand under a label of that kind
 */
export function commandsIn(lines: readonly string[], labelled: boolean): string[] {
  return lines.flatMap((line) => {
    if (!labelled && !ANNOUNCED.test(line)) return [];
    const said = line.replace(/^\s*(?:[-*+]|\d+[.)])?\s*/, '').replace(/\*\*|__/g, '');
    const announced = /^(?:verify|verification|validate|validation|check|checks)\s*:\s*(.*)$/i.exec(said)?.[1];
    if (announced === undefined && !labelled) return [];
    const text = announced ?? said;
    const spans = [...text.matchAll(/`([^`]+)`/g)].map((span) => span[1] ?? '');
    // Outside code only a line that is nothing but a command counts.
    const candidates = spans.length > 0 ? spans : labelled ? [text] : [];
    return candidates.map((command) => command.trim().replace(/^\$ /, '')).filter(isCheckCommand);
  });
}

/** Checks of the whole plan: commands in a section `## Verification`, `## Quality gates` …, outside its stories. */
export function sectionChecks(text: string, blocks: readonly PlanBlock[]): readonly string[] {
  if (!SECTION.test(text)) return [];
  const found = new Set<string>();
  let inside = 0;
  let fenced = false;
  let block = 0;
  let at = 0;
  for (const line of text.split('\n')) {
    const start = at;
    at += line.length + 1;
    while ((blocks[block]?.end ?? Number.POSITIVE_INFINITY) <= start) block += 1;
    if (FENCE.test(line)) fenced = !fenced;
    const heading = fenced ? null : HEADING.exec(line.trimEnd());
    if (heading) {
      const level = heading[1]?.length ?? 1;
      if (isVerificationLabel(heading[2] ?? '')) inside = level;
      else if (level <= inside) inside = 0;
      continue;
    }
    const inStory = (blocks[block]?.start ?? Number.POSITIVE_INFINITY) <= start;
    // A code block at the margin belongs to the section, even below a box.
    const own = !inStory || (fenced && !/^\s/.test(line));
    if (inside > 0 && own) for (const command of commandsIn([line], true)) found.add(command);
  }
  return [...found];
}
