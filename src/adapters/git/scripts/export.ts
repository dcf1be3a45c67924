import { sh } from './sh.ts';

/**
 * $1: tree or commit, $2: folder, $3: all, or listed: the NUL-terminated paths on standard input. Through an index of
 * its own; links in the way are replaced, never followed.
 */
export const EXPORT_TREE = sh`
index=$W/export.index
rm -f "$index" "$index.lock"
shadow_in "$index" read-tree "$1"
case $3 in
all) shadow_in "$index" checkout-index -q -f -a --prefix="$2/" ;;
*) shadow_in "$index" checkout-index -q -f -z --stdin --prefix="$2/" ;;
esac
rm -f "$index"
`;
