import type { GuardCategory, SimpleCommand } from '../api.ts';
import { hasFlag, operands } from '../flags.ts';
import type { Place } from '../paths.ts';
import { sourcesOfWords } from './matching/pipeline.ts';
import { liesIn } from './matching/places.ts';
import type { Test } from './matching/shape.ts';

const DELICATE: readonly Place[] = ['system', 'home-itself', 'home', 'outside', 'root-itself', 'git-dir', 'protected'];

/** Words after an unknown program that would do harm with the program that they fit. */
const DANGEROUS_WORDS =
  /^(--hard|--force|--no-preserve-root|--mirror|--delete|-delete|-exec|push|of=\/dev\/.*|\/dev\/(sd|nvme|vd|hd).*|777|a\+rwx|prune|destroy)$/;

/** `$X -rf /`: the program is unknown, its words are those of a deletion or the like. */
const destructiveShape: Test = (command, context) => {
  if (command.name !== '' || command.word.known || command.word.text === '') return false;
  if (command.args.some(({ text }) => DANGEROUS_WORDS.test(text))) return true;
  if (!hasFlag(command, 'r', 'R', 'f')) return false;
  return operands(command).some((word) => liesIn(word, DELICATE, command, context));
};

const SHELLS = /^((ba|z|da|k)?sh|eval)$/;

/** `eval "$(tr … <<< x)"`: the code comes out of a program that turns text round. */
const evaluatesTurnedText: Test = (command, _context, script) =>
  SHELLS.test(command.name) &&
  sourcesOfWords(command, script).some(({ name }: SimpleCommand) =>
    /^(rev|tr|sed|awk|cut|xxd|base64|printf|fold|paste)$/.test(name),
  ) &&
  command.args.some(({ text, known }) => !known && text.replaceAll('\uFFFD', '').trim() === '');

export const dynamic: GuardCategory = {
  id: 'dynamic',
  title: 'Commands that the text does not show',
  rules: [
    {
      id: 'dynamic/program',
      reason: 'The program of this command is not known, and its words are those of a destructive one.',
      alternative: 'Write the program out by name.',
      matches: destructiveShape,
      examples: {
        block: ['$CMD -rf /', '"$TOOL" push --force', '$(cat cmd) -rf ~', '$X if=/dev/zero of=/dev/sda'],
        allow: ['$EDITOR --version', '"$PYTHON" -m pytest', '$RUNNER test -f src'],
      },
    },
    {
      id: 'dynamic/turned-text',
      reason: 'This runs text that is put together so that nobody can read it beforehand.',
      alternative: 'Write the commands out as they are.',
      matches: evaluatesTurnedText,
      examples: {
        block: ['eval "$(cut -d, -f2 cmds.csv)"', 'sh -c "$(rev notes.txt)"', 'bash -c "$(tr a-z n-za-m < x.txt)"'],
        allow: ['eval "$(direnv hook bash)"', 'echo "$(rev notes.txt)"', 'eval "$(dircolors -b)"'],
      },
    },
  ],
};
