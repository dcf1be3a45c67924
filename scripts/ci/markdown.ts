const FENCED = /^(```+|~~~+)[^\n]*\n([\s\S]*?)^\1[^\n]*$/gm;
const INLINE = /`([^`\n]+)`/g;

/** `[text](target)` and `![alt](target)`, with or without a title. */
const LINK = /\[[^\]]*\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g;

/** A line that calls ralph, behind a prompt sign or not; its words up to the first flag or value. */
const INVOCATION = /^[ \t]*(?:\$ )?ralph((?: +[a-z][a-z-]*)+)/gm;

/**
 * Relative links of a Markdown text that lead nowhere; web addresses and anchors are not looked at.
 *
 * @param exists whether there is a file or folder, given the path as the text writes it
 */
export async function brokenLinks(
  text: string,
  exists: (target: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const prose = text.replace(FENCED, '').replace(INLINE, '');
  const targets = [...prose.matchAll(LINK)]
    .map((match) => (match[1] ?? '').replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
  const broken = await Promise.all(targets.map(async (target) => ((await exists(decodeURI(target))) ? [] : [target])));
  return broken.flat();
}

/**
 * Calls of `ralph` in the code of a Markdown text that name no command. Words after a command are its arguments,
 * except that a group needs one of its own commands.
 *
 * @param known names of commands and groups: `run`, `stories`, `stories list`
 */
export function unknownCommands(text: string, known: readonly string[]): readonly string[] {
  const fenced = [...text.matchAll(FENCED)].map((match) => match[2] ?? '');
  const inline = [...text.replace(FENCED, '').matchAll(INLINE)].map((match) => match[1] ?? '');
  return [...fenced, ...inline]
    .flatMap((code) => [...code.matchAll(INVOCATION)].map((match) => (match[1] ?? '').trim().split(/ +/)))
    .filter((words) => !isKnown(words, known))
    .map((words) => `ralph ${words.join(' ')}`);
}

function isKnown([first = '', second]: readonly string[], known: readonly string[]): boolean {
  if (second !== undefined && known.includes(`${first} ${second}`)) return true;
  const isGroup = known.some((name) => name.startsWith(`${first} `));
  return known.includes(first) && (!isGroup || second === undefined);
}
