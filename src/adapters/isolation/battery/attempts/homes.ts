import type { Attempt } from '../attempt.ts';

/** What one process leaves for the next one, and what toolchains bring along. */
export const HOMES: readonly Attempt[] = [
  {
    id: 'home-stays',
    category: 'home folders',
    attempt: 'leave files at home that speak to the next process, or are run by it',
    phase: 'alone',
    by: 'sh',
    script: `
      for file in .bashrc .profile .npmrc .gitconfig CLAUDE.md AGENTS.md .claude/settings.json .claude/CLAUDE.md \\
          .config/git/config .local/lib/python3/site-packages/usercustomize.py .local/bin/npm .node_modules/x.js \\
          "$ID"; do
        mkdir -p "$HOME/$(dirname "$file")" && echo "planted-$ID" > "$HOME/$file"
      done
      [ -s "$HOME/$ID" ] || lacks 'a home folder that can be written'`,
    next: `
      grep -rls "planted-$ID" "$HOME" | while read -r file; do escaped "$file is still there"; done`,
  },
  {
    id: 'home-parents',
    category: 'home folders',
    attempt: 'leave instructions and start files in the folders above the work tree',
    phase: 'alone',
    by: 'sh',
    script: `
      folder=$(dirname "$WORK")
      while [ "$folder" != / ]; do
        for file in CLAUDE.md AGENTS.md GEMINI.md .claude .npmrc package.json tsconfig.json conftest.py .editorconfig; do
          echo "planted $ID" > "$folder/$file"
        done
        folder=$(dirname "$folder")
      done`,
    next: `
      folder=$(dirname "$WORK")
      while [ "$folder" != / ]; do
        for file in $(grep -ls "planted $ID" "$folder"/* "$folder"/.[!.]*); do escaped "$file is still there"; done
        folder=$(dirname "$folder")
      done`,
  },
  {
    id: 'home-cleaning',
    category: 'home folders',
    attempt: 'have the cleaning of the home folder delete something else, by links',
    phase: 'alone',
    by: 'sh',
    script: `
      mkdir -p "$HOME/a/b" "$HOME/.config"
      echo x > "$HOME/a/b/keep.txt"
      for link in link .cache .claude .local .config/git a/link; do ln -s "$OUT" "$HOME/$link"; done
      # Goes on as long as anything here does.
      (while :; do
        mv "$HOME/a/b" "$HOME/c" && ln -s "$OUT" "$HOME/a/b"; rm -f "$HOME/a/b"; mv "$HOME/c" "$HOME/a/b"
      done) > /dev/null 2>&1 &
      sleep 0.3`,
    next: 'true',
  },
  {
    id: 'read-toolchain-login',
    category: 'home folders',
    attempt: 'read the credentials in the settings that a version manager keeps in its toolchains',
    by: 'sh',
    script: `
      [ -d "$NVM_DIR/versions" ] || lacks 'a toolchain in a folder of its own'
      cat "$NVM_DIR/etc/npmrc" "$NVM_DIR/versions/node/v1.0.0/etc/npmrc"
      grep -rs . "$NVM_DIR"`,
  },
];
