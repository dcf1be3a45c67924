import { progress, status, story, tick } from './backlog.ts';
import { crash, empty, fail, hang, ignoreTerm, limit } from './endings.ts';
import { append, deletePath, edit, write } from './files.ts';
import { expectPrompt, flood, sleep, usage, waitForFile } from './pace.ts';
import type { Action, ActionInput, ActionName } from './scenario-schema.ts';
import { background, commit, run } from './shell.ts';
import { Mistake, type Stage, say } from './stage.ts';
import { tool } from './tools.ts';

/** What each action does. */
const PERFORMERS: { readonly [Name in ActionName]: (input: ActionInput<Name>, stage: Stage) => Promise<void> } = {
  say: async (text, stage) => say(stage, text),
  status,
  write,
  append,
  edit,
  delete: deletePath,
  run,
  background,
  commit,
  story,
  tick,
  progress,
  tool,
  'expect-prompt': expectPrompt,
  usage,
  sleep,
  'wait-for-file': waitForFile,
  hang,
  'ignore-term': ignoreTerm,
  flood,
  limit,
  fail,
  crash,
  empty,
};

/** Plays actions in order until one ends the performance; a mistake in the script ends it as a crash that names it. */
export async function perform(actions: readonly Action[], stage: Stage): Promise<void> {
  for (const [index, action] of actions.entries()) {
    try {
      await performOne(action, stage);
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      stage.ending = {
        error: { kind: 'crash', message: `action ${index + 1} (${action.name}): ${error.message}` },
        limit: null,
      };
    }
    if (stage.ending) return;
  }
}

function performOne<Name extends ActionName>(
  action: { readonly name: Name; readonly input: ActionInput<Name> },
  stage: Stage,
): Promise<void> {
  return PERFORMERS[action.name](action.input, stage);
}
