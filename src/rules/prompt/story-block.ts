import { feedbackLines, memoryLines } from './findings.ts';
import type { PromptInput } from './input.ts';

/** The selected story as a prompt shows it: what it asks for, where it stands, and what the last review said. */
export function storyBlock(
  input: Pick<
    PromptInput,
    'story' | 'mode' | 'checks' | 'reviewRange' | 'reviewCap' | 'unchanged' | 'findings' | 'proof'
  >,
): string {
  const { story, mode } = input;
  const parts = [
    `### ${story.safeId}: ${story.title.replace(/\s+/g, ' ').trim()}`,
    story.description.trim(),
    section(
      'Acceptance criteria',
      story.acceptanceCriteria.map((criterion, i) => `${i + 1}. ${criterion}`),
    ),
    section('Facts', facts(input)),
    section('Notes so far', story.notes.trim() === '' ? [] : [story.notes.trim()]),
    mode === 'review'
      ? section('What earlier reviews found', memoryLines(input.findings))
      : section('Review feedback to address', feedbackLines(story.reviewFeedback, input.findings)),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function facts({
  story,
  mode,
  checks,
  reviewRange,
  reviewCap,
  unchanged,
  proof,
}: Parameters<typeof storyBlock>[0]): string[] {
  const lines = [`- mode: ${mode}`];
  if (story.dependsOn.length > 0) lines.push(`- builds on: ${story.dependsOn.join(', ')} (done)`);
  if (story.paths !== undefined && story.paths.length > 0) lines.push(`- meant to touch: ${story.paths.join(', ')}`);
  if (checks.length > 0) lines.push(`- checks the loop runs: ${checks.map((command) => `\`${command}\``).join(', ')}`);
  if (reviewRange !== null) lines.push(`- its commits so far: \`git log -p ${reviewRange}\``);
  if (mode !== 'implement') lines.push(`- reviews so far: ${story.reviewCount} of ${reviewCap}`);
  if (mode === 'review' && unchanged !== null)
    lines.push('- NO CHANGE: the story was called finished without any change to the code, as done already');
  if (mode === 'review' && proof !== null)
    lines.push(`- red-green proof of its tests: ${proof.outcome}: ${proof.detail}`);
  return lines;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `**${title}**\n\n${lines.join('\n')}`;
}
