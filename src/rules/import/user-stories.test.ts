import { expect, it } from 'vitest';
import { readUserStories } from './user-stories.ts';

const storiesIn = (text: string) => JSON.parse(readUserStories(text) ?? 'null')?.userStories ?? null;

it.each([
  [
    '# Shop\n\nIntro.\n\n## US-001: Log in\n\n**Como** cliente\n**Quiero** entrar\n\n**Criterios de aceptación:**\n- uno\n- dos\n  líneas\n\n## US-002 — Log out\n\n- **Given** a\n- **Then** b\n',
    [
      ['US-001', 'Log in', ['uno', 'dos líneas']],
      ['US-002', 'Log out', ['**Given** a', '**Then** b']],
    ],
  ],
  [
    '# S\n### 1. Entrer\n**En tant que** client, **je veux** entrer\n\n- vite\n\n#### Notes\n- tard\n### Sortir\nEn tant que client, je veux sortir\n',
    [
      ['1', 'Entrer', ['vite', 'tard']],
      [undefined, 'Sortir', []],
    ],
  ],
  // A group, a single example, headings of another kind.
  [
    '## Stories\n- As a user, I want a\n- As an admin, I want b\n## More\n- As a user, I want c\n- As a cat, I can d\n',
    null,
  ],
  ['## US-001: Example\nAs a user, I want a\n', null],
  ['## Iteration 1: Parser\n- text\n## Iteration 2: Printer\n- text\n', null],
])('user stories in prose: %j', (text, expected) => {
  const stories = storiesIn(text)?.map(({ id, title, acceptanceCriteria }: Record<string, unknown>) => [
    id,
    title,
    acceptanceCriteria,
  ]);
  expect(stories ?? null).toEqual(expected);
});

it('keep the text around them and are open', () => {
  const text = '# Shop\nIntro.\n## US-1: a\nfor b\n## US-2: c\n';
  expect(JSON.parse(readUserStories(text) ?? '')).toEqual({
    project: 'Shop',
    description: 'Intro.',
    userStories: [
      { id: 'US-1', title: 'a', description: 'for b', acceptanceCriteria: [], passes: false },
      { id: 'US-2', title: 'c', description: '', acceptanceCriteria: [], passes: false },
    ],
  });
});
