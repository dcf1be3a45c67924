import type { Problem, Story } from '../../../contracts/model.ts';
import { derivedId, safeStoryId, uniqueIds } from '../ids.ts';
import { linesAt } from '../lines.ts';
import { type PlanBlock, readBlocks } from './markdown-blocks.ts';
import { type PlanBody, readBody } from './markdown-body.ts';
import { sectionChecks } from './markdown-checks.ts';
import { holdIn, withoutHold } from './markdown-hold.ts';
import { parseTitleLine, type TitleLine } from './markdown-title.ts';
import { planWarnings } from './markdown-warnings.ts';
import { type Parsed, unreadable } from './parsed.ts';
import { fillPriorities } from './priority.ts';

/** A story of a plan and the id by which the loop calls it. */
export interface PlanStory extends TitleLine {
  readonly id: string;
  readonly block: PlanBlock;
  /** Why nobody should work on it, as far as its line says so. */
  readonly hold: string | null;
}

/** Reads a Markdown plan: every check box outside code and comments that is not nested in another is a story. */
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
      ...optional(story, body),
    };
  });
  const project = /^\uFEFF?\s*#[ \t]+(.+)/.exec(text)?.[1]?.trim() ?? null;
  const backlog = {
    format: 'markdown',
    project,
    branchName: null,
    description: '',
    verifyCommands: sectionChecks(text, blocks),
    stories,
  } as const;
  return { format: 'markdown', backlog, problems };
}

const NOTHING = {};

/** The fields that most stories do not have. */
function optional(
  { hold, labels, block }: PlanStory,
  body: PlanBody | undefined,
): Pick<Story, 'verifyCommands' | 'paths' | 'labels' | 'blocked'> {
  const { checks = [], paths = [] } = body ?? {};
  const isHeld = hold !== null && !block.checked;
  if (!isHeld && checks.length + paths.length + labels.length === 0) return NOTHING;
  return {
    ...(checks.length > 0 ? { verifyCommands: checks } : {}),
    ...(paths.length > 0 ? { paths } : {}),
    ...(labels.length > 0 ? { labels } : {}),
    ...(isHeld ? { blocked: hold } : {}),
  };
}

/**
 * Ids for all stories of a plan: what the line says, else derived from the title. A title or id that comes again, as
 * in a section "Completed" that repeats what was done, gets a number.
 */
export function nameBlocks(blocks: readonly PlanBlock[]): readonly PlanStory[] {
  const unique = uniqueIds();
  return blocks.map((block) => {
    const said = holdIn(block.titleLine);
    const line = parseTitleLine(said === null ? block.titleLine : withoutHold(block.titleLine));
    const hold = said ?? (block.calledOff ? 'the plan says: called off, [-]' : null);
    const title = line.title === '' ? firstWords(block) : line.title;
    const { ownId, rest, labels } = line;
    return { ownId, rest, labels, title, block, hold, id: unique(ownId ?? derivedId(title, 1)) };
  });
}

/** What stands below a box that has no title. */
function firstWords({ lines }: PlanBlock): string {
  return lines.find(({ text }) => text.trim() !== '')?.text.trim() ?? '';
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
