import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { planMode, skillArguments, skillPrompt } from './plan-request.ts';

const request = {
  mode: 'interview',
  specDir: '.ralph/PRD-2',
  prd: '.ralph/PRD-2/prd.md',
  backlog: '.ralph/PRD-2/tasks.json',
  from: null,
  idea: null,
} as const;

test('a PRD that is missing or a scaffold is asked for, one with content is derived from', () => {
  expect(planMode(null)).toBe('interview');
  expect(planMode('# Title\n<!-- write -->\n')).toBe('interview');
  expect(planMode('# Title\n\nCustomers log in.\n')).toBe('derive');
});

test('the arguments are one line; a name with blanks stands in quotes', () => {
  expect(skillArguments({ ...request, from: 'my "notes".md' })).toBe(
    'interview spec=.ralph/PRD-2 prd=.ralph/PRD-2/prd.md backlog=.ralph/PRD-2/tasks.json from="my \\"notes\\".md"',
  );
  expect(skillArguments({ ...request, idea: 'log in\nwith a passkey ' })).toMatch(/tasks\.json log in with a passkey$/);
});

test('the text of the skill is a prompt by itself: no front matter, no variable left, nothing expanded twice', () => {
  const skill = readFileSync(new URL('../../plugin/skills/ralph-plan/SKILL.md', import.meta.url), 'utf8');
  const prompt = skillPrompt(skill, '/home/una/plugin/skills/ralph-plan', { ...request, from: '$&.md' });
  expect(prompt).toMatch(/^# Plan for ralph\n\nArguments: interview spec=\.ralph\/PRD-2 .* from="\$&\.md"\n/);
  expect(prompt).toContain('`/home/una/plugin/skills/ralph-plan/references/stories.md`');
  expect(prompt).not.toMatch(/\$ARGUMENTS|\$\{|^---$/m);
});
