import { fileCall, put, readOrMistake } from './files.ts';
import type { ActionInput } from './scenario-schema.ts';
import { asTool, Mistake, type Stage, say } from './stage.ts';

/** The actions by which an agent claims something, rightly or not: nothing here keeps to the rules. */

/** Sets and increases fields of a story in a `tasks.json`; of the story under work unless another is named. */
export function story(input: ActionInput<'story'>, stage: Stage): Promise<void> {
  const { backlog } = stage.script;
  const id = input.id ?? stage.script.storyId;
  return asTool(stage, fileCall('Edit', backlog), backlog, async () => {
    const file = JSON.parse(await readOrMistake(backlog)) as { userStories?: Record<string, unknown>[] };
    const found = file.userStories?.find((candidate) => candidate['id'] === id);
    if (!found) throw new Mistake(`${backlog} has no story ${id}`);
    Object.assign(found, input.set);
    for (const [field, by] of Object.entries(input.increase)) found[field] = Number(found[field] ?? 0) + by;
    await put(backlog, `${JSON.stringify(file, null, 2)}\n`);
    return `${id}: ${[...Object.keys(input.set), ...Object.keys(input.increase)].join(', ')}`;
  });
}

/** Ticks the first open box of a Markdown plan on whose line the text stands: the story's id unless told otherwise. */
export function tick(input: ActionInput<'tick'>, stage: Stage): Promise<void> {
  const { backlog, storyId } = stage.script;
  const wanted = input.text ?? storyId;
  return asTool(stage, fileCall('Edit', backlog), backlog, async () => {
    const lines = (await readOrMistake(backlog)).split('\n');
    const index = lines.findIndex((line) => line.includes('[ ]') && line.includes(wanted));
    if (index === -1) throw new Mistake(`${backlog} has no open box with '${wanted}'`);
    await put(backlog, lines.map((line, i) => (i === index ? line.replace('[ ]', '[x]') : line)).join('\n'));
    return `ticked ${wanted}`;
  });
}

/** Appends a line to the progress log. */
export function progress(text: ActionInput<'progress'>, stage: Stage): Promise<void> {
  return asTool(stage, fileCall('Edit', stage.script.progress), stage.script.progress, async () => {
    const before = await readOrMistake(stage.script.progress);
    await put(
      stage.script.progress,
      `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${text.trimEnd()}\n`,
    );
    return 'appended';
  });
}

/** Says a status block with these fields, in their order. */
export async function status(fields: ActionInput<'status'>, stage: Stage): Promise<void> {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  say(stage, ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n'));
}
