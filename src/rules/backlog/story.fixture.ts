import type { Backlog, Story } from '../../contracts/index.ts';
import { type BacklogDocument, blankStory } from './api.ts';

/** A valid native story; tests name only the fields they are about. */
export function aStory(id: string, fields: Partial<Story> = {}): Story {
  return { ...blankStory(id, `Story ${id}`, 1), acceptanceCriteria: ['It works'], ...fields };
}

export function aBacklog(stories: readonly Story[], fields: Partial<Backlog> = {}): Backlog {
  return {
    format: 'tasks-json',
    project: 'demo',
    branchName: null,
    description: '',
    verifyCommands: [],
    stories,
    ...fields,
  };
}

/** A document around a backlog; its text is empty because the judges under test only read the stories. */
export function aDocument(backlog: Backlog): BacklogDocument {
  return {
    format: backlog.format,
    file: backlog.format === 'markdown' ? 'ralph/plan.md' : 'ralph/tasks.json',
    text: '',
    reviewsFile: 'ralph/reviews.json',
    reviewsText: null,
    backlog,
  };
}
