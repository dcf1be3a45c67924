import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { root } from '../root.ts';

/** A regular expression of the sources. */
export interface FoundRegex {
  /** `src/rules/x.ts:12`, or the module that makes it when it is loaded. */
  readonly where: string;
  readonly regex: RegExp;
}

/** Every regular expression that is written as a literal in the given sources. */
export async function literals(files: readonly string[]): Promise<readonly FoundRegex[]> {
  const found: FoundRegex[] = [];
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8');
    for (const { pattern, flags, start } of regexNodes(parseAst(text, { lang: 'ts' }))) {
      found.push({ where: `${file}:${text.slice(0, start).split('\n').length}`, regex: new RegExp(pattern, flags) });
    }
  }
  return found;
}

/** Every regular expression that the given modules put together from text while they are loaded. */
export async function assembled(files: readonly string[]): Promise<readonly FoundRegex[]> {
  const found: FoundRegex[] = [];
  const Plain = globalThis.RegExp;
  let where = '';
  const remember = (regex: RegExp): RegExp => {
    found.push({ where, regex });
    return regex;
  };
  globalThis.RegExp = new Proxy(Plain, {
    construct: (_, [source, flags]) => remember(new Plain(source, flags)),
    apply: (_, __, [source, flags]) => remember(Plain(source, flags)),
  });
  try {
    for (const file of files) {
      where = file;
      await import(join(root, file));
    }
  } finally {
    globalThis.RegExp = Plain;
  }
  return found;
}

/** The sources below a folder that are not tests, sorted. */
export async function sourcesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(root, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith('.ts') && !/\.(?:test|fixture|d)\.ts$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}

interface RegexNode {
  readonly pattern: string;
  readonly flags: string;
  readonly start: number;
}

function regexNodes(node: unknown): readonly RegexNode[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, regex, start } = node as { type?: string; regex?: { pattern: string; flags: string }; start?: number };
  if (type === 'Literal' && regex !== undefined) return [{ ...regex, start: start ?? 0 }];
  return Object.values(node).flatMap(regexNodes);
}
