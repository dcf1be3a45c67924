import type { Story } from '../../contracts/model.ts';
import type { PlanRule } from './api.ts';

/** "Write tests" may stand in a plan twice; a title of so many words of its own may not. */
const TELLING_WORDS = 3;

/** Two open stories that are the same: of one title that says something, or alike in every word. */
export const duplicates: PlanRule = {
  name: 'duplicate',
  check: ({ open }) => {
    const first = new Map<string, Story>();
    return open.flatMap((story) => {
      const words = everyWord(story.title);
      const rest = words.length >= TELLING_WORDS ? '' : bodyOf(story);
      const key = `${words.join(' ')}\n${rest}`;
      const earlier = first.get(key);
      if (earlier === undefined) {
        first.set(key, story);
        return [];
      }
      const message = `says the same as ${earlier.id} (line ${earlier.line})`;
      const suggestion = 'keep one of the two, or say in the titles what sets them apart';
      return [{ story, remark: { severity: 'warning', message, suggestion } as const }];
    });
  },
};

/** In any order, but all of them: "sign in" is not "sign up". */
function everyWord(title: string): readonly string[] {
  return (title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).sort();
}

function bodyOf({ description, acceptanceCriteria }: Story): string {
  return [description, ...acceptanceCriteria].join('\n').trim();
}
