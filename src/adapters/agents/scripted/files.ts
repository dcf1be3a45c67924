import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { readText, remove, stat } from '../../../platform/files/files.ts';
import type { ActionInput } from './scenario-schema.ts';
import { asTool, inWorkTree, Mistake, type Stage, type ToolCall } from './stage.ts';

/** The actions on files. Paths are relative to the work tree; parents are made. */

export function write(input: ActionInput<'write'>, stage: Stage): Promise<void> {
  return asTool(stage, fileCall('Write', input.path), input.path, async () => {
    await put(input.path, input.content);
    return 'written';
  });
}

export function append(input: ActionInput<'append'>, stage: Stage): Promise<void> {
  return asTool(stage, fileCall('Edit', input.path), input.path, async () => {
    await put(input.path, ((await readText(inWorkTree(input.path))) ?? '') + input.content);
    return 'appended';
  });
}

export function edit(input: ActionInput<'edit'>, stage: Stage): Promise<void> {
  return asTool(stage, fileCall('Edit', input.path), input.path, async () => {
    const before = await readOrMistake(input.path);
    if (!before.includes(input.replace)) throw new Mistake(`'${input.replace}' is not in ${input.path}`);
    await put(
      input.path,
      before.replace(input.replace, () => input.with),
    );
    return 'edited';
  });
}

export function deletePath(path: ActionInput<'delete'>, stage: Stage): Promise<void> {
  return asTool(stage, { tool: 'Bash', input: { command: `rm -rf '${path}'` } }, `rm -rf ${path}`, async () => {
    await remove(inWorkTree(path));
    return 'deleted';
  });
}

/** A call of a tool on a file of the work tree. */
export function fileCall(tool: 'Write' | 'Edit', path: string): ToolCall {
  return { tool, input: { file_path: inWorkTree(path) } };
}

export async function readOrMistake(path: string): Promise<string> {
  const content = await readText(inWorkTree(path));
  if (content === null) throw new Mistake(`${path} does not exist`);
  return content;
}

/** Replaces a file's content and keeps its mode, as an editor does. */
export async function put(path: string, content: string): Promise<void> {
  const full = inWorkTree(path);
  const mode = (await stat(full))?.mode;
  await writeAtomic(full, content, { fsync: false, ...(mode === undefined ? {} : { mode: mode & 0o7777 }) });
}
