import { dirname, isAbsolute, normalize } from 'node:path';

/** Is `path` this folder, or below it? Both absolute and normal. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** The folders on the way from `folder` to `path`, without either end, outermost first; none when it is not below. */
export function foldersBetween(folder: string, path: string): readonly string[] {
  if (path === folder || !isWithin(path, folder)) return [];
  const between: string[] = [];
  for (let at = dirname(path); at !== folder; at = dirname(at)) between.unshift(at);
  return between;
}

/** An absolute path without `.`, `..`, doubled and trailing slashes; null when it is relative or empty. */
export function normalPath(path: string | undefined): string | null {
  if (path === undefined || !isAbsolute(path)) return null;
  const normal = normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** Those that are not below another one of them, without doubles, in their order. */
export function outermost(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));
}
