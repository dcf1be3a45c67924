import { REDACTED, secretStream, valueWithout, withoutSecrets } from '../../../platform/index.ts';

/** A replaced secret may reveal another one attached to it; a text with a longer chain than this is not real text. */
const MOST_PASSES = 5;

/**
 * The text with keys, tokens, passwords and authorisation headers replaced by `[redacted]`. Idempotent; text without
 * secrets is returned unchanged. It recognises secrets by shape, by context, and by what `knowSecrets` registered: a
 * secret that looks like a word and was not registered cannot be recognised.
 */
export function redact(text: string): string {
  if (text.length < 8) return text;
  let clean = withoutSecrets(text);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const before = clean;
    clean = replaced(clean, TOKEN_SHAPES);
    if (CONTEXT.test(clean)) clean = redactEndOfBlock(replaced(clean, CONTEXT_SHAPES));
    if (clean === before) break;
  }
  return clean;
}

/** JSON of a value with every string in it redacted. */
export function redactedJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'string' ? redact(part) : part));
}

/** A value of JSON with every string in it redacted. */
export function redactedValue<T>(value: T): T {
  return valueWithout(value, redact);
}

function replaced(text: string, shapes: readonly Shape[]): string {
  return shapes.reduce((clean, { pattern, replace }) => clean.replace(pattern, replace), text);
}

const SECRET_WORD = '(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key)';
const KEY_WORD = '(?:private|auth|account|encryption|signing|session|master|deploy|shared)[_-]?key';
/** White space, also as JSON escapes; it may contain a line break. */
const GAP = String.raw`(?:\s|\\[nrt]){1,20}`;
const KEY_MARK = `(?:[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?|AGE ENCRYPTED FILE)`;

/** The first and last line of a block with a private key. */
const BLOCK_BEGIN = `-{4,5} ?BEGIN ${KEY_MARK} ?-{4,5}`;
const BLOCK_END = `-{4,5} ?END ${KEY_MARK} ?-{4,5}`;
/** Content of a block: base64, headers, line breaks, raw or JSON-escaped. */
const BLOCK_BODY = String.raw`(?:(?!-----)[\w+/=\s:,\\.()-])*`;

/**
 * Every pattern runs in linear time: a repetition is either bounded or consumes what it scans. None relies on a leading
 * word boundary, because in JSON text a secret may follow the letter of an escape such as `\n`.
 */
const CONTEXT_SHAPES: readonly Shape[] = [
  { pattern: new RegExp(`${BLOCK_BEGIN}${BLOCK_BODY}(?:${BLOCK_END})?`, 'g'), replace: REDACTED },
  // Addresses that grant access to anyone who knows them: Slack, Discord, Teams.
  {
    pattern:
      /(hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/|\.webhook\.office\.com\/webhookb2\/)[\w/@.-]{20,}/g,
    replace: `$1${REDACTED}`,
  },
  // Headers. The schemes with parameters come first: their secret is the signature, not their first word.
  {
    pattern: /((?:response|signature|oauth_token)\s?=\s?\\?["']?)(?=[A-Za-z+/=%_-]{0,64}\d)[\w+/=%-]{16,}/gi,
    replace: `$1${REDACTED}`,
  },
  {
    pattern: new RegExp(
      String.raw`(authorization\\?["']?\s{0,3}[:=](?:\s|\\[nrt]){0,20}\\?["']?(?:(?:bearer|basic|token|apikey)${GAP})?)(?!(?:bearer|basic|token|apikey|digest|negotiate|aws4-hmac-sha256|oauth|signature)(?:[\s\\"']|$))[\w.~+/=-]{6,}`,
      'gi',
    ),
    replace: `$1${REDACTED}`,
  },
  { pattern: new RegExp(String.raw`(bearer${GAP})[\w.~+/=-]{16,}`, 'gi'), replace: `$1${REDACTED}` },
  {
    pattern: /(cookie\\?["']?\s{0,3}:\s{0,3}\[?\\?["']?)(?=[\w.-]{1,64}=)[^\r\n"'\\]{8,4096}/gi,
    replace: `$1${REDACTED}`,
  },
  // User and password in an address; no user; a token for a user.
  { pattern: /(:\/\/[^\s/:@"'[\]]{0,64}:)[^\s/:@"'[\]]{1,256}@/g, replace: `$1${REDACTED}@` },
  { pattern: /(:\/\/)(?=[A-Za-z_-]{0,64}\d)[\w.~%+-]{16,256}@/g, replace: `$1${REDACTED}@` },
  // Programs that take a password as an argument or from a file; a variable is not a secret.
  {
    pattern:
      /((?:curl|wget|https?)\s(?:[^\r\n|;&]{0,256}?\s)??(?:-u|-U|--user|--proxy-user)[\s=]{0,3}\\?["']?[^\s:"'\\]{1,64}:)(?!\$)[^\s"'\\]{3,256}/g,
    replace: `$1${REDACTED}`,
  },
  {
    pattern:
      /((?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|sshpass)\s(?:[^\r\n|;&]{0,256}?\s)??-p\s{0,1}\\?["']?)(?![\s$-])[^\s"'\\]{4,256}/g,
    replace: `$1${REDACTED}`,
  },
  {
    pattern: /(redis-cli\s(?:[^\r\n|;&]{0,256}?\s)??(?:-a|--pass)\s{1,3}\\?["']?)(?![\s$-])[^\s"'\\]{4,256}/g,
    replace: `$1${REDACTED}`,
  },
  {
    pattern:
      /(--?(?:password|passwd|pass|token|secret|api-?key)\s{1,3}\\?["']?)(?=[^\s"'\\]{0,64}\d)(?![\s$<-])[^\s"'\\]{6,256}/g,
    replace: `$1${REDACTED}`,
  },
  {
    pattern: new RegExp(
      String.raw`((?:machine${GAP}[^\s\\]{1,128}${GAP}|default${GAP}(?=login))(?:login${GAP}[^\s\\]{1,128}${GAP})?password${GAP})[^\s\\"]{1,256}`,
      'g',
    ),
    replace: `$1${REDACTED}`,
  },
  // Assignments: quoted values whole; bare values unless they are code (a type, a call, a reference).
  {
    pattern: new RegExp(
      String.raw`(${SECRET_WORD}[\w-]{0,20}(\\?["'])?\s{0,3}[:=]\s{0,3})(\\?["'])[^"'\\\n]{1,512}(?=\\?["'])`,
      'gi',
    ),
    replace: `$1$3${REDACTED}`,
  },
  {
    pattern: new RegExp(
      String.raw`(${SECRET_WORD}[\w-]{0,20}\s{0,3}[:=]\s{0,3})(?!(?:string|str|null|none|undefined|true|false|number|boolean|any|unknown|text|required|optional)\b)[\w+/=!@#%^*~-]{4,512}(?![\w.([])`,
      'gi',
    ),
    replace: `$1${REDACTED}`,
  },
  {
    pattern: new RegExp(
      String.raw`((?:token|${KEY_WORD}|_auth)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?=[A-Za-z_.+/-]{0,64}\d)[\w.~+/=-]{16,}`,
      'gi',
    ),
    replace: `$1${REDACTED}`,
  },
  { pattern: /([?&;]sig=|;\s?pwd=|[a-z0-9]_pwd=)[\w%+/=!@#^*~-]{6,512}/gi, replace: `$1${REDACTED}` },
];

/** Matches any text that one of the shapes could match; one scan lets ordinary text pass cheaply. */
const CONTEXT = new RegExp(
  [
    'PRIVATE KEY|AGE ENCRYPTED',
    String.raw`hooks\.slack|discord|webhookb2`,
    String.raw`:\/\/[^\s/]{0,256}[:@]`,
    'authorization|bearer|cookie|response|signature|oauth_token|passw|--?pass|passphrase|secret|token|_auth|pwd=|sig=',
    `(?:api|access)[_-]?key|${KEY_WORD}|curl|wget|http|mysql|mariadb|sshpass|redis-cli`,
  ].join('|'),
  'i',
);

/**
 * Tokens that identify themselves: the service, their prefix (case-sensitive), and what follows. Based on the services'
 * documentation and on real tokens; scanners such as gitleaks recognise them the same way. A prefix that ordinary words
 * or base64 may also contain is `bare`: no letter or digit may precede it.
 */
const TOKENS: readonly (readonly [service: string, head: string, rest: string, bare?: 'bare'])[] = [
  ['Anthropic', 'sk-ant-', String.raw`[\w-]{8,}`],
  // The digit distinguishes them from names such as sk-learn-contrib.
  ['OpenAI, OpenRouter, DeepSeek', 'sk-', String.raw`(?=[A-Za-z_-]{0,64}\d)[\w-]{16,}`, 'bare'],
  ['GitHub', 'gh[pousr]_', '[A-Za-z0-9]{20,}'],
  ['GitHub, fine-grained', 'github_pat_', String.raw`\w{20,}`],
  ['GitLab', 'gl(?:pat|dt|rt|ft|cbt|ptt|agent|soat|oas|imt)-', String.raw`[\w-]{20,}`],
  ['Bitbucket', 'ATBB', '[A-Za-z0-9]{32}', 'bare'],
  ['Atlassian', 'AT[AC]TT3', '[A-Za-z0-9_=-]{60,}'],
  ['npm', 'npm_', '[A-Za-z0-9]{36,}'],
  ['PyPI', 'pypi-AgE', String.raw`[\w-]{16,}`],
  ['RubyGems', 'rubygems_', '[a-f0-9]{48}'],
  ['crates.io', 'cio', '[A-Za-z0-9]{32}(?![A-Za-z0-9+/=])', 'bare'],
  ['NuGet', 'oy2', '[a-z0-9]{43}(?![A-Za-z0-9+/=])', 'bare'],
  ['Clojars', 'CLOJARS_', '[a-z0-9]{60}'],
  ['Docker Hub', 'dckr_[po]at_', String.raw`[\w-]{20,}`],
  ['AWS', 'A(?:KIA|SIA|BIA|CCA)', '[A-Z0-9]{16}'],
  ['Google', 'AIza', String.raw`[\w-]{35}`],
  ['Google OAuth', 'GOCSPX-', String.raw`[\w-]{20,}`],
  ['Google OAuth', String.raw`ya29\.`, String.raw`[\w-]{20,}`],
  ['Google OAuth', '1//0', String.raw`[\w-]{40,}`, 'bare'],
  ['Azure', String.raw`[\w~.-]{3}\dQ~`, String.raw`[\w~.-]{31,34}`],
  ['DigitalOcean', 'do[opr]_v1_', '[a-f0-9]{64}'],
  ['Alibaba', 'LTAI', '[A-Za-z0-9]{16,24}(?![A-Za-z0-9+/=])', 'bare'],
  ['Tencent', 'AKID', '[A-Za-z0-9]{32}(?![A-Za-z0-9+/=])', 'bare'],
  ['Heroku', 'HRKU-AA', String.raw`[\w-]{40,}`],
  ['Fly.io', 'fo1_', String.raw`[\w-]{43}`],
  ['Fly.io', 'fm[12][ar]?_', '[A-Za-z0-9+/=]{60,}'],
  ['Cloudflare', String.raw`v1\.0-[a-f0-9]{24}-`, '[a-f0-9]{100,}'],
  ['Vault', String.raw`hv[sbr]\.`, String.raw`[\w-]{24,}`],
  ['Terraform Cloud', String.raw`[A-Za-z0-9]{14}\.atlasv1\.`, String.raw`[\w-]{40,}`],
  ['Doppler', String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.`, String.raw`[\w.-]{40,}`],
  ['Pulumi', 'pul-', '[a-f0-9]{40}'],
  ['Databricks', 'dapi', '[a-f0-9]{32}', 'bare'],
  ['PlanetScale', 'pscale_(?:tkn|pw|oauth)_', String.raw`[\w.=-]{32,}`],
  ['Supabase', 'sb(?:p|_secret)_', String.raw`[\w-]{20,}`],
  ['Slack', 'xox[abceoprs]-', '[A-Za-z0-9-]{10,}'],
  ['Slack', 'xapp-', String.raw`\d-[A-Za-z0-9-]{20,}`],
  ['Discord', String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.`, String.raw`[\w-]{27,40}`, 'bare'],
  ['Telegram', String.raw`\d{8,10}:AA`, String.raw`[\w-]{33}`],
  ['Stripe', '[sr]k_(?:live|test)_', '[A-Za-z0-9]{10,}'],
  ['Standard Webhooks, Stripe webhooks', 'whsec_', '[A-Za-z0-9+/]{16,}={0,2}'],
  ['Square', 'sq0(?:atp|csp)-', String.raw`[\w-]{22,}`],
  ['Shopify', 'shp(?:at|ca|pa|ss)_', '[a-fA-F0-9]{32}'],
  ['EasyPost', 'EZ[AT]K', '[A-Za-z0-9]{54}', 'bare'],
  ['SendGrid', String.raw`SG\.`, String.raw`[\w-]{16,}\.[\w-]{16,}`],
  ['Twilio', 'SK', '[0-9a-f]{32}(?![A-Za-z0-9+/=])', 'bare'],
  ['Mailgun', 'key-', '[0-9a-f]{32}(?![A-Za-z0-9])', 'bare'],
  ['Mailchimp', '[0-9a-f]{32}-us', String.raw`\d{1,2}(?!\w)`, 'bare'],
  ['Hugging Face', 'hf_', '[A-Za-z0-9]{30,}'],
  ['Hugging Face', 'api_org_', '[A-Za-z0-9]{30,}'],
  ['Groq', 'gsk_', '[A-Za-z0-9]{40,}'],
  ['xAI', 'xai-', '[A-Za-z0-9]{60,}'],
  ['Perplexity', 'pplx-', '[A-Za-z0-9]{32,}'],
  ['Replicate', 'r8_', '[A-Za-z0-9]{37}'],
  ['Notion', 'ntn_', '[A-Za-z0-9]{40,}'],
  ['Linear', 'lin_(?:api|oauth)_', '[A-Za-z0-9]{32,}'],
  ['Airtable', String.raw`pat[A-Za-z0-9]{14}\.`, '[a-f0-9]{64}', 'bare'],
  ['Figma', 'fig[durp]_', String.raw`[\w-]{40,}`],
  ['Postman', 'PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'],
  ['New Relic', 'NR(?:AK|JS|II|IQ)-', '[A-Za-z0-9_-]{19,}'],
  ['Grafana', 'gl(?:c|sa)_', '[A-Za-z0-9+/_=]{32,}'],
  ['Sentry', 'sntry[su]_', '[A-Za-z0-9+/_=-]{40,}'],
  ['age', '(?:AGE-SECRET-KEY-|AGE-PLUGIN-[A-Z0-9-]{1,32}-)1', '[A-Z0-9]{20,}'],
  // Header and payload of a JSON Web Token are both base64 of `{"`.
  ['JSON Web Tokens', 'eyJ', String.raw`[\w-]{8,512}\.eyJ[\w-]{4,}(?:\.[\w-]+)?`],
];

/** In JSON text a token may follow the letter of an escape such as `\n`: that does not count as a letter before it. */
const NOTHING_BEFORE = String.raw`(?<=^|[^A-Za-z0-9_+/-]|\\[nrt])`;

const tokens = (bare: boolean) =>
  TOKENS.filter(([, , , mark]) => (mark === 'bare') === bare).map(([, head, rest]) => `${head}${rest}`);

/** Tokens that are recognised without context. */
const TOKEN_SHAPES: readonly Shape[] = [
  { pattern: new RegExp(tokens(false).join('|'), 'g'), replace: REDACTED },
  { pattern: new RegExp(`${NOTHING_BEFORE}(?:${tokens(true).join('|')})`, 'g'), replace: REDACTED },
];

/** A pattern, and the replacement for its matches. */
interface Shape {
  readonly pattern: RegExp;
  readonly replace: string;
}

/** How much may follow the first line of a private key before it is not a key: the longest have a few kilobytes. */
const LONGEST_BLOCK = 32 * 1024;

/** A text in which a block begins but does not end; characters that programs put around a line may follow. */
const OPEN = new RegExp(String.raw`${BLOCK_BEGIN}${BLOCK_BODY}[\s\w"'\x60\\,:.{}()[\]/+=-]{0,512}$`);
const END = new RegExp(BLOCK_END);
/** A header that takes its value from the next line. */
const DANGLING = /(?:authorization|bearer)[\s"'\\:=]{0,20}$/i;
const VALUE = /^([\s"'\\]{0,40}(?:(?:bearer|basic)\s{1,20})?)[\w.~+/=-]{16,}/i;

/** A line of only base64; line numbers and marks of programs that show files or diffs may precede it. */
const BODY_LINE = /^(\s{0,20}(?:\d{1,6}[\t:|→ ]\s{0,4}|[>|+]\s{0,4})?)[A-Za-z0-9+/=]+\s*$/;
const BODY_RUN = /[A-Za-z0-9+/=]{20,}/g;

/**
 * Redacts an agent's output piece by piece, where a secret may begin in one and continue in the next: from the first
 * line of a private key to its last one, at most 32 KiB, everything that looks like part of it is replaced, and so are
 * the parts of a known secret. The caller that writes the pieces does the rest of the redaction.
 */
export function redactPieces(): (piece: string) => string {
  let left = 0;
  let dangling = false;
  const redactKnown = secretStream();
  return (said) => {
    const piece = redactKnown(said);
    const first = dangling ? piece.replace(VALUE, `$1${REDACTED}`) : piece;
    dangling = DANGLING.test(piece.slice(-64));
    if (left === 0) {
      left = isOpen(piece) ? LONGEST_BLOCK : 0;
      return first;
    }
    const end = END.exec(first);
    if (end === null) {
      left = Math.max(0, left - piece.length);
      return withoutBody(first);
    }
    const behind = first.slice(end.index + end[0].length);
    left = isOpen(behind) ? LONGEST_BLOCK : 0;
    return `${withoutBody(`${first.slice(0, end.index)}${REDACTED}`)}${behind}`;
  };
}

/** Redacts the body of a key whose beginning was cut off, as in the tail of an output. */
function redactEndOfBlock(text: string): string {
  if (!END.test(text)) return text;
  // Line breaks, raw or JSON-escaped; they are at the odd indexes.
  const lines = text.split(/(\n|\\n)/);
  for (const [at, line] of lines.entries()) {
    if (!END.test(line)) continue;
    lines[at] = line.replace(END, REDACTED);
    for (let i = at - 2; i >= 0 && BODY_LINE.test(lines[i] ?? ''); i -= 2) lines[i] = REDACTED;
  }
  return lines.join('');
}

function isOpen(text: string): boolean {
  return text.includes('BEGIN ') && OPEN.test(text.slice(-LONGEST_BLOCK));
}

function withoutBody(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line.replace(BODY_LINE, `$1${REDACTED}`).replace(BODY_RUN, (run) => (isKeyLike(run) ? REDACTED : run)),
    )
    .filter((line, at, all) => line !== REDACTED || all[at - 1] !== REDACTED)
    .join('\n');
}

/** Paths and words match base64 too, but seldom use all of its characters. */
function isKeyLike(run: string): boolean {
  return /[A-Z]/.test(run) && /\d/.test(run);
}
