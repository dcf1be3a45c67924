/** Stands where a secret was. Its brackets keep it from being read as part of another secret. */
export const REDACTED = '[redacted]';

interface Shape {
  readonly pattern: RegExp;
  readonly replace: string;
}

/**
 * Every pattern costs linear time: a repetition is either bounded or consumes what it scans. None relies on a word
 * boundary in front, because in JSON text a secret may follow the letter of an escape such as `\n`.
 */
const SHAPES: readonly Shape[] = [
  {
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY-----(?:(?!-----)[\w+/=\s:,\\.-])*(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY-----)?/g,
    replace: REDACTED,
  },
  // Anthropic; OpenAI and others (a digit tells them from names such as sk-learn-contrib).
  { pattern: /sk-ant-[\w-]{8,}/g, replace: REDACTED },
  { pattern: /(?<=^|[^A-Za-z0-9]|\\[nrt])sk-(?=[A-Za-z_-]{0,64}\d)[\w-]{16,}/g, replace: REDACTED },
  // GitHub, GitLab, npm, AWS, Google, Slack.
  {
    pattern: /gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|npm_[A-Za-z0-9]{36,}/g,
    replace: REDACTED,
  },
  { pattern: /(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{35}|xox[abeoprs]-[A-Za-z0-9-]{10,}/g, replace: REDACTED },
  // JSON Web Tokens: header and payload are both base64 of `{"`.
  { pattern: /eyJ[\w-]{8,512}\.eyJ[\w-]{4,}(?:\.[\w-]+)?/g, replace: REDACTED },
  // Headers.
  {
    pattern:
      /(authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:(?:bearer|basic|token)\s{1,3})?)(?!(?:bearer|basic|token)\s)[\w.~+/=-]{6,}/gi,
    replace: `$1${REDACTED}`,
  },
  { pattern: /(bearer\s{1,3})[\w.~+/=-]{16,}/gi, replace: `$1${REDACTED}` },
  // User and password in an address.
  { pattern: /(:\/\/[^\s/:@"'[\]]{1,64}:)[^\s/:@"'[\]]{1,256}@/g, replace: `$1${REDACTED}@` },
  // Assignments: quoted values whole; bare ones unless they are code (a type, a call, a reference).
  {
    pattern:
      /((?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key)[\w-]{0,20}(\\?["'])?\s{0,3}[:=]\s{0,3})(\\?["'])[^"'\\\n]{1,512}(?=\\?["'])/gi,
    replace: `$1$3${REDACTED}`,
  },
  {
    pattern:
      /((?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key)[\w-]{0,20}\s{0,3}[:=]\s{0,3})(?!(?:string|str|null|none|undefined|true|false|number|boolean|any|unknown|text|required|optional)\b)[\w+/=!@#%^*~-]{4,512}(?![\w.([])/gi,
    replace: `$1${REDACTED}`,
  },
  {
    pattern: /(token\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?=[A-Za-z_.-]{0,64}\d)[\w.~+/=-]{16,}/gi,
    replace: `$1${REDACTED}`,
  },
];

/** True for any text that a shape could match; one scan lets ordinary text pass cheaply. */
const SUSPICIOUS =
  /sk-|gh[pousr]_|github_pat_|glpat-|npm_|AKIA|ASIA|AIza|xox[abeoprs]-|eyJ|PRIVATE KEY|:\/\/[^\s/]{0,64}:|authorization|bearer|passw|passphrase|secret|(?:api|access)[_-]?key|token/i;

/** A replaced secret may lay bare another one that was glued to it; more than this many in a chain is no text at all. */
const MOST_PASSES = 5;

/**
 * The text with keys, tokens, passwords and authorisation headers replaced by {@link REDACTED}. Idempotent; text
 * without secrets comes back as it is. Shapes only: a secret that looks like a word cannot be known.
 */
export function redact(text: string): string {
  if (text.length < 8 || !SUSPICIOUS.test(text)) return text;
  let clean = text;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const before = clean;
    for (const { pattern, replace } of SHAPES) clean = clean.replace(pattern, replace);
    if (clean === before) break;
  }
  return clean;
}

/** JSON of a value with every string in it redacted. */
export function redactedJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'string' ? redact(part) : part));
}
