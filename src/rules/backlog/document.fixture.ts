import type { BacklogFormat } from '../../contracts/index.ts';
import type { BacklogDocument, Loaded } from './api.ts';
import { loadBacklog } from './document.ts';

const FILES: Record<BacklogFormat, string> = {
  'tasks-json': 'ralph/tasks.json',
  'prd-json': 'ralph/prd.json',
  markdown: 'ralph/plan.md',
  prompt: 'PROMPT.md',
};

/** Loads a backlog from text (or bytes) as the workspace would. */
export function loadText(format: BacklogFormat, content: string | Uint8Array, reviews: string | null = null): Loaded {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  return loadBacklog({
    format,
    file: FILES[format],
    bytes: typeof content === 'string' ? encode(content) : content,
    reviewsFile: 'ralph/reviews.json',
    reviewsBytes: reviews === null ? null : encode(reviews),
  });
}

/** The same for a text that must be valid. */
export function documentOf(format: BacklogFormat, content: string, reviews: string | null = null): BacklogDocument {
  const { document, problems } = loadText(format, content, reviews);
  if (!document) throw new Error(`the fixture is no valid backlog: ${JSON.stringify(problems)}`);
  return document;
}

/** Problems one per line, as people see them. */
export function describe(loaded: Loaded): string {
  return loaded.problems
    .map(
      (problem) =>
        `${problem.file}:${problem.line}: ${problem.severity} ${problem.rule}: ${problem.message} → ${problem.fix}`,
    )
    .join('\n');
}
