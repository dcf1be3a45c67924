import { setTimeout as wait } from 'node:timers/promises';
import type { Block } from './blocks.ts';
import { isAsShown } from './masks.ts';
import type { OpenProject } from './open-project.ts';
import { NOT_READ, READERS } from './read-block.ts';
import { watchStaying } from './session.ts';
import { commandsOf, dialogueOf, type Typed } from './typed.ts';

/** How long a command that shows nothing in the page has to stay alive. */
const ALIVE_MS = 2_000;

const RUN_ID = /\b\d{8}-\d{6}-[a-z0-9]{4}\b/g;

/** Tries one block in its project. @throws with the line of the page, what was typed and what came of it */
export async function tryBlock(block: Block, project: OpenProject): Promise<void> {
  if (block.file !== null) await project.write(block.file, block.text);
  if (block.language === 'sh' || block.language === 'console') {
    const typed = (block.language === 'sh' ? commandsOf : dialogueOf)(block.text, block.line);
    if (typed.length === 0) throw new Error(`line ${block.line}: there is nothing to type`);
    for (const one of typed) await (block.stays ? tryStaying : tryCommand)(one, project);
    return;
  }
  if (block.text.startsWith('$ ')) throw new Error(`line ${block.line}: what is typed belongs into a console block`);
  const read = READERS[block.language];
  if (read) read(block.text);
  else if (!NOT_READ.includes(block.language)) {
    throw new Error(`line ${block.line}: no reader for ${block.language}: say no-run and why, or use text`);
  }
  if (block.language === 'js' && block.text.includes('definePlugin')) await loadPlugin(block, project);
}

async function tryCommand({ line, command, shown, codes }: Typed, project: OpenProject): Promise<void> {
  const { session, home } = project;
  const { code, output } = await session.type(await withRealRun(command, project));
  if (codes !== null && !codes.includes(code)) {
    throw new Error(`line ${line}: \`${command}\` ended with ${code}:\n${output}`);
  }
  if (shown !== null && !isAsShown(output, shown, home)) throw otherOutput(line, command, output, shown);
}

/** The id of a run in a page stands for the last run. */
async function withRealRun(command: string, project: OpenProject): Promise<string> {
  return command.replace(RUN_ID, (await project.lastRun()) ?? '$&');
}

async function tryStaying({ line, command, shown }: Typed, { place, home }: OpenProject): Promise<void> {
  const enough = wait(ALIVE_MS, true);
  let isOver = false;
  void enough.then(() => {
    isOver = true;
  });
  const isDone = (printed: string) => (shown === null ? isOver : isAsShown(printed, `${shown}\n…`, home));
  let seen = '';
  await watchStaying(command, place, (printed) => {
    seen = printed;
    return isDone(printed);
  }).catch((error: unknown) => {
    throw shown === null ? error : otherOutput(line, command, seen, shown);
  });
}

function otherOutput(line: number, command: string, output: string, shown: string): Error {
  return new Error(`line ${line}: \`${command}\` printed\n${output}\nand not, as shown,\n${shown}`);
}

/** As a run loads it; the block stands where it says, else in a file of its own. */
async function loadPlugin({ line, file, text }: Block, { session, write }: OpenProject): Promise<void> {
  const path = file ?? `plugins/line-${line}.js`;
  if (file === null) await write(path, text);
  const { code, output } = await session.type(`RALPH_PLUGINS='["./${path}"]' ralph plugins`);
  if (code !== 0) throw new Error(`line ${line}: the plugin cannot be loaded:\n${output}`);
}
