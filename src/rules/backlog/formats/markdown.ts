import type { Problem, Story } from '../../../contracts/model.ts';
import { derivedId, safeStoryId, uniqueIds } from '../ids.ts';
import { linesAt } from '../lines.ts';
import { type PlanBlock, readBlocks } from './markdown-blocks.ts';
import { readBody } from './markdown-body.ts';
import { parseTitleLine, type TitleLine } from './markdown-title.ts';
import { type Parsed, unreadable } from './parsed.ts';
import { fillPriorities } from './priority.ts';

/** A story of a plan and the id by which the loop calls it. */
export interface PlanStory extends TitleLine {
  readonly id: string;
  readonly block: PlanBlock;
}

/** Reads a Markdown plan: every check box outside code and comments that is not nested in another is a story. */
export function readMarkdown(text: string, file: string): Parsed {
  const planned = nameBlocks(readBlocks(text).blocks);
  if (planned.length === 0) return unreadable('markdown', noBoxes(text, file));
  const lines = linesAt(
    text,
    planned.map(({ block }) => block.box),
  );
  const ids = new Set(planned.map(({ id }) => id));
  const bodies = planned.map((story) => readBody(story, ids));
  const priorities = fillPriorities(bodies.map((body) => body.priority));
  const problems: Problem[] = [];
  const stories = planned.map((story, index): Story => {
    const line = lines[index] ?? 1;
    const body = bodies[index];
    if (story.ownId !== null && story.ownId !== story.id) problems.push(repeatedId(story, line, file));
    return {
      id: story.id,
      safeId: safeStoryId(story.id),
      title: story.title,
      description: body?.description ?? '',
      acceptanceCriteria: body?.criteria ?? [],
      priority: priorities[index] ?? index + 1,
      passes: story.block.checked,
      reviewStatus: null,
      reviewCount: 0,
      reviewFeedback: '',
      notes: '',
      dependsOn: body?.dependsOn ?? [],
      line,
    };
  });
  const project = /^\uFEFF?\s*#[ \t]+(.+)/.exec(text)?.[1]?.trim() ?? null;
  const backlog = {
    format: 'markdown',
    project,
    branchName: null,
    description: '',
    verifyCommands: [],
    stories,
  } as const;
  return { format: 'markdown', backlog, problems };
}

/**
 * Ids for all stories of a plan: what the line says, else derived from the title. A title or id that comes again, as
 * in a section "Completed" that repeats what was done, gets a number.
 */
export function nameBlocks(blocks: readonly PlanBlock[]): readonly PlanStory[] {
  const unique = uniqueIds();
  return blocks.map((block) => {
    const line = parseTitleLine(block.titleLine);
    const later = block.lines.find(({ text }) => text.trim() !== '')?.text.trim() ?? '';
    const title = line.title === '' ? later : line.title;
    return { ...line, title, block, id: unique(line.ownId ?? derivedId(title, 1)) };
  });
}

function repeatedId(story: PlanStory, line: number, file: string): Problem {
  return {
    severity: 'warning',
    rule: 'schema/unique-id',
    file,
    line,
    message: `the id ${story.ownId} is used more than once; this story is called ${story.id}`,
    mend: 'Give every story its own id.',
    story: story.id,
  };
}

function noBoxes(text: string, file: string): Problem {
  const empty = text.replace('\uFEFF', '').trim() === '';
  return {
    severity: 'error',
    rule: empty ? 'schema/empty' : 'schema/no-stories',
    file,
    line: 1,
    message: empty ? 'the file is empty' : 'the plan has no check boxes, so it names no stories',
    mend: 'Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it.',
  };
}
