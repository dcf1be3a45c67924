/** What settings call a secret. */
const NAME =
  '[\\w.-]*(?:api[-_]?key|auth[-_]?token|access[-_]?token|token|secret|passw(?:or)?d|authorization|credentials?)';

/** `"apiKey": "…"`, `api_key = '…'`, `token: …`: the value of a setting with such a name. */
const SETTING = new RegExp(
  `["']?\\b${NAME}["']?\\s*[:=]\\s*(?:"([^"\\n]*)"|'([^'\\n]*)'|((?:\\$\\{[^}]*\\}|[^\\s"'{}\\[\\],#])+))`,
  'gi',
);

/** Forms that only keys have, wherever they stand. */
const KEYS = [
  /\bsk-[\w-]{16,}/,
  /\b(?:gh[opsur]_|github_pat_)\w{16,}/,
  /\bAIza[\w-]{30,}/,
  /\bxox[abprs]-[\w-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bBearer\s+[\w.~+/-]{12,}/,
  /\b(?:fk|glpat|npm)[-_][\w-]{16,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /:\/\/[^\s/@:"']+:[^\s/@"']+@/,
  // npm, Maven, NuGet and conda have forms of their own.
  /^\s*(?:\/\/\S*:)?_auth\s*=\s*["']?(?!\$)[^\s"']/m,
  /<(?:password|passphrase|privateKey)>\s*(?!\$\{)[^\s<]/,
  /key\s*=\s*"(?:ClearText)?Password"\s+value\s*=\s*"(?!%)[^"]/i,
  /:\/\/[^\s/]+\/t\/[\w-]{8,}\//,
];

/** Where a value comes from, or what is no value: `{env:KEY}`, `${KEY}`, `$KEY`, `true`, `4096`. */
const NO_SECRET = /^(?:|(?:Bearer\s+)?(?:\{(?:env|file):[^}]*\}|\$\{?\w+(?::-)?\}?)|true|false|null|[\d._]+)$/;

/** Settings, which may hold a key; prose and programs are copied as they are. */
export function isSettingsFile(name: string): boolean {
  return /\.(jsonc?|json5|toml|ya?ml|ini|env)$/i.test(name);
}

/** Does this settings text hold a key, token or password itself, and not only say where one is? Pure. */
export function holdsCredential(settings: string): boolean {
  // What comes with Maven shows in comments how to write one.
  const text = settings.replaceAll(/<!--[\s\S]*?-->/g, '');
  if (KEYS.some((form) => form.test(text))) return true;
  return [...text.matchAll(SETTING)].some(([, double, single, bare]) => {
    return !NO_SECRET.test((double ?? single ?? bare ?? '').trim());
  });
}
