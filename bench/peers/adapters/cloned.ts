import { checkboxes, type Peer, pass, readCheckboxes, readStories, storiesJson, tick } from '../peer.ts';

/**
 * A loop that was cloned, started by a command in the project.
 *
 * @param command shell text; `$PEER` in it is the cloned folder
 * @param taskFile from the project's root: `.json` with `userStories`, anything else with boxes
 */
export function cloned(command: string, taskFile: string): Peer {
  const json = taskFile.endsWith('.json');
  const marks = json ? pass(taskFile) : tick(taskFile);
  const shell = (folder: string): readonly string[] => ['bash', '-c', command.replaceAll('$PEER', folder)];
  return {
    name: 'cloned',
    packages: [],
    started: `\`${command}\``,
    version: () => ['bash', '--version'],
    run: ({ folder }) => shell(folder),
    files: (stories) => ({ [taskFile]: json ? storiesJson(stories) : checkboxes(stories) }),
    timeLimit: null,
    taskFile,
    progress: json ? readStories : readCheckboxes,
    markNext: marks.next,
    markAll: marks.all,
    says: { done: 'Done.', allDone: '<promise>COMPLETE</promise>' },
    loopProcess: /./,
  };
}
