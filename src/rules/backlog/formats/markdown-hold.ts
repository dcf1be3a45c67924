/** What is only put off (`deferred`, `paused`) is not among them: it comes to its turn. `skipped` is said of tests. */
const OFF =
  "(?:blocked|on[ -]hold|cancell?ed|won['\u2019]?t (?:fix|do)|wontfix|obsolete|abandoned|out of scope|descoped|superseded|not needed|n/a)";
const UPPER = upper(OFF);
const DASH = '\\s*[:\u2013\u2014,-]\\s*';
const EMOJI = '\\p{Extended_Pictographic}\\uFE0F?';
/** Signs that say it without a word. */
const SIGN = '[\u26D4\u{1F6AB}]\\uFE0F?';

/** Most lines hold nothing of the kind, and one look is cheaper than ten. */
const HINT = /block|hold|cancel|won['\u2019]?t|obsolete|abandon|scope|supersede|needed|n\/a|~~|\u26D4|\uD83D\uDEAB/i;

/** Where a title begins, behind the id: `T1: `, `**US-001** `, `1.2 `, `Task 3: `. */
const START =
  '(?<=^\\s*(?:(?:[A-Z][a-z]{1,10} )?[^\\s\\d]{0,12}\\d\\S{0,16}\\s+(?:[\u2013\u2014-]\\s+)?|[*_`[]{0,3}[A-Z][\\w-]{0,20}[\\]*_`]{0,3}:[*_]{0,2}\\s+)?)';
/** Where it ends: only what is no part of it follows, or a bold name is over. */
const END = '(?=(?:[\\s*_.!]|<!--[^>]*-->|\\((?:depends|after|requires|needs|blocked by)\\b[^)]*\\))*$)';
const BOLD_BEFORE = '(?<=\\S(?:\\*\\*|__)\\s*)';

/** How the line of a story says that it waits or was called off, each with the reason if there is one. */
const FORMS: readonly RegExp[] = [
  // (BLOCKED: no key), (cancelled - too big), (BLOCKED): at the end, at the start, behind a bold name
  ...around(`\\((${OFF})(?:${DASH}([^)]*))?\\)`, 'iu'),
  // (BLOCKED waiting for a key): in capitals no delimiter is needed
  ...around(`\\((${UPPER})\\s+([^)]*)\\)`, 'u'),
  ...around(`(?:\\*\\*|__)?\\[(${OFF})(?:${DASH}([^\\]]*))?\\](?!\\()(?:\\*\\*|__)?`, 'iu'),
  // **BLOCKED: no key**, **BLOCKED**, **BLOCKED** — no key
  new RegExp(`(?:\\s+[\u2013\u2014-])?\\s+(?:\\*\\*|__)(${OFF})(?:${DASH}([^*_]+))?(?:\\*\\*|__)${END}`, 'iu'),
  new RegExp(`(?:\\s+[\u2013\u2014-])?\\s+(?:\\*\\*|__)(${OFF})(?:\\*\\*|__)${DASH}(.+)$`, 'iu'),
  new RegExp(`${START}(?:\\*\\*|__)(${UPPER})(?:${DASH}([^*_]+))?(?:\\*\\*|__)(?:${DASH}|\\s*)(?=\\S)`, 'u'),
  // — BLOCKED: no key; — cancelled
  new RegExp(`\\s+[\u2013\u2014-]\\s+(${UPPER})(?::\\s*(.*))?$`, 'u'),
  new RegExp(`\\s+[\u2013\u2014]\\s+(${OFF})${END}`, 'iu'),
  // BLOCKED: the title, BLOCKED - waiting for a key
  new RegExp(`${START}(${UPPER})(?::|\\s+[\u2013\u2014-])\\s+(?=\\S)`, 'u'),
  // ❌ cancelled: too big, ⛔ blocked
  new RegExp(`(?:^|\\s*)${EMOJI}\\s*(${OFF})(?:${DASH}(.*))?${END}`, 'iu'),
  // ⛔ first or last
  new RegExp(`^\\s*(${SIGN})\\s*`, 'u'),
  new RegExp(`${START}(${SIGN})\\s*`, 'u'),
  new RegExp(`\\s*(${SIGN})${END}`, 'u'),
];
/** ~~Title~~, ~~Title~~ — why, **US-1**: ~~Title~~ */
const STRUCK = /^([^~]{0,40}?)~~([^~]+)~~(?=(\s*$|\s*[:\u2013\u2014(-].*$))/;

/** Why nobody should work on a story, as far as the line of its box says so; null when it does not. */
export function holdIn(line: string): string | null {
  if (!HINT.test(line)) return null;
  const found = markIn(line);
  if (found) {
    const reason = found[2]?.trim() ?? '';
    return reason === '' ? `the plan says: ${word(found[1] ?? '')}` : reason;
  }
  const struck = STRUCK.exec(line.trim());
  if (!struck) return null;
  const why = (struck[3] ?? '').replace(/^[\s:\u2013\u2014(-]+|[\s)]+$/g, '');
  return why === '' ? 'struck out' : `struck out: ${why}`;
}

/** The line without what says so. */
export function withoutHold(line: string): string {
  const found = markIn(line);
  if (!found) return STRUCK.test(line.trim()) ? line.replace(/~~([^~]+)~~/, '$1') : line;
  const before = line.slice(0, found.index);
  const after = line.slice(found.index + found[0].length).trim();
  const joined = [before.trim(), after].filter((part) => part !== '').join(' ');
  return (/^\s*/.exec(line)?.[0] ?? '') + joined;
}

function markIn(line: string): RegExpExecArray | null {
  // On very long lines the patterns would take quadratic time; a mark stands in a title, not in an essay.
  if (line.length > 2000) return null;
  for (const form of FORMS) {
    const found = form.exec(line);
    if (found && !isDependency(found)) return found;
  }
  return null;
}

/** A mark at the end of a title, at its start, and between a bold title and what follows. */
function around(mark: string, flags: string): RegExp[] {
  return [`\\s*${mark}${END}`, `${START}${mark}[\\s:\u2013\u2014-]*(?=\\S)`, `${BOLD_BEFORE}${mark}`].map(
    (form) => new RegExp(form, flags),
  );
}

/** `(blocked: US-002)` names what the story waits for: that is no reason to leave it for good. */
function isDependency(found: RegExpExecArray): boolean {
  const reason = found[2]?.trim() ?? '';
  return /^by\b|^(?:[A-Za-z]+-)?\d+$/i.test(reason) || /^blocked\s+by/i.test(reason);
}

function word(mark: string): string {
  return /^[\u26D4\u{1F6AB}]/u.test(mark) ? 'blocked' : mark.toLowerCase();
}

function upper(pattern: string): string {
  return pattern.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}
