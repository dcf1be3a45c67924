import { sh } from './sh.ts';

/** Prints every entry of the shadow index: mode, object, stage, path. */
export const LIST_ENTRIES = sh`
shadow ls-files -s -z
`;

/**
 * Standard input: gitlinks of the shadow index. Forgets them, and entries whose place a FIFO, socket or device has
 * taken (git add fails on those). Then prints what is untracked: nested repositories end in a slash.
 */
export const FORGET_UNTAKABLE = sh`
shadow update-index -z --force-remove --stdin
shadow ls-files -z >"$W/all"
if [ -s "$W/all" ]; then
  xargs -0 sh -c 'for f; do [ -L "./$f" ] || [ ! -e "./$f" ] || [ -f "./$f" ] || [ -d "./$f" ] || printf "%s\0" "$f"; done' sh <"$W/all" >"$W/special"
  shadow update-index -z --force-remove --stdin <"$W/special"
fi
shadow ls-files -o -z --exclude-standard
`;

/** Gives the owner the right to read back, where an agent took it away. What is not ours stays as it is. */
export const MAKE_READABLE = sh`
find . -path ./.git -prune -o \( -type d ! -perm -u=rx -o -type f ! -perm -u=r \) -exec chmod u+rX {} + 2>/dev/null || :
`;
