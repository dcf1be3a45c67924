/** Shapes of commands that destroy things, sought in text that is not understood. Each takes linear time. */
const SHAPES: readonly RegExp[] = [
  /\brm\s+(-\S+\s+)*-[a-zA-Z]*[rRf]/,
  /\b(mkfs|wipefs|shred|fdisk|sfdisk|sgdisk|parted|blkdiscard|mkswap)\b/,
  /\bdd\s[^\n]{0,200}\bof=/,
  /\bgit\s[^\n]{0,80}\b(push|reset\s+--hard|clean\s+-|filter-branch|update-ref)/,
  /\b(shutdown|reboot|halt|poweroff)\b/,
  /\bchmod\s+-R\b|\bchown\s+-R\b/,
  /\bfind\s[^\n]{0,200}-(delete|exec)\b/,
  /\b(sudo|doas|pkexec)\s/,
  /\b(curl|wget)\b[^\n]{0,300}\|\s*\S*\b(ba|z|da|k)?sh\b/,
  /\bbase64\s+(-d|-D|--decode)\b/,
  /\/dev\/(tcp|udp|sd[a-z]|nvme|disk)/,
  /\b(DROP|TRUNCATE)\s+(DATABASE|TABLE|SCHEMA)\b/i,
  /\b(kill|pkill|killall)\s/,
  /\beval\b/,
  /:\s*\(\s*\)\s*\{/,
];

/** Whether a text names programs that destroy things, in a way in which they are used. */
export function looksDestructive(text: string): boolean {
  const plain = text.replace(/[\\'"]/g, '');
  return SHAPES.some((shape) => shape.test(plain));
}
