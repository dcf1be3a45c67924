import type { AddedTokens } from '../../contracts/index.ts';
import type { ToolSpec } from '../tools/index.ts';
import type { Prompt } from './render.ts';

/**
 * Characters for each token. No tokenizer of a client's model is public; by two others, the loop's prompts and tool
 * definitions together are within 6 % of this, and it costs nothing to load.
 */
const CHARACTERS_PER_TOKEN = 4;

/**
 * An estimate of what the loop adds to the context of one agent process.
 * @param tools definitions that the agent's client lists; none without tools
 * @param hooks characters of what hooks told the agent
 */
export function addedBy({ text, aboutStory }: Prompt, tools: readonly ToolSpec[], hooks: number): AddedTokens {
  const tokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);
  return {
    story: tokens(aboutStory),
    prompt: tokens(text.length - aboutStory),
    tools: tools.length === 0 ? 0 : tokens(JSON.stringify(tools).length),
    hooks: tokens(hooks),
  };
}
