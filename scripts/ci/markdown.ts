const FENCED = /^( *)(```+|~~~+)[^\n]*\n([\s\S]*?)^\1\2[^\n]*$/gm;
const INLINE = /`([^`\n]+)`/g;

/** `[text](target)` and `![alt](target)`, with or without a title. */
const LINK = /\[[^\]]*\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g;
const HEADING = /^#{1,6} +(.*?)(?: +#+)? *$/gm;

/**
 * Relative links of a Markdown text that lead nowhere: to no file or folder, or to no heading of a page. Web addresses
 * are not looked at.
 *
 * @param read the text of a file, '' for a folder, null for nothing, given the path as the text writes it
 */
export async function brokenLinks(
  text: string,
  read: (target: string) => Promise<string | null>,
): Promise<readonly string[]> {
  const prose = text.replace(FENCED, '').replace(INLINE, '');
  const targets = [...prose.matchAll(LINK)].map((match) => match[1] ?? '').filter((target) => !/^[a-z]+:/.test(target));
  const broken = await Promise.all(
    targets.map(async (target) => {
      const [path = '', anchor] = decodeURI(target).split('#');
      const there = path === '' ? text : await read(path);
      if (there === null) return [target];
      const isPage = path === '' || path.endsWith('.md');
      return anchor !== undefined && isPage && !anchorsOf(there).includes(anchor) ? [target] : [];
    }),
  );
  return broken.flat();
}

/** The anchors that GitHub and others make of the headings of a page; the second of a name gets `-1`. Pure. */
export function anchorsOf(page: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...page.replace(FENCED, '').matchAll(HEADING)].map((match) => {
    const name = (match[1] ?? '')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  });
}
