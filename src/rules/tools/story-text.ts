import type { Story } from '../../contracts/model.ts';

/** A story as an agent reads it. */
export function storyText(story: Story): string {
  const { id, title, description, acceptanceCriteria, dependsOn, reviewFeedback, reviewCount, notes } = story;
  const parts = [
    `${id}: ${title}`,
    `State: ${stateText(story)}; priority ${story.priority}; reviews ${reviewCount}.`,
    ...(dependsOn.length > 0 ? [`Depends on: ${dependsOn.join(', ')}.`] : []),
    ...(description.trim() === '' ? [] : [description.trim()]),
    ['Acceptance criteria:', ...acceptanceCriteria.map((criterion) => `- ${criterion}`)].join('\n'),
    ...(story.verifyCommands?.length ? [`Its own checks: ${story.verifyCommands.join(', ')}`] : []),
    ...(reviewFeedback.trim() === '' ? [] : [`Review feedback:\n${reviewFeedback.trim()}`]),
    ...(notes.trim() === '' ? [] : [`Notes:\n${notes.trim()}`]),
  ];
  return parts.join('\n\n');
}

/** The backlog at one look; the story of this iteration is marked. */
export function listText(stories: readonly Story[], selected: string | null): string {
  if (stories.length === 0) return 'The backlog has no stories.';
  return stories
    .map((story) => {
      const waits = story.dependsOn.length > 0 ? ` (after ${story.dependsOn.join(', ')})` : '';
      return `${story.id === selected ? '* ' : '  '}${story.id} · ${stateText(story)} · ${story.title}${waits}`;
    })
    .join('\n');
}

function stateText({ passes, reviewStatus, blocked }: Story): string {
  if (blocked !== undefined) return `blocked: ${blocked}`;
  if (passes) return reviewStatus === 'approved' ? 'done' : 'done, unreviewed';
  return reviewStatus === null ? 'to do' : reviewStatus.replaceAll('_', ' ');
}
