import { posix } from 'node:path';
import { MOST_BACKLOG_BYTES } from '../../adapters/workspace/backlog/document.ts';
import { UsageError } from '../../contracts/errors.ts';
import { readBytes } from '../../platform/files/files.ts';
import { storyState } from '../../rules/backlog/story-state.ts';
import { type Understood, understand } from '../../rules/import/understand.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { type Imported, refuse } from './outcome.ts';

/**
 * Reads a backlog, and the review state beside it.
 * @param path absolute
 * @param file as messages name it
 * @throws UsageError, FileProblemsError with file, line and mend
 */
export async function readBacklog(path: string, file: string, repair: boolean): Promise<Understood> {
  refuseOtherForms(file);
  const bytes = await readBytes(path);
  if (bytes === null) throw new UsageError({ what: `${file} is no plain file`, mend: ['name a file or a folder'] });
  if (bytes.length > MOST_BACKLOG_BYTES) {
    throw new UsageError({ what: `${file} is larger than ${MOST_BACKLOG_BYTES / 1024 / 1024} MB`, mend: ['split it'] });
  }
  const beside = await readBytes(posix.join(posix.dirname(path), 'reviews.json'));
  const reviews = beside === null ? null : { file: 'reviews.json', bytes: beside };
  const understood = understand({ file, bytes, reviews, repair });
  if ('problems' in understood) refuse(file, understood.problems);
  if (understood.stories.length > 0) return understood;
  throw new UsageError({
    what: `${file} has no stories`,
    why: 'nothing can be imported from it',
    mend: ['add stories with `ralph stories add`, or let `ralph plan` write them'],
  });
}

/** Forms that hold no stories as they are, by the end of the name. */
const OTHER_FORMS: Readonly<Record<string, string>> = {
  yaml: 'YAML',
  yml: 'YAML',
  toml: 'TOML',
  csv: 'a table (CSV)',
  tsv: 'a table (TSV)',
  xlsx: 'a table (Excel)',
  xml: 'XML',
  html: 'HTML',
  htm: 'HTML',
  pdf: 'PDF',
  docx: 'a Word document',
  odt: 'a text document',
};

function refuseOtherForms(file: string): void {
  const form = OTHER_FORMS[posix.extname(file).slice(1).toLowerCase()];
  if (form === undefined) return;
  throw new UsageError({
    what: `${file} is ${form}`,
    why: 'stories are read from JSON, lines of JSON, and Markdown with check boxes',
    mend: [
      'convert it to JSON or Markdown, then import that',
      `or let stories be written from it: ralph plan --from ${shellWord(file)}`,
    ],
  });
}

/** What was read, as it is reported. @param file as messages name it */
export function reportOf(
  { stories, format, shape, warnings }: Understood,
  file: string,
): Omit<Imported, 'written' | 'backups'> {
  if (format === 'prompt') throw new Error('a prompt is no backlog to import');
  return {
    file,
    stories: stories.length,
    done: stories.filter(({ story }) => story.passes).length,
    format,
    warnings,
    shape,
    items: stories.map(({ story }) => ({
      id: story.id,
      title: story.title,
      state: storyState(story),
      priority: story.priority,
      dependsOn: story.dependsOn,
    })),
  };
}
