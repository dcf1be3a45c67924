import type { GuardCategory, GuardTest } from '../api.ts';
import { pathOf } from '../paths.ts';
import { shapes } from './matching/shape.ts';
import { allOf, anyOf, forPrograms, not } from './matching/tests.ts';
import { writes } from './matching/writes.ts';

const RAW_DEVICE =
  /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|loop|dm-|md|mapper\/|disk|rdisk|sr|nbd|zd|mem$|kmem$|port$|block\/|zram|ram|mtd|input\/|bus\/|[*?[])/;

const touchesRawDevice: GuardTest = (command, context) =>
  writes(command).some((word) => RAW_DEVICE.test(pathOf(word, command, context) ?? ''));

/** Programs that read a device's state when called without a device, or with these options only. */
const READS_PARTITIONS = shapes(
  'fdisk|sfdisk|sgdisk|gdisk|parted -l|--list|-p|--print|-d|--dump|-V|--version',
  'parted * print',
  'parted print',
);

export const disks: GuardCategory = {
  id: 'disks',
  title: 'Disks, file systems, raw devices',
  rules: [
    {
      id: 'disks/raw-device',
      reason: 'This writes to a raw device, which destroys what is on it.',
      alternative: 'Write to a file inside the work tree.',
      matches: touchesRawDevice,
      examples: {
        block: [
          'dd if=/dev/zero of=/dev/sdb',
          'cat image > /dev/nvme0n1',
          'cp image.iso /dev/disk2',
          'shuf | tee /dev/vda',
        ],
        allow: ['dd if=/dev/urandom of=blob.bin bs=1k count=1', 'echo x > /dev/null', 'head -c 8 /dev/urandom'],
      },
    },
    {
      id: 'disks/partition',
      reason: 'This changes the partitions of a disk.',
      alternative: 'Leave disks alone; report what you need.',
      matches: allOf(
        shapes('fdisk|sfdisk|gdisk|sgdisk|cfdisk|cgdisk|parted|partprobe|gparted|partx|growpart *'),
        not(READS_PARTITIONS),
      ),
      examples: {
        block: [
          'fdisk /dev/sda',
          'parted -s /dev/sda mklabel gpt',
          'sfdisk /dev/sda < table',
          'sgdisk --zap-all /dev/sdb',
        ],
        allow: ['fdisk -l', 'parted -l', 'lsblk -f'],
      },
    },
    {
      id: 'disks/format',
      reason: 'This formats or erases a disk or a swap area.',
      alternative: 'Leave disks alone; report what you need.',
      matches: anyOf(
        shapes(
          'wipefs|blkdiscard|badblocks|mke2fs|mkswap|hdparm|nwipe|scrub|tune2fs|e2label|resize2fs|xfs_growfs|debugfs *',
        ),
        shapes('diskutil erase*|partitionDisk|zeroDisk|secureErase|reformat|apfs', 'nvme format|sanitize', 'format *:'),
        forPrograms('mkfs newfs newfs_hfs newfs_msdos', () => true),
      ),
      examples: {
        block: ['mkfs.ext4 /dev/sdb1', 'wipefs -a /dev/sda', 'mkswap /dev/sdb2', 'diskutil eraseDisk JHFS+ X disk2'],
        allow: ['df -h', 'du -sh dist', 'diskutil list'],
      },
    },
    {
      id: 'disks/mount',
      reason: 'This changes what is mounted or which swap is in use.',
      alternative: 'Work with the files that are there.',
      matches: shapes(
        'mount|umount|losetup|pivot_root|mount.nfs|mount.cifs|sshfs|fusermount *',
        'swapoff|swapon -a|--all',

        'umount|mount -a|--all',
        'swapoff|swapon *',
        'losetup -D|-d|--detach|--detach-all',
        'hdiutil attach|detach|erasekeys',
        'udisksctl *mount|power-off',
      ),
      examples: {
        block: ['mount /dev/sdb1 /mnt', 'umount -l /home', 'swapoff -a', 'mount --bind / /tmp/root'],
        allow: ['mount', 'findmnt /', 'cat /proc/mounts'],
      },
    },
    {
      id: 'disks/volumes',
      reason: 'This destroys or changes volumes, pools or snapshots.',
      alternative: 'Leave storage alone; report what you need.',
      matches: shapes(
        'cryptsetup luksFormat|erase|luksErase|luksRemoveKey|luksKillSlot|close|luksClose|reencrypt',
        'lvremove|vgremove|pvremove|lvreduce|lvresize|vgreduce|pvcreate|vgcreate|lvcreate *',
        'lvm lvremove|vgremove|pvremove|lvreduce',
        'dmsetup remove|remove_all|wipe_table',
        'mdadm --stop|-S',

        'zfs destroy|rollback|rename',
        'zpool destroy|labelclear|export|create',
        'mdadm --zero-superblock|--create',
        'btrfs subvolume|sub delete|del',
        'btrfs device remove|delete|add',
        'tmutil delete*',
        'snapper delete',
      ),
      examples: {
        block: [
          'zpool destroy tank',
          'lvremove -f vg0/data',
          'btrfs subvolume delete /data',
          'cryptsetup luksFormat /dev/sdb',
        ],
        allow: ['zfs list', 'lvs', 'btrfs subvolume list /'],
      },
    },
  ],
};
