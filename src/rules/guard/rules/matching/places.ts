import type { GuardContext, SimpleCommand, Word } from '../../api.ts';
import { type Place, pathOf, placeOf } from '../../paths.ts';

/** Whether a word of a command lies in one of these places. */
export function liesIn(word: Word, places: readonly Place[], command: SimpleCommand, context: GuardContext): boolean {
  return places.includes(placeOf(pathOf(word, command, context), context));
}

/**
 * A path from the home folder on, without the leading slash (`.ssh/id_rsa`); null when it is in nobody's home. The homes
 * of other people and of root count: a command may name its own home in full.
 */
export function homeRelative(path: string, context: GuardContext): string | null {
  const { home } = context;
  if (path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  return /^\/(?:(?:home|Users)\/[^/]+|root)\/(.+)$/.exec(path)?.[1] ?? null;
}

/** Whether a host is this machine, as a host name, an address or a whole URL. */
export function isLocalHost(text: string): boolean {
  return /^([a-z+]+:\/\/)?([^@/]*@)?(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|::1|[\w.-]+\.localhost|host\.docker\.internal)(?=[:/?#]|$)/i.test(
    text,
  );
}
