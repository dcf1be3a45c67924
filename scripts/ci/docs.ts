import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commands, groups } from '../../src/commands/table.ts';
import { root } from '../root.ts';
import { runProgram } from '../run-program.ts';
import { callsIn, wrongCall } from './calls.ts';
import { brokenLinks } from './markdown.ts';

/** Beginnings of code that is not a call: commands of other programs of this name, messages, and a task in a sentence. */
const NO_CALLS = ['ralph prd', 'ralph review', 'ralph refused', 'ralph is not', 'ralph monitor needs', 'ralph Add a'];

/** A file or folder of this repository, in backticks and without a placeholder. */
const SOURCE = /`(src\/(?:adapters|commands|contracts|lab|loop|platform|rules|streams|surfaces)\/[\w./-]+)`/g;

/** @throws naming every relative link that leads nowhere, every file that is not there and every `ralph …` that could not be typed */
export async function checkDocs(): Promise<void> {
  const problems: string[] = [];
  const files = await markdownFiles();
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8');
    const links = await brokenLinks(text, (target) => readTarget(join(root, dirname(file), target)));
    problems.push(...links.map((link) => `${file}: the link '${link}' leads nowhere`));
    for (const [, path = ''] of text.matchAll(SOURCE)) {
      if (!existsSync(join(root, path))) problems.push(`${file}: there is no ${path}`);
    }
    problems.push(
      ...callsIn(text)
        .filter(({ words }) => !NO_CALLS.some((begin) => `ralph ${words.join(' ')}`.startsWith(begin)))
        .flatMap((call) => toProblem(file, wrongCall(call, commands, groups))),
    );
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  console.log(`${files.length} files`);
}

/** The Markdown of this repository, without templates and fixtures, which are not about ralph. */
export async function markdownFiles(): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'];
  const { output } = await runProgram('git', args, { cwd: root, capture: true });
  return output.split('\0').filter((file) => file !== '' && !/^(templates|test\/fixtures)\//.test(file));
}

function toProblem(file: string, wrong: string | null): readonly string[] {
  return wrong === null ? [] : [`${file}: \`${wrong}\``];
}

/** Null where there is nothing, '' for a folder. */
async function readTarget(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  return found.isDirectory() ? '' : readFile(path, 'utf8');
}
