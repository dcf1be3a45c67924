import { firstText, type ProjectFiles } from './files.ts';
import type { Scripts } from './scripts.ts';

/** A program that runs targets out of a file, whatever language the project is in. */
export interface Runner {
  readonly program: string;
  readonly files: readonly string[];
  readonly targets: (text: string) => Scripts;
}

/** `name: needs` and, indented below, its recipe; several names may share one. Not `name := value`. */
const MAKE_TARGET = /^([\w.%/-]+(?:[ \t]+[\w.%/-]+)*)[ \t]*::?(?!=)(.*)$/;
/** `@name param='x': needs`; not `name := value` and not `alias`. */
const JUST_RECIPE = /^@?([\w-]+)(?:[ \t][^:=]*(?:(?:='[^']*'|="[^"]*")[^:=]*|=\S+(?:\s[^:=]*)?)?)?:(?!=)(.*)$/;
const TASK_NAME = /^ {2}['"]?([\w:.-]+)['"]?:(.*)$/;

export const RUNNERS: readonly Runner[] = [
  { program: 'make', files: ['GNUmakefile', 'makefile', 'Makefile'], targets: (text) => blocks(text, MAKE_TARGET) },
  { program: 'just', files: ['justfile', 'Justfile', '.justfile'], targets: (text) => blocks(text, JUST_RECIPE) },
  {
    program: 'task',
    files: ['Taskfile.yml', 'Taskfile.yaml', 'Taskfile.dist.yml'],
    targets: (text) => blocks(/^tasks:[ \t]*\n([\s\S]*?)(?=^\S|(?![\s\S]))/m.exec(text)?.[1] ?? '', TASK_NAME),
  },
];

/** The targets that a runner has here; none where it has no file. */
export function targetsOf({ files, targets }: Runner, project: ProjectFiles): Scripts {
  return targets(firstText(project, files));
}

/** Every head with the lines indented below it, and what stands behind its colon, as one script. */
function blocks(text: string, head: RegExp): Scripts {
  const found = new Map<string, string>();
  let names: readonly string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = head.exec(line);
    if (match !== null) {
      names = (match[1] ?? '').split(/[ \t]+/);
      for (const name of names) found.set(name, `${found.get(name) ?? ''}${(match[2] ?? '').trim()}\n`);
    } else if (/^\s/.test(line)) {
      for (const name of names) found.set(name, `${found.get(name) ?? ''}${line.trim()}\n`);
    } else if (line !== '') names = [];
  }
  return new Map([...found].map(([name, body]) => [name, body.trim()]));
}
