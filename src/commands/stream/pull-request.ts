import { type GhOptions, runGh } from '../../adapters/github/gh.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { Offer } from './evidence.ts';

/** A pull request as it is on GitHub now. */
export interface Made {
  readonly url: string;
  /** It was there already, and has the new text. */
  readonly updated: boolean;
}

/**
 * Opens a draft for a branch that has been pushed. Where one is open already, it gets the new text; its title stays,
 * which people change.
 * @throws UsageError with what gh said
 */
export async function openPullRequest({ branch, base, title, body }: Offer, place: GhOptions): Promise<Made> {
  const list = ['pr', 'list', '--head', branch, '--state', 'open', '--limit', '1', '--json', 'number,url'];
  const there = openOf(await runGh(list, place));
  const input = { ...place, input: body };
  if (there !== null) {
    await runGh(['pr', 'edit', String(there.number), '--body-file', '-'], input);
    return { url: there.url, updated: true };
  }
  const create = ['pr', 'create', '--draft', '--head', branch, '--base', base, '--title', title, '--body-file', '-'];
  const printed = await runGh(create, input).catch((error: unknown) => {
    throw /draft pull requests are not supported/i.test(whyOf(error)) ? noDrafts(whyOf(error)) : error;
  });
  return { url: printed.trim().split('\n').at(-1) ?? '', updated: false };
}

function openOf(text: string): { readonly number: number; readonly url: string } | null {
  try {
    const list = JSON.parse(text.trim() || '[]') as readonly { number: number; url: string }[];
    return list[0] ?? null;
  } catch {
    throw new UsageError({
      what: 'gh pr list does not say which pull requests are open',
      why: `it printed: ${text.trim().slice(0, 200)}`,
      mend: ['gh 2.0 or later prints JSON: gh --version'],
    });
  }
}

function whyOf(error: unknown): string {
  return error instanceof UsageError ? (error.facts.why ?? '') : '';
}

/** Whoever asks for a draft does not want to call reviewers: nothing else is opened instead. */
function noDrafts(why: string): UsageError {
  return new UsageError({
    what: 'this repository has no draft pull requests',
    why,
    mend: ['open one for review at once, by hand: it is not done for you, because it calls reviewers'],
  });
}
