import { parse, postprocess, preprocess } from 'micromark';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';
import type { Outline, OutlineHeading } from './markdown-outline.ts';

/** The outline of any Markdown text, by the reference parser. Slow: for texts that the quick outline declines. */
export function fullOutline(text: string): Outline {
  const items: { offset: number; parent: number; box: number | null }[] = [];
  const headings: OutlineHeading[] = [];
  /** The current item of each open list, outermost first. */
  const lists: number[] = [];
  let containers = 0;
  let quotes = 0;
  let heading: number | null = null;
  const document = parse({ extensions: [gfmTaskListItem()] }).document();
  for (const [kind, token] of postprocess(document.write(preprocess()(text, undefined, true)))) {
    const entering = kind === 'enter';
    switch (token.type) {
      case 'listOrdered':
      case 'listUnordered':
        containers += entering ? 1 : -1;
        if (entering) lists.push(-1);
        else lists.pop();
        break;
      case 'blockQuote':
        containers += entering ? 1 : -1;
        quotes += entering ? 1 : -1;
        break;
      case 'listItemPrefix':
        if (!entering) break;
        items.push({ offset: token.start.offset, parent: lists.at(-2) ?? -1, box: null });
        lists[lists.length - 1] = items.length - 1;
        break;
      case 'taskListCheckValueChecked':
      case 'taskListCheckValueUnchecked': {
        const item = items[lists.at(-1) ?? -1];
        // What is quoted is told about, not planned.
        if (entering && item && quotes === 0) item.box = token.start.offset;
        break;
      }
      case 'atxHeading':
        heading = entering ? token.start.offset : null;
        break;
      case 'atxHeadingSequence':
        if (!entering || heading === null) break;
        if (containers === 0) headings.push({ offset: heading, level: token.end.offset - token.start.offset });
        heading = null;
        break;
      default:
    }
  }
  return { items, headings };
}
