import type { GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasWord, operands, optionValue } from '../options.ts';
import { codeOf, feeders, INTERPRETERS } from './matching/network.ts';
import { anyOf, forPrograms, shapes } from './matching/shape.ts';

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
  return /^(cat|tr|base64|od|xxd|hexdump)$/.test(command.name) && hasWord(command, ENDLESS_FILE);
}

/** `yes` or `cat /dev/zero` into a file, with nothing that ends it. */
const writesForEver = forPrograms('yes cat tr base64 od xxd hexdump gzip tee sponge', (command) => {
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
