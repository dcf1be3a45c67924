import type { Story } from '../../contracts/model.ts';

/** A story that nobody worked on and of which only its name is known. Pure. */
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
