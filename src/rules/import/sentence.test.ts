import { describe, expect, test } from 'vitest';
import { storyOfSentence } from './sentence.ts';

describe('the story of a sentence', () => {
  test('a short one is title and criterion, and names the branch without its fillers', () => {
    expect(storyOfSentence('Add a --json flag.')).toEqual({
      title: 'Add a --json flag',
      description: '',
      acceptanceCriteria: ['Add a --json flag.'],
      slug: 'add-json-flag',
    });
  });

  test('of a long one the title is the first sentence, cut at a word, and the whole text stays', () => {
    const text = `Make the importer ${'really '.repeat(12)}fast. It takes a minute today.`;
    const story = storyOfSentence(text);
    expect(story.title.length).toBeLessThanOrEqual(72);
    expect(story.title).toMatch(/ really…$/);
    expect(story.description).toBe(text);
    expect(story.slug).toMatch(/^make-importer(-really){3}$/);
    expect(storyOfSentence('Add a clear error when concurrency is a string').slug).toBe(
      'add-clear-error-when-concurrency',
    );
  });

  test('a list in the text becomes the criteria', () => {
    const story = storyOfSentence('Add a flag\n- prints JSON\n2. exits with 0\n');
    expect(story).toMatchObject({ title: 'Add a flag', acceptanceCriteria: ['prints JSON', 'exits with 0'] });
  });

  test('letters that no branch name takes leave no slug; accents go', () => {
    expect(storyOfSentence('ログインを直す').slug).toBe('');
    expect(storyOfSentence('Größe ändern').slug).toBe('grosse-andern');
  });
});
