import { sh } from './sh.ts';

/** $1: tree; standard input: entries as `update-index --index-info` reads them. Prints the tree with them. */
export const TREE_WITH = sh`
place=$(mktemp -d "$W/with.XXXXXX")
trap 'rm -rf "$place"' EXIT
GIT_INDEX_FILE=$place/index
export GIT_INDEX_FILE
git read-tree --no-sparse-checkout "$1"
git update-index -z --replace --index-info
git write-tree
`;
