import type { Plugin } from 'rolldown';

/** A property of a rule of the guard that only its tests read. */
const EXAMPLES = /^(blocks|allows)$/;

interface AnyNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly key?: { readonly name?: string };
  readonly value?: AnyNode;
}

/** The rules of the guard without their examples, over a thousand lines of text that no program looks at. */
export const WITHOUT_EXAMPLES: Plugin = {
  name: 'without-examples',
  transform: {
    filter: { id: /[\\/]rules[\\/]guard[\\/]dangers[\\/]/ },
    handler(code) {
      const found = examplesIn(this.parse(code, { lang: 'ts' }));
      return found.reduceRight((text, { start, end }) => `${text.slice(0, start)}[]${text.slice(end)}`, code);
    },
  },
};

/** The lists of examples below a node, in the order of the text. */
function examplesIn(node: unknown): readonly AnyNode[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, key, value } = node as AnyNode;
  if (type === 'Property' && EXAMPLES.test(key?.name ?? '') && value?.type === 'ArrayExpression') return [value];
  return Object.values(node).flatMap(examplesIn);
}
