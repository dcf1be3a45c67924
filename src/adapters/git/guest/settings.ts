import { pathFromBytes, splitNul } from '../path-bytes.ts';

/** Settings that stay outside. All others of the person's are the same inside; programs that they name run there too. */
const LEFT_OUT: readonly RegExp[] = [
  // Logins are not for agents.
  /^credential\.|^core\.askpass$/,
  // Tokens, and ways to a network that is not there.
  /^http\..*(extraheader|cookiefile|sslkey|sslcert|proxy)/,
  // Signing keys are not there: commits would fail.
  /^(gpg\..*|user\.signingkey|(commit|tag|push)\.gpgsign)$/,
  // The guest git dir finds its work tree by where it is.
  /^core\.(worktree|bare)$/,
  // Their files are copied.
  /^core\.(hookspath|excludesfile|attributesfile)$/,
  // No daemon beside it, and an index that is one plain file.
  /^core\.(fsmonitor|untrackedcache|splitindex)$/,
  // What they include has been read already.
  /^include(if)?\./,
  // Refs and settings are plain files here, whatever they are outside.
  /^extensions\.(refstorage|worktreeconfig|relativeworktrees)$/,
  // Nothing is tidied up in a git dir that is thrown away.
  /^(gc|maintenance)\./,
];

/** What every guest git dir has. */
const OWN: readonly Setting[] = [
  { key: 'core.bare', value: 'false' },
  { key: 'gc.auto', value: '0' },
  { key: 'maintenance.auto', value: 'false' },
  { key: 'submodule.recurse', value: 'false' },
];

export interface Setting {
  /** Section and variable in lower case, the part between them as it is. */
  readonly key: string;
  /** null: only named, which means true. */
  readonly value: string | null;
}

/**
 * Parses `git config --list --show-scope -z` and leaves out what makes no sense inside, secrets above all; also what
 * is set by our own environment alone.
 */
export function settingsForGuest(listed: Buffer): Setting[] {
  const records = splitNul(listed).map(pathFromBytes);
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [scope, record = ''] = [records[at], records[at + 1]];
    if (scope === 'command') continue;
    const end = record.indexOf('\n');
    const key = end < 0 ? record : record.slice(0, end);
    if (LEFT_OUT.some((rule) => rule.test(key.toLowerCase()))) continue;
    // A rule for addresses that is written for the sake of the token in it.
    if (/^url\.[^\n]*\/\/[^/@]*@/i.test(key)) continue;
    settings.push({ key, value: end < 0 ? null : withoutLogin(key, record.slice(end + 1)) });
  }
  return settings;
}

/** The text of a configuration file with these settings and {@link OWN}. */
export function configText(settings: readonly Setting[]): string {
  return [...settings, ...OWN].map(sectionText).join('');
}

function sectionText({ key, value }: Setting): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const [section, name] = [key.slice(0, first), key.slice(last + 1)];
  const middle = first === last ? '' : ` "${key.slice(first + 1, last).replace(/[\\"]/g, '\\$&')}"`;
  return `[${section}${middle}]\n\t${name}${value === null ? '' : ` = "${escaped(value)}"`}\n`;
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\b', '\\b');
}

/** `https://user:token@host/…` loses what is before the host. */
function withoutLogin(key: string, value: string): string {
  return /^remote\..*\.(push)?url$/i.test(key) ? value.replace(/^(https?:\/\/)[^/@]*@/i, '$1') : value;
}
