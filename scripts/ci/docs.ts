import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commands, groups } from '../../src/commands/table.ts';
import { root } from '../root.ts';
import { runProgram } from '../run-program.ts';
import { brokenLinks, unknownCommands } from './markdown.ts';

/** @throws naming every relative link that leads nowhere and every `ralph …` that is not a command */
export async function checkDocs(): Promise<void> {
  const names = [
    ...commands.flatMap(({ name, alias }) => (alias ? [name, alias] : [name])),
    ...groups.map((group) => group.name),
  ];
  const problems: string[] = [];
  const files = await markdownFiles();
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8');
    const exists = (target: string) =>
      access(join(root, dirname(file), target)).then(
        () => true,
        () => false,
      );
    problems.push(...(await brokenLinks(text, exists)).map((link) => `${file}: the link '${link}' leads nowhere`));
    problems.push(...unknownCommands(text, names).map((words) => `${file}: '${words}' is not a command`));
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  console.log(`${files.length} files`);
}

/** The Markdown of this repository, without templates and fixtures, which are not about ralph. */
async function markdownFiles(): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'];
  const { output } = await runProgram('git', args, { cwd: root, capture: true });
  return output.split('\0').filter((file) => file !== '' && !/^(templates|test\/fixtures)\//.test(file));
}
