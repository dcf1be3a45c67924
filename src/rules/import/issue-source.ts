import { UsageError } from '../../contracts/errors.ts';

/** What `gh:OWNER/REPO#LABEL` names; see {@link readIssueSource}. */
export interface IssueSource {
  readonly repository: string | null;
  readonly label: string | null;
  readonly number: number | null;
}

const SOURCE = /^gh:([A-Za-z0-9._-]+\/[A-Za-z0-9._-]+)?(?:#(.+))?$/;

/**
 * Reads `gh:OWNER/REPO#LABEL`, `gh:OWNER/REPO`, `gh:#LABEL` and `gh:OWNER/REPO#12`. Labels may have spaces and colons.
 * @returns null for what does not begin with `gh:`
 * @throws UsageError for what cannot be read
 */
export function readIssueSource(source: string): IssueSource | null {
  if (!source.startsWith('gh:')) return null;
  const found = SOURCE.exec(source.trim());
  const [, repository = null, after = null] = found ?? [];
  // An argument of gh, which must not be taken for one of its flags.
  const isFlag = [repository, after].some((part) => part?.startsWith('-'));
  if (!found || isFlag || (repository === null && after === null)) {
    throw new UsageError({
      what: `'${source}' names no issues`,
      mend: ['gh:OWNER/REPO#LABEL, gh:OWNER/REPO, gh:#LABEL for this repository, or gh:OWNER/REPO#12 for one issue'],
    });
  }
  const number = after !== null && /^[1-9]\d{0,9}$/.test(after) ? Number(after) : null;
  return { repository, label: number === null ? after : null, number };
}

const ADDRESS = /^(?:https?:\/\/)?(?:www\.)?github\.com\/([A-Za-z0-9._-]+)\/([A-Za-z0-9._-]+?)(?:\.git)?(?:\/(.*))?$/;

/** The issues that an address of GitHub shows, as {@link readIssueSource} reads them; null for any other text. */
export function issuesOfAddress(address: string): string | null {
  const found = ADDRESS.exec(address.trim());
  if (found === null) return null;
  const [, owner = '', repository = '', rest = ''] = found;
  const number = /^issues\/(\d+)/.exec(rest)?.[1];
  const label = /label(?:%3A|:)(?:%22|")?([^"%+&\s]+)/i.exec(rest)?.[1] ?? /^labels\/([^/?#%]+)/.exec(rest)?.[1];
  return `gh:${owner}/${repository}${(number ?? label) ? `#${number ?? label}` : ''}`;
}
