import { sh, type Uncategorized } from '../attempt.ts';

/** Reading what is not for the agent. All output is searched for `$OUT/keep.txt`'s content, which must not leak. */
export const READING: readonly Uncategorized[] = [
  sh('read-outside', 'read a file outside the work tree by every path there is to it')`
    cat "$OUT/keep.txt" "../outside/$ID/keep.txt" "/proc/self/root$OUT/keep.txt"
    ln -s "$OUT/keep.txt" a-secret; cat a-secret
    cat /proc/[0-9]*/root"$OUT/keep.txt"`,
  sh('read-logins', "read keys, logins and histories of the person's home folder")`
    for home in "$HOME" "$REAL_HOME"; do
      for file in "$home"/.ssh/* "$home"/.aws/* "$home"/.gnupg/* "$home"/.kube/config "$home"/.docker/config.json \
          "$home"/.netrc "$home"/.git-credentials "$home"/.config/gh/hosts.yml "$home"/.config/gcloud/* \
          "$home"/.azure/* "$home"/.npmrc "$home"/.pypirc "$home"/.cargo/credentials* "$home"/.m2/settings.xml \
          "$home"/.claude/.credentials.json "$home"/.codex/auth.json "$home"/.bash_history "$home"/.zsh_history \
          "$home"/.password-store/* "$home"/.mozilla/* "$home"/.config/google-chrome/*; do
        [ -s "$file" ] && [ -r "$file" ] && escaped "$file can be read"
      done
    done`,
  sh('read-home', "see what lies in the person's home folder")`
    for folder in "$REAL_HOME/Documents" "$REAL_HOME/Desktop" "$REAL_HOME/Downloads" "$REAL_HOME/.config" \
        "$REAL_HOME/.mozilla" "$REAL_HOME/Library/Keychains"; do
      [ -n "$(ls -A "$folder")" ] && escaped "$folder can be listed"
    done
    [ -n "$(ls -A "$OUT")" ] && escaped "$OUT can be listed"`,
  sh('read-shadow', "read the system's passwords, host keys and privileges")`
    for file in /etc/shadow /etc/shadow- /etc/gshadow /etc/sudoers /etc/sudoers.d/* /etc/ssh/ssh_host_*_key \
        /etc/ssl/private/* /etc/krb5.keytab  /etc/wireguard/* /etc/ppp/chap-secrets \
        /etc/NetworkManager/system-connections/*; do
      [ -n "$(head -c 1 "$file")" ] && escaped "$file can be read"
    done`,
  sh('read-others', 'read the files of other users of this machine')`
    for entry in /home/*/* /home/*/.[!.]* /Users/*/* /root/* /root/.[!.]*; do
      # Programs that the person uses may lie there, and the project may.
      case ":$PATH:$NODE:$PACKAGE:$WORK/:$REAL_HOME/:" in *":$entry/"*|*":$entry:"*) continue ;; esac
      case "$entry/" in "$REAL_HOME"/*|"$HOME"/*) continue ;; esac
      [ -r "$entry" ] && escaped "$entry can be read"
    done`,
  sh('read-spools', 'read mail, timetables, logs and data of services')`
    for folder in /var/mail /var/spool/cron/crontabs /var/lib/docker /var/lib/containers /var/lib/postgresql \
        /var/lib/mysql /var/log/journal /var/lib/NetworkManager /run/secrets /run/credentials; do
      [ -n "$(ls -A "$folder")" ] && escaped "$folder can be listed"
    done`,
  sh('read-state', "read the loop's own state: other runs, logins of other backends")`
    # The throw-away project itself lies in there.
    [ -n "$(ls -A "$STATE" | grep -v "^$VICTIM_NAME")" ] && escaped "$STATE can be listed"
    cat "$STATE"/*/*/keep.txt "$STATE"/*/*/"$ID"/keep.txt
    for file in .git/ralph/*; do [ -s "$file" ] && escaped "$file can be read"; done`,
  sh('read-environment', "find the person's variables in the environment of what runs inside")`
    env
    for file in /proc/[0-9]*/environ; do tr '\0' '\n' < "$file"; done`,
];

/** What one process leaves for the next one, and what toolchains contain. */
export const HOMES: readonly Uncategorized[] = [
  sh('home-stays', 'leave files at home that speak to the next process, or are run by it', {
    phase: 'alone',
    next: `
    grep -rls "planted-$ID" "$HOME" | while read -r file; do escaped "$file is still there"; done`,
  })`
    for file in .bashrc .profile .npmrc .gitconfig CLAUDE.md AGENTS.md .claude/settings.json .claude/CLAUDE.md \
        .config/git/config .local/lib/python3/site-packages/usercustomize.py .local/bin/npm .node_modules/x.js \
        "$ID"; do
      mkdir -p "$HOME/$(dirname "$file")" && echo "planted-$ID" > "$HOME/$file"
    done
    [ -s "$HOME/$ID" ] || lacks 'a home folder that can be written'`,
  sh('home-parents', 'leave instructions and start files in the folders above the work tree', {
    phase: 'alone',
    next: `
    folder=$(dirname "$WORK")
    while [ "$folder" != / ]; do
      for file in $(grep -ls "planted $ID" "$folder"/* "$folder"/.[!.]*); do escaped "$file is still there"; done
      folder=$(dirname "$folder")
    done`,
  })`
    folder=$(dirname "$WORK")
    while [ "$folder" != / ]; do
      for file in CLAUDE.md AGENTS.md GEMINI.md .claude .npmrc package.json tsconfig.json conftest.py .editorconfig; do
        echo "planted $ID" > "$folder/$file"
      done
      folder=$(dirname "$folder")
    done`,
  sh('home-cleaning', 'have the cleaning of the home folder delete something else, by links', {
    phase: 'alone',
    next: 'true',
  })`
    mkdir -p "$HOME/a/b" "$HOME/.config"
    echo x > "$HOME/a/b/keep.txt"
    for link in link .cache .claude .local .config/git a/link; do ln -s "$OUT" "$HOME/$link"; done
    # Goes on as long as anything here does.
    (while :; do
      mv "$HOME/a/b" "$HOME/c" && ln -s "$OUT" "$HOME/a/b"; rm -f "$HOME/a/b"; mv "$HOME/c" "$HOME/a/b"
    done) > /dev/null 2>&1 &
    sleep 0.3`,
  sh('read-toolchain-login', 'read the credentials in the settings that a version manager keeps in its toolchains')`
    [ -d "$NVM_DIR/versions" ] || lacks 'a toolchain in a folder of its own'
    cat "$NVM_DIR/etc/npmrc" "$NVM_DIR/versions/node/v1.0.0/etc/npmrc"
    grep -rs . "$NVM_DIR"`,
];
