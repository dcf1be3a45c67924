import type { Word } from '../api.ts';
import { wordOf } from './text.ts';

/** The name under which a script of package.json is kept among the files that a text writes. */
export function scriptFile(script: string): Word {
  return wordOf(`package.json#${script}`);
}

/** `npm pkg set scripts.NAME=CODE`, word by word: the scripts that it sets. */
export function scriptsSet(args: readonly Word[]): readonly { readonly script: string; readonly code: Word }[] {
  if (args[0]?.text !== 'pkg' || args[1]?.text !== 'set') return [];
  return args.flatMap((word) => {
    const [, script, code] = /^scripts\.([\w:.-]+)=([\s\S]*)$/.exec(word.text) ?? [];
    return script === undefined || code === undefined ? [] : [{ script, code: { ...word, text: code } }];
  });
}
