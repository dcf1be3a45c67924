import { readArchives, readDocument, readRunRecord } from '../../adapters/workspace/index.ts';
import { type ControlAction, type Operate, UsageError } from '../../contracts/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { closeCircuit, closedText } from '../circuit.ts';
import type { RawFlags } from '../shared/flags.ts';
import { OF_SPECS, openProject, openWorkspace } from '../shared/open.ts';
import { refuseInsideAgent } from '../shared/refuse-inside-agent.ts';
import { decidedText, decideStories, rejectBy } from '../stories/decide.ts';
import { answeredText, answerQuestion } from './answer.ts';
import { pauseWord, resumeWord, stopWord, tellRun, toldText } from './control.ts';
import { steerBy, steeredLines } from './steer.ts';

/**
 * What monitor and dashboard let people do, through the functions of the commands: same effects, messages and refusals.
 * Repeating an action changes nothing, and is reported. Refused inside agents, like the commands: agents have a
 * terminal, too.
 * @throws RalphError
 */
export const operate: Operate = async (root, action) => {
  refuseInsideAgent(COMMANDS[action.do], process.env);
  return { text: await act(root, action) };
};

/** The command that does the same. */
const COMMANDS: Readonly<Record<ControlAction['do'], string>> = {
  pause: 'pause',
  resume: 'resume',
  stop: 'stop',
  note: 'steer',
  limits: 'steer',
  answer: 'answer',
  'reset-circuit': 'circuit reset',
  story: 'stories',
  reject: 'stories reject',
};

async function act(root: string, action: ControlAction): Promise<string> {
  const flags: RawFlags = { projectDir: root };
  const io = silent(root);
  switch (action.do) {
    case 'pause':
      return toldText(await tellRun(flags, io, pauseWord));
    case 'resume':
      return toldText(await tellRun(flags, io, resumeWord));
    case 'stop':
      return toldText(await tellRun(flags, io, stopWord(action.now)));
    case 'reset-circuit':
      return closedText(await closeCircuit(flags, io));
    case 'note':
      return steeredLines(await steerBy(flags, io, { text: action.text, limits: null })).join('\n');
    case 'limits': {
      const steered = await steerBy(flags, io, { text: null, limits: action.limits });
      const [head = '', ...lines] = steeredLines(steered);
      const text = `${head} ${lines.map((line) => line.trim()).join(', ')}`;
      return steered.limits?.warning ? `${text}. ${steered.limits.warning}` : text;
    }
    case 'answer': {
      const itsFlags = await withFolderOfRun(flags, io, action.run);
      return answeredText(await answerQuestion(itsFlags, io, action.question, action.text));
    }
    case 'story': {
      const itsFlags = await withFolderOfRun(flags, io, action.run);
      await refuseOtherStory(itsFlags, io, action);
      const command = `ralph stories ${action.decision}`;
      const { decided } = await decideStories(command, itsFlags, io, [action.story], { decision: action.decision });
      return decided.map(decidedText).join('\n');
    }
    case 'reject': {
      const itsFlags = await withFolderOfRun(flags, io, action.run);
      await refuseOtherStory(itsFlags, io, action);
      return decidedText(await rejectBy(itsFlags, io, action.story, action.changes));
    }
  }
}

/**
 * The spec folder of the shown run: its stories are meant, even if a search would find another.
 * @throws UsageError when that run's stories are not the current ones: another run or an archive came after it
 */
async function withFolderOfRun(flags: RawFlags, io: Io, shown: string): Promise<RawFlags> {
  const { repo } = await openProject(flags, io);
  const record = await readRunRecord(repo.stateDir);
  if (record === null || record.run !== shown) {
    const last = record === null ? '' : `; the last one is ${oneLine(record.run)}`;
    throw notOfToday(`run ${oneLine(shown)} is not the last run here${last}`);
  }
  const archives = await readArchives(repo.stateDir);
  if (archives.some(({ at }) => at >= record.startedAt)) throw notOfToday(`the stories of run ${shown} were archived`);
  // At the project root a search finds what a named folder does not: a lone prompt.
  return record.specDir === '.' ? flags : { ...flags, ralphDir: `${repo.root}/${record.specDir}` };
}

/** @throws UsageError when the id belongs to another story than the shown one */
async function refuseOtherStory(
  flags: RawFlags,
  io: Io,
  { story, title }: Extract<ControlAction, { do: 'story' | 'reject' }>,
): Promise<void> {
  const { workspace } = await openWorkspace(flags, io);
  const { document } = await readDocument(workspace);
  const today = document?.backlog.stories.find(({ id }) => id === story);
  if (today === undefined || today.title === title) return;
  throw notOfToday(`${oneLine(story)} is now another story: "${oneLine(today.title)}"`);
}

function notOfToday(why: string): UsageError {
  return new UsageError({
    what: 'what was shown is not the current backlog, and nothing was changed',
    why,
    fix: ['look at the last run or at `ralph stories`, and decide there'],
  });
}

/** Variables that name a project or a spec folder: they refer to the place where this process was started. */
const OF_ANOTHER_PLACE = new Set(['RALPH_ROOT', ...OF_SPECS]);

/** The surface shows the answer; the run itself gives warnings about unreadable lines. */
function silent(root: string): Io {
  const nowhere = { write: () => undefined };
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_ANOTHER_PLACE.has(name)));
  return { cwd: root, env, stdout: nowhere, stderr: nowhere, isTTY: false, columns: 80 };
}
