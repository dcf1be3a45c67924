/** What a page asks for, in its order: a fresh project, or a block that is tried in the present one. */
export type Part =
  | { readonly kind: 'project'; readonly line: number; readonly name: string }
  | ({ readonly kind: 'block' } & Block);

export interface Block {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Empty where the fence names none. */
  readonly language: string;
  /** The command does not end by itself. */
  readonly stays: boolean;
  /** Path in the project that the block is written to. */
  readonly file: string | null;
  /** Why it cannot be tried. */
  readonly noRun: string | null;
  /** Without the indentation of the fence, with a line break at the end. */
  readonly text: string;
}

const FENCE = /^( *)(```+|~~~+)(.*)$/;
const PROJECT = /^<!-- project: (\S+) -->$/;
/** The info string behind the language: words, then perhaps the reason. */
const INFO = /^(\S*)\s*(.*?)\s*(?:\bno-run:\s*(.*))?$/;

/**
 * Reads the fenced blocks of a Markdown page and the comments that choose a project. Pure.
 * @throws naming the line of a fence whose info string says something that nobody understands, or that is not closed
 */
export function partsOf(page: string): readonly Part[] {
  const parts: Part[] = [];
  const lines = page.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, name] = PROJECT.exec(line) ?? [];
    if (name !== undefined) parts.push({ kind: 'project', line: at + 1, name });
    const [, indent, mark, info = ''] = FENCE.exec(line) ?? [];
    if (indent === undefined || mark === undefined) continue;
    const end = lines.findIndex((one, index) => index > at && one.trim().startsWith(mark));
    if (end < 0) throw new Error(`line ${at + 1}: the fence is not closed`);
    const body = lines.slice(at + 1, end).map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one));
    parts.push({ kind: 'block', line: at + 1, ...readInfo(info.trim(), at + 1), text: `${body.join('\n')}\n` });
    at = end;
  }
  return parts;
}

function readInfo(info: string, line: number): Pick<Block, 'language' | 'stays' | 'file' | 'noRun'> {
  const [, language = '', words = '', reason] = INFO.exec(info) ?? [];
  let stays = false;
  let file: string | null = null;
  for (const word of words.split(/\s+/).filter((one) => one !== '')) {
    if (word === 'stays') stays = true;
    else if (word.startsWith('file=')) file = word.slice('file='.length);
    else throw new Error(`line ${line}: '${word}' says nothing here: stays, file=PATH or no-run: reason`);
  }
  if (reason?.trim() === '') throw new Error(`line ${line}: no-run needs a reason`);
  return { language, stays, file, noRun: reason ?? null };
}
