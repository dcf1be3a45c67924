import { sh } from './sh.ts';

/** Prints every entry of the shadow index: mode, object, stage, path. */
export const LIST_ENTRIES = sh`
shadow ls-files -s -z
`;

/**
 * Standard input: gitlinks of the shadow index. Forgets them, and entries whose place something else has taken.
 * Then prints what is untracked: nested repositories end in a slash.
 */
export const FORGET_UNTAKABLE = sh`
shadow update-index -z --force-remove --stdin
shadow ls-files -z >"$W/all"
print_displaced "$W/all" >"$W/displaced"
shadow update-index -z --force-remove --stdin <"$W/displaced"
shadow ls-files -o -z --exclude-standard
`;

/** Standard input: paths. Prints those of them that are ignored. */
export const LIST_IGNORED = sh`
shadow check-ignore -z --stdin || [ $? -eq 1 ]
`;

/** Gives the owner the right to read back, where an agent took it away. What is not ours stays as it is. */
export const MAKE_READABLE = sh`
find . -path ./.git -prune -o \( -type d ! -perm -u=rx -o -type f ! -perm -u=r \) -exec chmod u+rX {} + 2>/dev/null || :
`;
