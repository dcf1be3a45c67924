import type { FileChange, TamperFinding } from '../api.ts';
import { lineOf, newMatches, shown, withoutCommentLines } from './finding.ts';

/** A line of a file of attributes that takes what it names out of differences, as git or a code host shows them. */
const HIDING =
  /^[ \t]*(?!\[attr\])\S+(?:[ \t]+\S+)*?[ \t]+(?:-diff|diff=\S+|binary|-text|(?:linguist|gitlab)-(?:generated|vendored)(?:=true)?)(?=[ \t]|$).*$/gm;
/** What is no text however it is marked. */
const NO_TEXT =
  /^[ \t]*\S*\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|zst|7z|jar|war|woff2?|ttf|otf|eot|mp[34]|mov|avi|webm|ogg|wav|exe|dll|so|dylib|wasm|sqlite|db)[ \t]/i;

/** Files that differences no longer show: a reviewer who reads one would not see what is in them. */
export function hiddenFromDiff({ path, before, after }: FileChange): TamperFinding[] {
  if (!/(?:^|\/)\.gitattributes$/.test(path) || after === null) return [];
  return newMatches(HIDING, withoutCommentLines(before ?? ''), withoutCommentLines(after))
    .filter(([line]) => !NO_TEXT.test(line))
    .map((match) => ({
      kind: 'hidden-from-diff',
      path,
      line: lineOf(after, match),
      detail: `${shown(match[0])} hides the changes of these files from differences: read them with \`git diff --text\`.`,
      severity: 'low',
    }));
}
