/** The shell's own words, and those that may precede any command. */
const SHELL_WORDS =
  /^(?:\.|:|\[|cd|command|echo|env|eval|exec|exit|export|false|for|if|set|source|sudo|test|time|true|ulimit|umask|unset|while|!|\(|\{)$/;

/** What a check starts with, as far as it can be determined without a shell. */
interface Start {
  /** Folders that it changes to first, relative to the root. */
  readonly folder: string;
  readonly program: string;
  /** The script of package.json that it names; null where it names none. */
  readonly script: string | null;
}

/** Skips variables and `cd folder &&`; null where only the shell can tell. Pure. */
export function startOf(command: string): Start | null {
  let rest = command.trim();
  let folder = '.';
  for (;;) {
    const [set] = /^(?:env\s+)?[A-Za-z_]\w*=(?:[\w@%+:,./-]*|'[^']*'|"[^"$`\\]*")\s+/.exec(rest) ?? [];
    const [went, to = ''] = /^cd\s+([\w@%+:,.-][\w@%+:,./-]*)\s*(?:&&|;)\s*/.exec(rest) ?? [];
    if (set === undefined && went === undefined) break;
    // Where PATH is set, its programs cannot be determined from here.
    if (set?.includes('PATH=')) return null;
    if (went !== undefined) folder = folder === '.' ? to : `${folder}/${to}`;
    rest = rest.slice((set ?? went ?? '').length);
  }
  const [word = ''] = rest.split(/[\s;&|]/, 1);
  if (SHELL_WORDS.test(word) || !/^[\w./+-]+$/.test(word)) return null;
  const [, named] = /^(?:npm|pnpm|yarn|bun)\s+run(?:-script)?\s+([\w:.-]+)(?=\s|$|[;&|])/.exec(rest) ?? [];
  const tests = /^(?:npm|pnpm)\s+(?:test|t)(?=\s*(?:$|[;&|]|--\s))/.test(rest) ? 'test' : null;
  const elsewhere = /\s(?:-w|--workspaces?|--prefix|-C|--filter|-r|--if-present)\b/.test(rest);
  return { folder, program: word, script: elsewhere ? null : named?.startsWith('-') ? null : (named ?? tests) };
}
