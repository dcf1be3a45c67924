import { linesOf } from '../source/lines.ts';

export interface Script {
  readonly name: string;
  readonly command: string;
  readonly line: number;
}

/** How each kind of file writes its scripts. */
const readers: readonly (readonly [file: RegExp, read: (text: string) => readonly Script[]])[] = [
  [/(?:^|\/)(?:package|composer|deno)\.jsonc?$/, jsonScripts],
  [
    /(?:^|\/)(?:GNUm|M|m)akefile$|\.mk$/,
    (text) => recipes(text, /^([\w./%-]+(?:[ \t]+[\w./%-]+)*)[ \t]*::?(?!=)[^\n]*\n/gm),
  ],
  [/(?:^|\/)\.?[jJ]ustfile$/, (text) => recipes(text, /^@?([\w-]+)[^\n:=]*:(?!=)[^\n]*\n/gm)],
  [
    /(?:^|\/)(?:tox\.ini|noxfile\.py|Taskfile\.ya?ml|pyproject\.toml)$/,
    (text) => recipes(text, /^[ \t]*(commands)\s*[:=][ \t]*\n?/gm),
  ],
];

/** Named commands of a file; none for files of other kinds and for text that cannot be read. */
export function scriptsOf(path: string, text: string): readonly Script[] {
  return readers.find(([file]) => file.test(path))?.[1](text) ?? [];
}

function jsonScripts(text: string): readonly Script[] {
  const scripts = objectIn(objectIn(parsed(text), 'scripts') ?? objectIn(parsed(text), 'tasks'));
  const lineAt = linesOf(text);
  return Object.entries(scripts).flatMap(([name, value]) => {
    const command = Array.isArray(value) ? value.join(' && ') : value;
    if (typeof command !== 'string') return [];
    const at = text.indexOf(JSON.stringify(name), Math.max(0, text.search(/"(?:scripts|tasks)"\s*:/)));
    return [{ name, command, line: lineAt(Math.max(0, at)) }];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A manifest that cannot be read runs no scripts; the checks themselves will say so.
    return null;
  }
}

function objectIn(value: unknown, key?: string): Record<string, unknown> {
  const inner = key === undefined ? value : (value as Record<string, unknown> | null)?.[key];
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
}

/** Indented lines under a head. */
function recipes(text: string, head: RegExp): readonly Script[] {
  const lineAt = linesOf(text);
  return [...text.matchAll(head)].map((match) => {
    const body = /(?:[ \t]+[^\n]*(?:\n|$)|[ \t]*\n)*/y;
    body.lastIndex = match.index + match[0].length;
    const command = (body.exec(text)?.[0] ?? '')
      .replace(/\\\n\s*/g, ' ')
      .replace(/^[ \t]+/gm, '')
      .trim();
    return { name: match[1] ?? '', command, line: lineAt(match.index) };
  });
}
