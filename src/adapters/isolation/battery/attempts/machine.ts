import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stat } from '../../../../platform/index.ts';
import { node, sh, type Uncategorized } from '../attempt.ts';

/** Reading what is not for the agent. All output is searched for `$OUT/keep.txt`'s content, which must not leak. */
export const READING: readonly Uncategorized[] = [
  sh('read-outside', 'read a file outside the work tree by every path to it')`
    cat "$OUT/keep.txt" "../outside/$ID/keep.txt" "/proc/self/root$OUT/keep.txt"
    ln -s "$OUT/keep.txt" a-secret; cat a-secret
    cat /proc/[0-9]*/root"$OUT/keep.txt"`,
  sh('read-logins', "read keys, logins and histories of the user's home folder")`
    for home in "$HOME" "$REAL_HOME"; do
      for file in "$home"/.ssh/* "$home"/.aws/* "$home"/.gnupg/* "$home"/.kube/config "$home"/.docker/config.json \
          "$home"/.netrc "$home"/.git-credentials "$home"/.config/gh/hosts.yml "$home"/.config/gcloud/* \
          "$home"/.azure/* "$home"/.npmrc "$home"/.pypirc "$home"/.cargo/credentials* "$home"/.m2/settings.xml \
          "$home"/.claude/.credentials.json "$home"/.codex/auth.json "$home"/.bash_history "$home"/.zsh_history \
          "$home"/.password-store/* "$home"/.mozilla/* "$home"/.config/google-chrome/*; do
        [ -s "$file" ] && [ -r "$file" ] && escaped "$file can be read"
      done
    done`,
  sh('read-home', "list the user's home folder")`
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
  sh('read-environment', "find the user's variables in the environment inside")`
    env
    for file in /proc/[0-9]*/environ; do tr '\0' '\n' < "$file"; done`,
];

/** What one process leaves for the next one, and what toolchains contain. */
export const HOMES: readonly Uncategorized[] = [
  sh('home-stays', 'leave files at home that the next process reads or runs', {
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
  sh('home-cleaning', 'make the cleanup of the home folder delete something else, by links', {
    phase: 'alone',
    next: 'true',
  })`
    mkdir -p "$HOME/a/b" "$HOME/.config"
    echo x > "$HOME/a/b/keep.txt"
    for link in link .cache .claude .local .config/git a/link; do ln -s "$OUT" "$HOME/$link"; done
    # Continues as long as anything here does.
    (while :; do
      mv "$HOME/a/b" "$HOME/c" && ln -s "$OUT" "$HOME/a/b"; rm -f "$HOME/a/b"; mv "$HOME/c" "$HOME/a/b"
    done) > /dev/null 2>&1 &
    sleep 0.3`,
  sh('read-toolchain-login', 'read the credentials in the settings that a version manager keeps in its toolchains')`
    [ -d "$NVM_DIR/versions" ] || lacks 'a toolchain in a folder of its own'
    cat "$NVM_DIR/etc/npmrc" "$NVM_DIR/versions/node/v1.0.0/etc/npmrc"
    grep -rs . "$NVM_DIR"`,
];

/** Longer than the pause between two heartbeats of a process that should have ended, even on a busy machine. */
const HEARTBEAT_MS = 400;

/** `$VICTIM`: a host process whose command line and environment contain a secret. It must survive to the end. */
export const PROCESSES: readonly Uncategorized[] = [
  sh('see-processes', 'see processes of the host, with their command lines and environments')`
    cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\0' ' '
    ps -ef`,
  sh('read-memory', 'read and write the memory of a process of the host')`
    grep -q "$VICTIM_NAME" "/proc/$VICTIM/cmdline" || { echo "process $VICTIM is not there inside"; exit; }
    cat "/proc/$VICTIM/maps" | grep -q . && escaped "the memory map of process $VICTIM can be read"
    ( : >> "/proc/$VICTIM/mem" ) && escaped "the memory of process $VICTIM can be written"`,
  sh('follow-processes', 'follow the open files and folders of a process of the host')`
    for way in "/proc/$VICTIM/root" "/proc/$VICTIM/cwd"; do
      cat "$way$OUT/keep.txt"
      echo new > "$way$OUT/new"
    done
    cat "/proc/$VICTIM/cwd/$ID/keep.txt"`,
  sh('ptrace', 'attach to a process of the host as a debugger')`
    grep -q "$VICTIM_NAME" "/proc/$VICTIM/cmdline" || { echo "process $VICTIM is not there inside"; exit; }
    needs perl
    perl -e '
      my $number = (POSIX::uname())[4] eq "x86_64" ? 101 : 117;
      print "ESCAPED attached to $ENV{VICTIM}\n" if syscall($number, 16, $ENV{VICTIM} + 0, 0, 0) == 0;
      print "$!\n";
      syscall($number, 17, $ENV{VICTIM} + 0, 0, 0);' -MPOSIX`,
  sh('signal', 'end a process of the host', {
    phase: 'alone',
  })`
    kill -9 "$VICTIM"; pkill -9 -f "$VICTIM_NAME"; kill -STOP "$VICTIM"`,
  sh('survive', 'survive the sandbox, unmarked and in another session', {
    phase: 'alone',
    check: ({ work }) => beating(join(work, 'heartbeat')),
  })`
    # Ends by itself, should nothing end it.
    loop='for beat in $(seq 300); do date +%s%N > heartbeat; sleep 0.05; done'
    env -i PATH="$PATH" setsid sh -c "$loop" < /dev/null > /dev/null 2>&1 &
    env -i PATH="$PATH" nohup sh -c "trap '' TERM HUP INT; $loop" < /dev/null > /dev/null 2>&1 &
    sleep 0.2`,
  sh('signal-all', 'kill every process', { phase: 'last' })`
    kill -9 -1`,
];

async function beating(file: string): Promise<string | null> {
  const before = await stat(file);
  await sleep(HEARTBEAT_MS);
  const after = await stat(file);
  return before?.mtimeMs === after?.mtimeMs ? null : 'a process went on after the sandbox had ended';
}

/** Limits of the sandbox for these attempts; the attempts try to use far more. */
export const LITTLE = { memoryBytes: 256 * 1024 * 1024, processes: 120 } as const;

const PROCESSES_TRIED = 240;
const MEMORY_TRIED = 768 * 1024 * 1024;

export const LIMITS: readonly Uncategorized[] = [
  node('fork-bomb', `start more processes than the limit: ${PROCESSES_TRIED} where ${LITTLE.processes} are allowed`, {
    phase: 'limits',
  })`
    const { spawn } = require('node:child_process');
    const started = [];
    for (let i = 0; i < ${PROCESSES_TRIED}; i += 1) {
      const child = spawn('sleep', ['30'], { stdio: 'ignore' });
      child.on('error', () => {});
      if (child.pid === undefined) break;
      started.push(child);
    }
    console.log(started.length + ' processes could be started');
    if (started.length > ${LITTLE.processes}) escaped(started.length + ' processes could be started');
    for (const child of started) child.kill('SIGKILL');`,
  node('memory', 'use more memory than the limit: 768 MB where 256 are allowed', { phase: 'limits' })`
    const blocks = [];
    for (let used = 0; used < ${MEMORY_TRIED}; used += 2 ** 25) {
      blocks.push(Buffer.alloc(2 ** 25, 1));
      console.log((used + 2 ** 25) / 2 ** 20 + ' MB could be used');
    }
    escaped('768 MB could be used');`,
];

/** System calls by number, which perl can make without a compiler: `call NAME, ARGUMENTS…` returns 0 or more. */
const PERL = `
  use POSIX ();
  my %x86 = (keyctl => 250, bpf => 321, perf_event_open => 298, init_module => 175, kexec_load => 246, setns => 308,
    open_by_handle_at => 304, name_to_handle_at => 303, pidfd_open => 434, pidfd_getfd => 438, swapon => 167,
    mount => 165, chroot => 161, iopl => 172, process_vm_readv => 310);
  my %arm = (keyctl => 219, bpf => 280, perf_event_open => 241, init_module => 105, kexec_load => 104, setns => 268,
    open_by_handle_at => 265, name_to_handle_at => 264, pidfd_open => 434, pidfd_getfd => 438, swapon => 224,
    mount => 40, chroot => 51, process_vm_readv => 270);
  my $numbers = (POSIX::uname())[4] eq "x86_64" ? \\%x86 : \\%arm;
  sub call { my $name = shift; my $number = $numbers->{$name}; return -1 unless defined $number; return syscall($number, @_); }
  sub worked { print "ESCAPED $_[0]\\n"; }
`;

/** Needs perl, which most systems with git have. */
const perl = (script: string) => `
  needs perl
  perl -e '${PERL}${script}
    print "$!\\n";'`;

export const DEVICES: readonly Uncategorized[] = [
  sh('device-nodes', 'make device nodes and read the disk through them')`
    major_minor() { sed -n 's/^ *\([0-9]*\) *\([0-9]*\) .*/\1 \2/p' /proc/partitions | head -1; }
    mknod node-memory c 1 1 && head -c 1 node-memory > /dev/null && escaped 'the memory of the machine can be read'
    mknod node-disk b $(major_minor) && head -c 1 node-disk > /dev/null && escaped 'a disk can be read'
    mknod /dev/shm/node b $(major_minor) && head -c 1 /dev/shm/node > /dev/null && escaped 'a disk can be read'
    rm -f node-memory node-disk`,
  sh('device-memory', 'read the memory of the machine and the messages of its kernel')`
    for device in /dev/mem /dev/kmem /dev/port /proc/kcore; do
      [ -n "$(head -c 1 "$device" | tr '\0' x)" ] && escaped "$device can be read"
    done
    [ -c /dev/kmsg ] && ( exec 3< /dev/kmsg ) && escaped '/dev/kmsg can be read'
    [ -c /dev/kmsg ] && ( : >> /dev/kmsg ) && escaped '/dev/kmsg can be written'
    true`,
  sh('device-disks', 'open disks, loop devices and other hardware')`
    for device in /dev/sd* /dev/vd* /dev/xvd* /dev/nvme* /dev/mmcblk* /dev/dm-* /dev/mapper/* /dev/loop* /dev/kvm \
        /dev/fuse /dev/net/tun /dev/vhost* /dev/dri/* /dev/input/* /dev/snd/* /dev/video* /dev/uinput /dev/disk*; do
      [ -b "$device" ] || [ -c "$device" ] || continue
      ( exec 3< "$device" ) && escaped "$device can be opened"
    done`,
  sh('terminal', 'type into the terminal that the loop was started from')`
    ( : >> /dev/tty ) && escaped 'there is a controlling terminal'
    for terminal in /dev/pts/[0-9]* /dev/console /dev/tty[0-9]*; do
      ( exec 3< "$terminal" ) && escaped "$terminal can be opened"
    done`,
];

export const PRIVILEGES: readonly Uncategorized[] = [
  sh('capabilities', 'use root capabilities')`
    for set in CapEff CapPrm CapInh CapAmb; do
      grep -q "^$set:[[:space:]]*0*$" /proc/self/status || escaped "$(grep "^$set" /proc/self/status)"
    done`,
  sh('setuid', 'become another user by setuid programs: su, sudo, a copy of one')`
    grep -q '^NoNewPrivs:.*1' /proc/self/status || escaped 'programs may gain privileges'
    before=$(id -u)
    for user in 0 65534; do
      [ "$before" = "$user" ] && continue
      [ "$(sudo -n -u "#$user" id -u)" = "$user" ] && escaped "sudo makes user $user"
      [ "$(setpriv --reuid "$user" id -u)" = "$user" ] && escaped "setpriv makes user $user"
    done
`,
  sh('mount', 'mount file systems, or make a read-only one writable')`
    needs mount
    mkdir -p mount-point
    mount -t tmpfs none mount-point && escaped 'a file system can be mounted'
    mount --bind "$WORK" mount-point && escaped 'a folder can be mounted elsewhere'
    mount -o remount,rw,bind "$WORK/ralph" && escaped 'a protected folder can be made writable'
    mount -o remount,rw /usr && escaped '/usr can be made writable'
    mount -t proc proc mount-point && escaped 'another /proc can be mounted'`,
  sh('unmount', 'unmount what hides or protects files')`
    needs umount
    for cover in "$WORK/ralph" "$WORK/.git" "$WORK/.ralph" /etc /etc/shadow "$HOME" /tmp /proc; do
      umount "$cover" && escaped "$cover can be unmounted"
      umount -l "$cover" && escaped "$cover can be unmounted"
    done`,
  sh('namespaces', 'regain privileges in a nested namespace, and use them')`
    needs unshare
    unshare --user --map-root-user --mount --pid --net --fork sh -c '
      umount -l "$WORK/ralph"; mount -o remount,rw,bind "$WORK/ralph"; echo mine > "$WORK/ralph/$ID.md"
      umount -l /etc/shadow; [ -n "$(head -c 1 /etc/shadow)" ] && echo ESCAPED /etc/shadow can be uncovered
      mount -o remount,rw,bind /usr && echo new > "/usr/ralph-battery-$ID" && echo ESCAPED /usr can be written
      mkdir -p "$OUT"; echo new > "$OUT/new"
      mknod node b 8 0 && head -c 1 node > /dev/null && echo ESCAPED a disk can be read
    '
    nsenter --target 1 --all cat "$OUT/keep.txt"; nsenter --target "$VICTIM" --all cat "$OUT/keep.txt"`,
  sh('chroot', 'leave the root folder by chroot and pivot_root')`${perl(`
    my $jail = "jail"; mkdir $jail;
    worked("chroot works") if call("chroot", $jail) == 0;`)}`,
  sh('file-handles', 'open files by their handle instead of their path')`${perl(`
    my $handle = pack("LL", 128, 0) . ("\\0" x 128); my $mount = pack("L", 0);
    open(my $folder, "<", $ENV{WORK});
    my $named = call("name_to_handle_at", -100, $ENV{WORK}, $handle, $mount, 0);
    worked("a file can be opened by its handle") if $named == 0 && call("open_by_handle_at", fileno($folder), $handle, 0) >= 0;`)}`,
];

export const KERNEL: readonly Uncategorized[] = [
  sh('kernel-settings', 'change settings of the kernel in /proc/sys')`
    # Opened to append, nothing written: harmless where it works.
    for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hotplug \
        /proc/sys/vm/drop_caches /proc/sys/vm/overcommit_memory /proc/sys/fs/binfmt_misc/register \
        /proc/sys/kernel/randomize_va_space /proc/sysrq-trigger; do
      ( : >> "$file" ) && escaped "$file can be written"
    done`,
  sh('kernel-devices', 'change devices and power states in /sys')`
    for file in /sys/power/state /sys/kernel/uevent_helper /sys/kernel/mm/ksm/run /sys/module/*/parameters/* \
        /sys/class/*/*/uevent /sys/block/*/queue/scheduler /sys/devices/system/cpu/cpu0/online; do
      [ -f "$file" ] && ( : >> "$file" ) && { escaped "$file can be written"; break; }
    done
    [ -n "$(ls -A /sys/kernel/debug)" ] && escaped '/sys/kernel/debug can be read'
    [ -n "$(ls -A /sys/kernel/security)" ] && ( : >> /sys/kernel/security/apparmor/.load ) && escaped 'profiles can be loaded'`,
  sh('cgroups', 'get out of the limits, or run a program on the host, by control groups')`
    for folder in /sys/fs/cgroup /sys/fs/cgroup/*; do
      mkdir "$folder/ralph-battery" && { rmdir "$folder/ralph-battery"; escaped "$folder can be written"; }
      for file in cgroup.procs release_agent notify_on_release memory.max pids.max; do
        [ -f "$folder/$file" ] && ( : >> "$folder/$file" ) && escaped "$folder/$file can be written"
      done
    done`,
  sh('keyrings', "read the user's keys in the kernel")`
    grep -E ' (user|logon|big_key) ' /proc/keys && escaped 'keys are visible'
    ${perl(`
      # KEYCTL_READ of the session keyring, and of each keyring in it: a list of numbers, four bytes each.
      my @rings = (-3, -4, -5); my %seen;
      while (defined(my $ring = shift @rings)) {
        my $buffer = "\\0" x 4096;
        my $length = call("keyctl", 11, $ring, $buffer, 4096);
        next if $length < 4 || $length > 4096 || $seen{$ring}++;
        for my $key (unpack("l*", substr($buffer, 0, $length))) {
          my $about = "\\0" x 512;
          my $told = call("keyctl", 6, $key, $about, 512);
          next if $told < 1;
          if ($about =~ /^keyring;/) { push @rings, $key unless $seen{$key}; }
          else { worked("a key can be seen: " . (split /;/, substr($about, 0, $told - 1))[4]); }
        }
      }`)}`,
  sh('kernel-calls', 'load modules, another kernel or eBPF programs; watch the whole machine')`${perl(`
    my ($nothing, $buffer, $nowhere) = ("", "\\0" x 64, "/nowhere");
    worked("modules can be loaded") if call("init_module", $nothing, 0, $nothing) == 0 || $! == POSIX::ENOEXEC();
    worked("eBPF programs of the machine can be listed") if call("bpf", 11, $buffer, 64) == 0 || $! == POSIX::ENOENT();
    worked("another kernel can be loaded") if call("kexec_load", 0, 0, 0, 0) == 0;
    worked("I/O ports can be used") if call("iopl", 3) == 0;
    worked("swap can be changed") if call("swapon", $nowhere, 0) == 0 || $! == POSIX::ENOENT();
    my $event = pack("LLQ", 1, 112, 0) . ("\\0" x 96);
    worked("everything on a processor can be watched") if call("perf_event_open", $event, -1, 0, -1, 0) >= 0;`)}`,
];
