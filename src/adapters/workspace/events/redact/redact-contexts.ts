import { REDACTED } from '../../../../platform/secrets.ts';
import type { Shape } from './redact-shape.ts';

const SECRET_WORD = '(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key)';
const KEY_WORD = '(?:private|auth|account|encryption|signing|session|master|deploy|shared)[_-]?key';
/** White space, also as it is written in JSON; a line break may stand within it. */
const GAP = String.raw`(?:\s|\\[nrt]){1,20}`;
const KEY_MARK = `(?:[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?|AGE ENCRYPTED FILE)`;

/** The line that begins, and the one that ends, a block that holds a private key. */
export const BLOCK_BEGIN = `-{4,5} ?BEGIN ${KEY_MARK} ?-{4,5}`;
export const BLOCK_END = `-{4,5} ?END ${KEY_MARK} ?-{4,5}`;
/** What a block is made of: base64, headers, line breaks as they are and as JSON writes them. */
export const BLOCK_BODY = String.raw`(?:(?!-----)[\w+/=\s:,\\.()-])*`;

/**
 * Every pattern costs linear time: a repetition is either bounded or consumes what it scans. None relies on a word
 * boundary in front, because in JSON text a secret may follow the letter of an escape such as `\n`.
 */
export const CONTEXT_SHAPES: readonly Shape[] = [
  { pattern: new RegExp(`${BLOCK_BEGIN}${BLOCK_BODY}(?:${BLOCK_END})?`, 'g'), replace: REDACTED },
  // Addresses that let in whoever knows them: Slack, Discord, Teams.
  {
    pattern:
      /(hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/|\.webhook\.office\.com\/webhookb2\/)[\w/@.-]{20,}/g,
    replace: `$1${REDACTED}`,
  },
  // Headers. The schemes with parameters first: their first word is no secret, what signs is.
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
  // Programs that take a password as an argument or from a file; a variable is none.
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
  // Assignments: quoted values whole; bare ones unless they are code (a type, a call, a reference).
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

/** True for any text that one of them could match; one scan lets ordinary text pass cheaply. */
export const CONTEXT = new RegExp(
  [
    'PRIVATE KEY|AGE ENCRYPTED',
    String.raw`hooks\.slack|discord|webhookb2`,
    String.raw`:\/\/[^\s/]{0,256}[:@]`,
    'authorization|bearer|cookie|response|signature|oauth_token|passw|--?pass|passphrase|secret|token|_auth|pwd=|sig=',
    `(?:api|access)[_-]?key|${KEY_WORD}|curl|wget|http|mysql|mariadb|sshpass|redis-cli`,
  ].join('|'),
  'i',
);
