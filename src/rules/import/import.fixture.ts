import type { Story } from '../../contracts/index.ts';
import { loadSource } from '../backlog/index.ts';
import { toNative } from './to-native.ts';
import { type Understood, understand } from './understand.ts';

const DEFAULTS = { schema: null, project: 'app', branchName: 'ralph/app', verifyCommands: ['npm test'] };

/** What a text is understood as; throws with its problems when it is not. */
export function understoodText(file: string, text: string, repair = false, state?: string): Understood {
  const encode = (said: string) => new TextEncoder().encode(said);
  const beside = state === undefined ? null : encode(state);
  const understood = understand({ file, bytes: encode(text), reviews: null, state: beside, repair });
  if ('problems' in understood) throw new Error(JSON.stringify(understood.problems));
  return understood;
}

/** The native form of a text, and its stories as they are read back. */
export function nativeText(file: string, text: string) {
  const understood = understoodText(file, text);
  const native = toNative(understood, DEFAULTS, 'tasks.json');
  if ('problems' in native) throw new Error(JSON.stringify(native.problems));
  const loaded = loadSource({
    format: 'tasks-json',
    file: 'tasks.json',
    text: native.text,
    reviewsFile: '',
    reviewsText: null,
  });
  const stories: readonly Story[] = loaded.document?.backlog.stories ?? [];
  return { understood, native, stories, json: JSON.parse(native.text) as Record<string, unknown> };
}
