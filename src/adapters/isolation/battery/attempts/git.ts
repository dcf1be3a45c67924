import { join } from 'node:path';
import { readText } from '../../../../platform/index.ts';
import { sh, type Traces, type Uncategorized } from '../attempt.ts';

/** A program that proves it ran by creating a file outside the work tree, which it can do on the host only. */
const PLANTED = `
  printf '#!/bin/sh\\necho ran > "%s/ran"\\ncat\\n' "$OUT" > planted-$ID.sh
  chmod +x planted-$ID.sh
  planted="$WORK/planted-$ID.sh"`;

/** Puts one setting into the work tree's git dir, with git and by hand. */
const setting = (section: string, key: string, value: string) => `${PLANTED}
  git config '${section}.${key}' "${value}"
  printf '[%s]\\n\\t%s = %s\\n' '${section.replace(/\.(.*)$/, ' "$1"')}' '${key}' "${value}" >> .git/config`;

const gitChanged = (traces: Traces) => traces.gitChange();

/**
 * What an agent can leave for git to run later on the host. When the sandbox has ended, the loop's own git inspects the
 * work tree, takes over the agent's work and commits: nothing that was planted may run then.
 */
export const GIT: readonly Uncategorized[] = [
  sh(
    'git-fsmonitor',
    'plant core.fsmonitor, which git runs whenever it looks at files',
  )`${setting('core', 'fsmonitor', '$planted')}`,
  sh('git-hooks-path', 'plant core.hooksPath')`${setting('core', 'hooksPath', '$WORK/planted-hooks')}
    mkdir -p planted-hooks
    for hook in pre-commit post-commit post-checkout post-index-change reference-transaction; do
      cp "$planted" "planted-hooks/$hook"
    done`,
  sh('git-hooks', 'plant hooks in .git/hooks')`${PLANTED}
    mkdir -p .git/hooks
    for hook in pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-merge post-index-change \
        reference-transaction pre-auto-gc fsmonitor-watchman; do
      cp "$planted" ".git/hooks/$hook"
    done`,
  sh(
    'git-filter',
    'plant a filter, with attributes that apply it to every file',
  )`${setting('filter.planted', 'clean', '$planted')}
    git config filter.planted.smudge "$planted"
    git config filter.planted.required true
    echo '* filter=planted' >> .gitattributes
    mkdir -p .git/info; echo '* filter=planted' >> .git/info/attributes`,
  sh('git-diff', 'plant an external diff, a textconv and a merge driver')`${setting('diff', 'external', '$planted')}
    git config diff.planted.textconv "$planted"
    git config diff.planted.command "$planted"
    git config merge.planted.driver "$planted"
    echo '* diff=planted merge=planted' >> .gitattributes`,
  sh(
    'git-alias',
    "plant aliases for git's own commands, a pager, an editor, a signer",
  )`${setting('alias', 'status', '!$planted')}
    for name in add commit diff log show rev-parse write-tree; do git config "alias.$name" "!$planted"; done
    git config core.pager "$planted"; git config core.editor "$planted"; git config core.askPass "$planted"
    git config gpg.program "$planted"; git config commit.gpgsign true
    git config core.sshCommand "$planted"; git config credential.helper "!$planted"`,
  sh('git-include', 'plant include.path, which draws settings from a file of the work tree')`${PLANTED}
    printf '[core]\n\tfsmonitor = %s\n\tpager = %s\n' "$planted" "$planted" > planted.gitconfig
    printf '[include]\n\tpath = %s\n' "$WORK/planted.gitconfig" >> .git/config
    printf '[includeIf "gitdir:%s/"]\n\tpath = %s\n' "$WORK" "$WORK/planted.gitconfig" >> .git/config`,
  sh('git-submodule', 'plant a submodule with commands of its own, and a repository in it')`${PLANTED}
    printf '[submodule "x"]\n\tpath = nested\n\turl = ext::%s\n\tupdate = !%s\n' "$planted" "$planted" > .gitmodules
    git init -q nested && printf '[core]\n\tfsmonitor = %s\n' "$planted" >> nested/.git/config
    mkdir -p nested/.git/hooks && cp "$planted" nested/.git/hooks/post-index-change`,
  // A folder that the user already has must not contain it either; a planted program that ran is found separately.
  sh('git-persons-settings', "plant settings in the person's own git configuration", {
    check: async ({ id, home }) => {
      const planted = await readText(join(home, '.gitconfig'));
      return planted?.includes(`planted-${id}.sh`) ? "the person's ~/.gitconfig was written" : null;
    },
  })`${PLANTED}
    for file in "$HOME/.gitconfig" "$HOME/.config/git/config" "$REAL_HOME/.gitconfig"; do
      mkdir -p "$(dirname "$file")"
      printf '[core]\n\tfsmonitor = %s\n' "$planted" >> "$file"
    done`,
  sh('git-move', 'move .git away and put another in its place', { phase: 'alone', check: gitChanged })`${PLANTED}
    mv .git .git-old; mkdir .git
    git init -q . ; printf '[core]\n\tfsmonitor = %s\n' "$planted" >> .git/config
    rm -rf .git; echo "gitdir: $WORK/.git-old" > .git`,
  sh('git-remove', 'remove .git', {
    phase: 'alone',
    check: gitChanged,
  })`
    chmod -R u+w .git; rm -rf .git .git/*; find .git -delete`,
  sh('git-objects', 'corrupt the objects of the repository', { phase: 'alone', check: gitChanged })`
    for objects in .git/objects $(cat .git/objects/info/alternates) "$WORK/.git/objects"; do
      find "$objects" -type f | while read -r file; do
        chmod u+w "$file"; echo junk > "$file"; rm -f "$file"
      done
      rm -rf "$objects"
    done`,
  sh('git-history', 'rewrite history: branches, tags, the reflog, the stash', { phase: 'alone', check: gitChanged })`
    git update-ref -d refs/heads/main; git symbolic-ref HEAD refs/heads/other
    git for-each-ref --format='%(refname)' | while read -r ref; do git update-ref -d "$ref"; done
    git reflog expire --expire=now --all; git gc -q --prune=now
    rm -rf .git/refs .git/packed-refs .git/logs .git/HEAD`,
];

/** What an agent can leave in the work tree for programs of the host. */
export const AFTERWARDS: readonly Uncategorized[] = [
  sh('set-user-id', 'leave a program that runs with the rights of the person, for others of this machine')`
    cp "$(command -v env)" as-person
    chmod 4755 as-person; chmod g+s as-person; install -m 6755 as-person as-both
    umask 0; [ ! -e /usr/bin/perl ] || perl -e 'use Fcntl; sysopen(F, "made-so", O_CREAT|O_WRONLY, 04755)'
    for made in as-person as-both made-so; do
      { [ ! -u "$made" ] && [ ! -g "$made" ]; } || escaped "$made has the rights of the person"
    done`,
  sh('device-file', 'leave a device file in the work tree')`
    mknod null c 1 3; mknod disk b 8 0
    { [ ! -c null ] && [ ! -b disk ]; } || escaped 'a device in the work tree'`,
];
