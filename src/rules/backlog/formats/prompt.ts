import { blankStory } from '../blank-story.ts';
import { type Parsed, unreadable } from './parsed.ts';

/** The one story of a prompt without a backlog. */
const PROMPT_STORY = 'PROMPT';

/** Characters of a heading that make a title. */
const TITLE_LENGTH = 80;

/**
 * A lone `PROMPT.md`, read as a backlog of one story that is never done: what is to be done stands in the prompt
 * itself, and the agent's signals decide when that is enough.
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

/** The first heading, else the first line that says something. */
function titleOf(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line)) ?? lines.find((line) => line !== '') ?? '';
  return heading.replace(/^#{1,6}\s+/, '').slice(0, TITLE_LENGTH);
}
