import type { GuardCategory, GuardTest, SimpleCommand } from '../api.ts';
import { hasFlag, operands } from '../flags.ts';
import type { Place } from '../paths.ts';
import { GENERATED } from '../shell/nested.ts';
import { deletions, REMOVERS } from './matching/deletes.ts';
import { sourcesOfWords } from './matching/pipeline.ts';
import { liesIn } from './matching/places.ts';
import { forPrograms } from './matching/tests.ts';

const DELICATE: readonly Place[] = ['system', 'home-itself', 'home', 'outside', 'root-itself', 'git-dir', 'protected'];

/** Words after an unknown program that would do harm with the program that they fit. */
const DANGEROUS_WORDS =
  /^(--hard|--force|--no-preserve-root|--mirror|--delete|-delete|-exec|push|of=\/dev\/.*|\/dev\/(sd|nvme|vd|hd).*|777|a\+rwx|prune|destroy)$/;

/** `$X -rf /`: the program is unknown, its words are those of a deletion or the like. */
const destructiveShape: GuardTest = (command, context) => {
  if (command.name !== '' || command.word.known || command.word.text === '') return false;
  if (command.args.some(({ text }) => DANGEROUS_WORDS.test(text))) return true;
  if (!hasFlag(command, 'r', 'R', 'f')) return false;
  return operands(command).some((word) => liesIn(word, DELICATE, command, context));
};

/** `eval "$(tr … <<< x)"`: the code comes out of a program that turns text round. */
const evaluatesTurnedText = forPrograms(
  'sh bash zsh dash ksh eval',
  (command, _context, script) =>
    sourcesOfWords(command, script).some(({ name }: SimpleCommand) =>
      /^(rev|tr|sed|awk|cut|xxd|base64|printf|fold|paste)$/.test(name),
    ) && command.args.some(({ text, known }) => !known && text.replaceAll('\uFFFD', '').trim() === ''),
);

/** `awk '{print "rm -rf " $1}' | sh`: the program is known, what it destroys is not. */
const destroysUnseen: GuardTest = (command, context) => {
  if (!command.via.includes(GENERATED)) return false;
  if (!REMOVERS.includes(command.name)) return command.args.some(({ known }) => !known);
  return deletions(command).some(({ target, recursive }) => recursive && liesIn(target, ['unknown'], command, context));
};

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
      id: 'dynamic/generated',
      reason: 'This runs commands that another program puts together, and they destroy what nobody can see beforehand.',
      alternative: 'Print the commands first, and run them one by one with their paths written out.',
      matches: forPrograms([...REMOVERS, 'dd', 'mkfs'], destroysUnseen),
      examples: {
        block: [
          'ls | awk \'{print "rm -rf " $1}\' | sh',
          "cut -f2 list.tsv | sed 's/^/rm -rf /' | bash",
          'jq -r \'.[] | "rm -rf " + .path\' list.json | sh',
          'python3 -c "import sys; [print(\'rm -rf \' + l) for l in sys.stdin]" < list.txt | sh',
        ],
        allow: [
          'ls *.orig | awk \'{print "mv " $1 " " $1 ".bak"}\' | sh',
          'awk \'{print "rm -rf " $1}\' list.txt > remove.sh',
          'find dist -name "*.map" -printf "rm -rf %p\\n" | sh',
        ],
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
