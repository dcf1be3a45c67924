import { sh } from './sh.ts';

/**
 * $1: folder, $2: branch or empty, $3: commit. Prints "created" when the branch is new. Filters of the user run, hooks
 * do not.
 */
export const ADD_WORKTREE = sh`
if [ -z "$2" ]; then
  git worktree add -q --detach "$1" "$3" >&2
elif git show-ref --verify --quiet "refs/heads/$2"; then
  git worktree add -q "$1" "$2" >&2
else
  git worktree add -q --no-track -b "$2" "$1" "$3" >&2
  echo created
fi
`;

/**
 * $1: folder, $2: git dir of the repository. The files first: a work tree without them is one that git can forget. With
 * it goes what kept its checkpoints, and those of work trees that git forgot by itself.
 */
export const REMOVE_WORKTREE = sh`
rm -rf -- "$1" 2>/dev/null || {
  # Whoever worked there took away the right to write.
  chmod -R u+rwX -- "$1" 2>/dev/null || :
  rm -rf -- "$1"
}
git worktree remove -f -f "$1" >&2
git for-each-ref --format='%(refname)' refs/ralph/checkpoint/worktrees/ | while IFS= read -r ref; do
  name=\${ref#refs/ralph/checkpoint/worktrees/}
  [ -e "$2/worktrees/\${name%%/*}" ] || printf 'delete %s\n' "$ref"
done | git update-ref --stdin
`;
