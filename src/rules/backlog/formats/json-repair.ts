import { linesAt } from '../lines.ts';
import { type LooseToken, nextToken } from './json-repair-tokens.ts';
import { CONFLICT } from './json-syntax.ts';

/** JSON that was mended, and one sentence on each thing that was done to it, with its line. */
export interface RepairedJson {
  readonly text: string;
  readonly repairs: readonly string[];
}

/** What a container waits for. After `comma` its end may come too, but that comma is then one too many. */
type Wait = 'first' | 'comma' | 'item' | 'colon' | 'value';

interface Open {
  readonly kind: '{' | '[';
  wait: Wait;
  /** Parts of the output up to its last complete element: what a file that breaks off is cut back to. */
  complete: number;
}

const FENCE = /^\s*```(?:json|jsonc|json5)?[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```\s*$/;

/**
 * Mends what people, models and cut-off writes get wrong in JSON: commas too many or missing, comments, other quotes,
 * names without quotes, words of Python, brackets that are missing, a tail that breaks off. All other bytes stay.
 * Null when that is not enough, or a merge conflict is left in it. Of a text that is fine, `repairs` is empty.
 */
export function repairJson(text: string): RepairedJson | null {
  // Which side of a merge is right is for people to say.
  if (CONFLICT.test(text)) return null;
  const { body, notes } = unwrap(text);
  const repair = new Repair(body);
  const mended = repair.run();
  if (mended === null) return null;
  try {
    JSON.parse(mended);
  } catch {
    return null;
  }
  return { text: mended, repairs: [...notes, ...repair.repairs()] };
}

function unwrap(text: string): { body: string; notes: string[] } {
  const notes: string[] = [];
  let body = text;
  if (body.startsWith('\uFEFF')) {
    body = body.slice(1);
    notes.push('line 1: the byte order mark was taken out');
  }
  const fenced = FENCE.exec(body)?.[1];
  if (fenced !== undefined) notes.push('line 1: the code fence around the JSON was taken out');
  return { body: fenced ?? body, notes };
}

class Repair {
  private readonly notes: { readonly offset: number; readonly what: string }[] = [];
  private readonly text: string;
  private readonly stack: Open[] = [];
  private readonly parts: string[] = [];
  /** Everything before it is in the output. */
  private copied = 0;
  /** Which part is the last comma, and where that comma stands in the text. */
  private comma: { readonly part: number; readonly at: number } | null = null;

  constructor(text: string) {
    this.text = text;
  }

  run(): string | null {
    let started = false;
    for (let at = 0; ; ) {
      const token = nextToken(this.text, at);
      at = token.end;
      if (token.kind === 'bad') return null;
      if (token.kind === 'comment') {
        this.write(token, '');
        continue;
      }
      const top = this.stack.at(-1);
      if (!top) {
        if (token.kind === 'end') return started ? this.parts.join('') + this.text.slice(this.copied) : null;
        if (started && (token.kind === '}' || token.kind === ']')) {
          this.drop(token);
          continue;
        }
        if (started || (token.kind !== '{' && token.kind !== '[')) return null;
        started = true;
        this.open(token);
      } else if (token.kind === 'end' || token.kind === 'cut') return this.closeCutOff();
      else if (!this.take(token, top)) return null;
    }
  }

  repairs(): string[] {
    const notes = this.notes.toSorted((a, b) => a.offset - b.offset);
    const lines = linesAt(
      this.text,
      notes.map(({ offset }) => offset),
    );
    return notes.map(({ what }, index) => `line ${lines[index]}: ${what}`);
  }

  /** Takes one token inside a container; false when it cannot stand there. */
  private take(token: LooseToken, top: Open): boolean {
    if (token.kind === '}' || token.kind === ']') return this.close(token);
    if (token.kind === ',') return this.takeComma(token, top);
    if (token.kind === ':') {
      if (top.wait !== 'colon') return false;
      this.write(token, ':');
      top.wait = 'value';
      return true;
    }
    if (top.wait === 'comma') {
      // Without space between them this is rather a quotation mark inside a string.
      if (token.start === this.copied && this.text[token.start] !== '{') return false;
      this.note(this.copied, 'a missing comma was added');
      this.parts.push(',');
      top.wait = 'item';
    }
    if (top.kind === '{' && top.wait !== 'value') return this.takeKey(token, top);
    if (token.kind === 'name') return false;
    if (token.kind === 'value') {
      this.write(token, token.json);
      this.complete(top);
    } else this.open(token);
    return true;
  }

  private takeKey(token: LooseToken, top: Open): boolean {
    if (top.wait === 'colon') return false;
    const isWord = token.kind === 'name' || (token.kind === 'value' && token.json.startsWith('"'));
    if (!isWord) return false;
    this.write(token, token.json);
    top.wait = 'colon';
    return true;
  }

  private takeComma(token: LooseToken, top: Open): boolean {
    if (top.wait !== 'comma' && top.wait !== 'item' && top.wait !== 'first') return false;
    const extra = top.wait !== 'comma';
    if (extra) this.note(token.start, 'a comma too many was taken out');
    this.write(token, extra ? '' : ',');
    if (extra) return true;
    this.comma = { part: this.parts.length - 1, at: token.start };
    top.wait = 'item';
    return true;
  }

  private open(token: LooseToken): void {
    this.write(token, token.json);
    this.stack.push({ kind: token.kind as Open['kind'], wait: 'first', complete: this.parts.length });
  }

  private close(token: LooseToken): boolean {
    const kind = token.kind === '}' ? '{' : '[';
    if (!this.stack.some((open) => open.kind === kind)) {
      this.drop(token);
      return true;
    }
    for (let top = this.stack.pop(); top; top = this.stack.pop()) {
      if (top.wait === 'colon' || top.wait === 'value') return false;
      if (top.wait === 'item' && this.comma) this.dropComma(this.comma);
      const own = top.kind === kind;
      const bracket = top.kind === '{' ? '}' : ']';
      if (own) this.write(token, bracket);
      else {
        this.note(token.start, `a missing ${bracket} was added`);
        this.parts.push(bracket);
      }
      const parent = this.stack.at(-1);
      if (parent) this.complete(parent);
      if (own) return true;
    }
    return false;
  }

  /** A bracket that closes nothing. */
  private drop(token: LooseToken): void {
    this.note(token.start, `a stray ${token.kind} was taken out`);
    this.write(token, '');
  }

  private dropComma(comma: { readonly part: number; readonly at: number }): void {
    this.parts[comma.part] = '';
    this.note(comma.at, 'a trailing comma was taken out');
  }

  /** The last element that is whole ends the file; what had only begun is left out. */
  private closeCutOff(): string {
    const open = this.stack.length;
    let left = '';
    for (let top = this.stack.at(-1); top && top.wait !== 'comma'; top = this.stack.at(-1)) {
      this.parts.length = top.complete;
      left = ', and what had only begun was left out';
      if (top.wait !== 'first' || this.stack.length === 1) break;
      this.stack.pop();
    }
    this.note(this.text.trimEnd().length, `the file breaks off: ${open} open brackets were closed${left}`);
    const closing = this.stack.map(({ kind }) => (kind === '{' ? '}' : ']')).reverse();
    return this.parts.join('').trimEnd() + closing.join('');
  }

  private complete(open: Open): void {
    open.wait = 'comma';
    open.complete = this.parts.length;
  }

  /** Copies the white space before a token, then what stands for it. */
  private write(token: LooseToken, json: string): void {
    this.parts.push(this.text.slice(this.copied, token.start), json);
    this.copied = token.end;
    if (token.repair !== null) this.note(token.start, token.repair);
  }

  private note(offset: number, what: string): void {
    this.notes.push({ offset, what });
  }
}
