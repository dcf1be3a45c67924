import type { GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasWord, operands, optionValue, textsOf } from '../options.ts';
import { mayWrite, pathOf, placeOfWord } from '../paths.ts';
import { writes } from './matching/changes.ts';
import { codeOf, feeders, INTERPRETERS } from './matching/network.ts';
import { chosenProcesses } from './matching/processes.ts';
import { allOf, anyOf, forPrograms, isRehearsal, not, shapes } from './matching/shape.ts';

/** Process ids that mean all processes, the first process, or the caller's own group. */
const TOO_MANY = /^(-1|0|1|-\$\$|.*\*.*)$/;

const killsTooMuch = forPrograms(
  'kill',
  (command, _context, script) =>
    processIds(command).some((id) => TOO_MANY.test(id)) || chosenProcesses(command, script).all,
);

/** The targets of `kill`: the words left after the signal (`-9`, `-s TERM`, `-n 9`, `--`). */
function processIds({ args }: SimpleCommand): readonly string[] {
  const texts = textsOf(args);
  if (texts.some((text) => /^-(l|L|-list)/.test(text))) return [];
  const [first = ''] = texts;
  if (/^(-s|-n|--signal)$/.test(first)) return texts.slice(2);
  return /^-./.test(first) && texts.length > 1 ? texts.slice(1) : texts;
}

/** Programs that a project never starts itself, or that the session depends on: names too broad to kill by. */
const BROAD_NAME =
  /^(|-|\.[*+]?|\.?[*+].*|node(js)?|bash|sh|zsh|python\d*|java|ruby|claude|codex|ssh|sshd|systemd|init|dockerd|docker|containerd|git|cron|tmux|screen|login|dbus-daemon|postgres|mysqld|redis-server|nginx|code|cursor)(\.exe)?$/i;

const killsByBroadName = forPrograms('kill killall killall5 pkill skill slay taskkill', (command, _context, script) => {
  if (isRehearsal(command)) return false;
  const { names, all } = chosenProcesses(command, script);
  return (all && command.name !== 'kill') || names.some((name) => BROAD_NAME.test(name));
});

const writesKernelState: GuardTest = (command) =>
  writes(command).some(({ text }) => /^\/(proc\/sys(rq-trigger|\/)|sys\/)|^\/proc\/\d+\/oom_/.test(text));

export const system: GuardRules = {
  'system/power': {
    reason: 'This stops or restarts the machine.',
    alternative: 'Restart only the processes you started.',
    matches: shapes(
      'shutdown|poweroff|halt|reboot|kexec|pm-suspend|pm-hibernate !-c',
      'init|telinit 0|1|6|s|S',
      'systemctl|loginctl poweroff|reboot|halt|suspend|hibernate|kexec|soft-reboot|hybrid-sleep|rescue|emergency',
      'systemctl exit|default',
      'loginctl terminate-*|kill-*|lock-sessions',
      'wsl --unregister|--shutdown',
      'pmset sleepnow',
    ),
  },
  'system/services': {
    reason: 'This starts, stops or changes services of the machine.',
    alternative: "Run the project's own server in the background and stop it by its process id.",
    matches: anyOf(
      ({ word, args }) => /^\/etc\/(init|rc)\.d\//.test(word.text) && !/^(|status)$/.test(args[0]?.text ?? ''),
      'systemctl stop|disable|mask|kill|restart|reload|edit|revert|set-property|set-default|daemon-reload|link|start',
      'systemctl enable|unmask|reenable|preset|preset-all|isolate',
      'service * stop|restart|start|reload|force-*',
      'rc-service|rc-update|initctl|stop|start|update-rc.d|chkconfig|sv *',
      'launchctl load|unload|bootout|bootstrap|remove|kickstart|disable|submit|enable|kill|stop',
      'sc stop|delete|config',
      'supervisorctl shutdown',
      'brew services|service stop|start|restart',
    ),
  },
  'system/kill-everything': {
    reason: 'This signals every process, the first process or the whole process group.',
    alternative: 'Stop the one process you started, by its id: kill "$PID" or kill %1.',
    matches: killsTooMuch,
  },
  'system/kill-by-name': {
    reason: 'This kills processes that you did not start, perhaps the agent and its loop.',
    alternative: 'Stop the one process you started, by its id: kill "$PID" or kill %1.',
    matches: anyOf(killsByBroadName, 'fuser -k|--kill', 'skill|slay *', 'tmux kill-server'),
  },
  'system/kernel': {
    reason: 'This changes the running kernel.',
    alternative: 'Leave kernel settings alone; report what you need.',
    matches: anyOf(
      'sysctl -w|--write|-p|--load|--system',
      'sysctl *=*',
      'modprobe|insmod|rmmod|kmod|depmod *',

      'swapctl|setenforce|aa-disable|aa-teardown|aa-complain',
      'update-grub|grub-install|efibootmgr|grub-mkconfig',
      'csrutil|spctl disable|--master-disable',
      'nvram *',
      'bpftool prog|map',
      'dmesg -c|-C|--clear',
      writesKernelState,
    ),
  },
  'system/network': {
    reason: "This changes the machine's network or firewall.",
    alternative: 'Leave the network alone; use loopback and free ports.',
    matches: shapes(
      'iptables|ip6tables|ebtables -F|-X|-P|-A|-D|-I|-Z|-N|-R|-t|--flush|--policy|--append|--delete|--insert !-L !-S',
      'nft flush|delete|add|insert|destroy|replace|-f',
      'ufw disable|reset|allow|deny|delete|enable|default|--force',
      'ip link|l|addr|address|a|route|r|rule|netns|neigh set|del|delete|add|flush|down|replace|change',
      'ifconfig * down|up',
      'ifdown|ifup|nmtui|iptables-restore|tc|pfctl|arp|firewall-cmd *',
      'route add|del|delete|flush',
      'nmcli networking|radio off',
      'nmcli c|con|connection|d|dev|device down|delete|modify|disconnect|reload',
      'firewall-cmd --add-port|--remove-port|--panic-on|--reload|--permanent',
      'networksetup -set*',
      'resolvectl dns|domain|revert',
      'hostnamectl set-hostname|hostname',
      'scutil --set',
      'netplan apply|try|set',
    ),
  },
  'system/clock': {
    reason: "This changes the machine's clock, language or name.",
    alternative: 'Use a fake clock in the test, or TZ=… before the command.',
    matches: anyOf(
      'date -s|--set',
      'timedatectl|localectl set-*',
      'hwclock -w|-s|--systohc|--hctosys|--set',
      'hostname|ntpdate|chronyd *',
      'systemsetup -set*',
      forPrograms('date', ({ args }) => args.length === 1 && /^\d{8,12}(\.\d\d)?$/.test(args[0]?.text ?? '')),
    ),
  },
};

const RAW_DEVICE =
  /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|loop|dm-|md|mapper\/|disk|rdisk|sr|nbd|zd|mem$|kmem$|port$|block\/|zram|ram|mtd|input\/|bus\/|[*?[])/;

const touchesRawDevice: GuardTest = (command, context) =>
  writes(command).some((word) => RAW_DEVICE.test(pathOf(word, command, context) ?? ''));

/** Not only an image file of the project's own. */
const touchesForeignDisk: GuardTest = (command, context) => {
  const files = operands(command);
  return files.length === 0 || !files.every((word) => mayWrite(placeOfWord(word, command, context)));
};

/** Programs that read a device's state when called without a device, or only with these options. */
const READS_PARTITIONS = shapes(
  'fdisk|sfdisk|sgdisk|gdisk|parted -l|--list|-p|--print|-d|--dump|-V|--version',
  'parted * print',
  'parted print',
);

export const disks: GuardRules = {
  'disks/raw-device': {
    reason: 'This writes to a raw device, which destroys what is on it.',
    alternative: 'Write to a file inside the work tree.',
    matches: touchesRawDevice,
  },
  'disks/partition': {
    reason: 'This changes the partitions of a disk.',
    alternative: 'Leave disks alone; report what you need.',
    matches: allOf(
      touchesForeignDisk,
      shapes('fdisk|sfdisk|gdisk|sgdisk|cfdisk|cgdisk|parted|partprobe|gparted|partx|growpart *'),
      not(READS_PARTITIONS),
    ),
  },
  'disks/format': {
    reason: 'This formats or erases a disk or a swap area.',
    alternative: 'Leave disks alone; report what you need.',
    matches: anyOf(
      allOf(
        touchesForeignDisk,
        anyOf(
          'wipefs|blkdiscard|badblocks|mke2fs|mkswap|hdparm|nwipe|scrub|tune2fs|e2label|resize2fs|xfs_growfs|debugfs *',
          forPrograms('mkfs newfs newfs_hfs newfs_msdos', () => true),
        ),
      ),
      'diskutil erase*|partitionDisk|zeroDisk|secureErase|reformat|apfs',
      'nvme format|sanitize',
      'format *:|/',
    ),
  },
  'disks/mount': {
    reason: 'This changes what is mounted or which swap is in use.',
    alternative: 'Work with the existing files.',
    matches: shapes(
      'mount|umount|losetup|pivot_root|mount.nfs|mount.cifs|sshfs|fusermount|swapoff|swapon *',
      'swapoff|swapon|umount|mount -a|--all',
      'losetup -D|-d|--detach|--detach-all',
      'hdiutil attach|detach|erasekeys',
      'udisksctl *mount|power-off',
    ),
  },
  'disks/volumes': {
    reason: 'This destroys or changes volumes, pools or snapshots.',
    alternative: 'Leave storage alone; report what you need.',
    matches: shapes(
      'cryptsetup luksFormat|erase|luksErase|luksRemoveKey|luksKillSlot|close|luksClose|reencrypt',
      'lvremove|vgremove|pvremove|lvreduce|lvresize|vgreduce|pvcreate|vgcreate|lvcreate *',
      'lvm lvremove|vgremove|pvremove|lvreduce',
      'dmsetup remove|remove_all|wipe_table',
      'mdadm --stop|-S|--zero-superblock|--create',
      'zfs destroy|rollback|rename',
      'zpool destroy|labelclear|export|create',
      'btrfs subvolume|sub delete|del',
      'btrfs device remove|delete|add',
      'tmutil delete*',
      'snapper delete',
    ),
  },
};

/** `10G`, `10GiB`, `512` in bytes; 0 for text that is not a size. */
function bytesOf(text: string): number {
  const parts = /^[+<>%/-]?(\d+(?:\.\d+)?)([KMGTPEB]?)(?:i?B)?$/i.exec(text);
  return parts === null ? 0 : Number(parts[1]) * 1024 ** 'BKMGTPE'.indexOf((parts[2] || 'B').toUpperCase());
}

/** More than a test file needs, in bytes. */
const HUGE = 5 * 2 ** 30;

const ENDLESS_FILE = /^\/dev\/(zero|urandom|random|full)$/;

function operandOf(command: SimpleCommand, name: string): string | null {
  return command.args.find(({ text }) => text.startsWith(`${name}=`))?.text.slice(name.length + 1) ?? null;
}

const makesHugeFile = forPrograms('fallocate truncate head mkfile dd', (command) => {
  if (command.name === 'fallocate') return bytesOf(optionValue(command, 'l', 'length')?.text ?? '') >= HUGE;
  if (command.name === 'truncate') return bytesOf(optionValue(command, 's', 'size')?.text ?? '') >= HUGE;
  if (command.name === 'head') return bytesOf(optionValue(command, 'c', 'bytes')?.text ?? '') >= HUGE;
  if (command.name === 'mkfile') return bytesOf(operands(command)[0]?.text ?? '') >= HUGE;
  if (command.name !== 'dd' || !ENDLESS_FILE.test(operandOf(command, 'if') ?? '')) return false;
  const output = operandOf(command, 'of');
  if (output === null || output === '/dev/null') return false;
  const count = operandOf(command, 'count');
  return count === null || bytesOf(count) * bytesOf(operandOf(command, 'bs') ?? '512') >= HUGE;
});

function isEndless(command: SimpleCommand): boolean {
  if (command.name === 'yes') return true;
  return /^(cat|tail|tr|base64|od|xxd|hexdump)$/.test(command.name) && hasWord(command, ENDLESS_FILE);
}

/** `yes` or `cat /dev/zero` into a file, with nothing that ends it. */
const writesForEver = forPrograms('yes cat tail tr base64 od xxd hexdump gzip tee sponge', (command) => {
  const writesFile = command.redirects.some(
    ({ operator, target }) => operator.includes('>') && !target.text.startsWith('/dev/'),
  );
  if (isEndless(command)) return writesFile;
  const ends = feeders(command).some(({ name }) => name === 'head' || name === 'dd' || name === 'timeout');
  const passes = /^(cat|tr|base64|gzip|tee|sponge)$/.test(command.name);
  return passes && (writesFile || command.name === 'tee') && !ends && feeders(command).some(isEndless);
});

/** A function that pipes itself into itself: each call starts two more. */
const isForkBomb: GuardTest = (command) =>
  command.name !== '' && command.pipesTo === command.name && command.via.includes(`${command.name}()`);

/** `while true; do x & done`: the loop does not wait for what it starts. */
const startsWithoutEnd: GuardTest = (command, _context, script) => {
  const loop = command.via.indexOf('while true');
  if (loop < 0 || command.via.indexOf('&', loop) < 0) return false;
  return !script.some(({ name, via }) => WAITS.test(name) && via.includes('while true') && !via.includes('&', loop));
};

const WAITS = /^(wait|sleep|read|break|exit|return|inotifywait|nc|flock)$/;

/** A fork in an endless loop, in languages other than shell. */
const FORKS_FOREVER =
  /\bfork\b[^;{}]{0,99}\b(while|until|for\s*\(\s*;)|\b(while|until|loop|for\s*\(\s*;)[\s\S]{0,99}\bfork\b/;

export const exhaustion: GuardRules = {
  'exhaustion/fork-bomb': {
    reason: 'This starts processes without end.',
    alternative: 'Start a fixed number of background jobs, and wait for them.',
    matches: anyOf(
      isForkBomb,
      startsWithoutEnd,
      forPrograms(INTERPRETERS, (command) => codeOf(command).some((code) => FORKS_FOREVER.test(code))),
    ),
  },
  'exhaustion/huge-file': {
    reason: 'This fills the disk.',
    alternative: 'Make a small file, e.g. head -c 1M /dev/zero > FILE.',
    matches: makesHugeFile,
  },
  'exhaustion/endless-output': {
    reason: 'This writes without end.',
    alternative: 'Bound it with head, e.g. yes | head -n 100 > FILE.',
    matches: writesForEver,
  },
  'exhaustion/stress': {
    reason: 'This loads the machine on purpose.',
    alternative: "Measure with the project's own benchmark, for a bounded time.",
    matches: shapes('memtester|bonnie++|hping3|slowloris *', 'stress|stress-ng -c|-m|--cpu|--vm|--all'),
  },
};
