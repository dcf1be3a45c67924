import { printable } from '../../../rules/printable.ts';

const source = Symbol('markup');

/** HTML that this program wrote. Nothing read from a file can be one: JSON has no symbols. */
export interface Markup {
  readonly [source]: string;
}

export type Part = string | number | Markup | null | readonly Part[];

/**
 * HTML out of a template: the template is markup, whatever is put into it is text, unless it is `Markup` itself.
 * The only way to make markup, so nothing that an agent wrote ever becomes any.
 */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const text = template.reduce((all, piece, i) => all + textOf(parts[i - 1] ?? null) + piece);
  return { [source]: text };
}

/** The HTML itself. */
export function textOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return escaped(part);
  // Figures come from logs too: what is no number draws nothing, and breaks nothing.
  if (typeof part === 'number') return Number.isFinite(part) ? String(Math.round(part * 100) / 100) : '0';
  return source in part ? part[source] : part.map(textOf).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
