import type { Story } from '../../../contracts/index.ts';
import { type Parsed, unreadable } from '../api.ts';

/** The one story of a prompt without a backlog. */
const PROMPT_STORY = 'PROMPT';

/** The most characters of a heading that a title takes. */
const TITLE_LENGTH = 80;

/**
 * A lone `PROMPT.md`, read as a backlog of one story that is never done: the prompt itself says what to do, and the
 * agent's signals decide when that is enough.
 */
export function readPrompt(text: string, file: string): Parsed {
  if (text.trim() === '') {
    return unreadable('prompt', {
      severity: 'error',
      rule: 'prompt/empty',
      file,
      line: 1,
      message: 'the prompt is empty, and there is no backlog either',
      mend: 'write what is to be done into it, or make a backlog: `ralph init`',
    });
  }
  const story = blankStory(PROMPT_STORY, titleOf(text));
  const backlog = {
    format: 'prompt' as const,
    project: null,
    branchName: null,
    description: '',
    verifyCommands: [],
    stories: [story],
  };
  return { format: 'prompt', backlog, problems: [] };
}

/** The first heading, else the first line with text. */
function titleOf(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line)) ?? lines.find((line) => line !== '') ?? '';
  return heading.replace(/^#{1,6}\s+/, '').slice(0, TITLE_LENGTH);
}

/** A story that was not worked on, with only its name known. */
export function blankStory(id: string, title: string): Story {
  return {
    id,
    safeId: id,
    title,
    description: '',
    acceptanceCriteria: [],
    priority: 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
    line: 1,
  };
}
