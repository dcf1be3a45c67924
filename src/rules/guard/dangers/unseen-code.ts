import type { GuardRules, GuardTest, SimpleCommand, Word } from '../api.ts';
import { hasFlag, hasWord, operands, optionValues, textsOf } from '../options.ts';
import { liesIn, type Place, pathOf } from '../paths.ts';
import { GENERATED } from '../shell/frame.ts';
import { namesIn, oncePer } from '../tables.ts';
import { isKnown, UNKNOWN, wordOf } from '../words.ts';
import { deletions, REMOVERS } from './matching/changes.ts';
import { withoutGlobalOptions } from './matching/git.ts';
import {
  codeOf,
  feeders,
  INTERPRETERS,
  isInterpreter,
  isLocalHost,
  lastName,
  printsRemoteText,
  readsProgram,
  savedNames,
  sourcesOfWords,
} from './matching/network.ts';
import { anyOf, forPrograms, isRehearsal } from './matching/shape.ts';

/** Programs that take one of their words as code, or as a code file. */
const EVALUATORS = [...INTERPRETERS, ...namesIn('eval source . exec xargs iex Invoke-Expression')];

const evaluates = forPrograms(EVALUATORS, () => true);

const runsPipe = forPrograms(EVALUATORS, (command) => readsProgram(command) && feeders(command).some(printsRemoteText));

const runsSubstitution: GuardTest = (command, context, script) =>
  (command.name === '' || evaluates(command, context, script)) &&
  sourcesOfWords(command, script).some(printsRemoteText);

/** `curl … | while read line; do eval "$line"; done`, `curl … | xargs -I{} sh -c '{}'`. */
const runsLines: GuardTest = (command, context, script) => {
  if ([command.word, ...command.args].every(isKnown)) return false;
  if (command.via.includes('xargs'))
    return evaluates(command, context, script) && feeders(command).some(printsRemoteText);
  return /^(eval|)$/.test(command.name) && pipesRemoteText(script);
};

const pipesRemoteText = oncePer((script: readonly SimpleCommand[]) =>
  script.some((command) => command.pipesTo !== null && printsRemoteText(command)),
);

/** A file that an earlier command of the text downloaded. */
const runsDownload: GuardTest = (command, _context, script) => {
  const run = programFiles(command).map(lastName);
  if (run.length === 0) return false;
  const downloads = downloadsOf(script);
  const saved = run.flatMap((name) => downloads.get(name) ?? []);
  return saved.length > 0 && Math.min(...saved) < script.indexOf(command);
};

/** `curl … | tee x`, `curl … | gunzip > x`. */
function savedBehind(command: SimpleCommand): readonly string[] {
  if (!feeders(command).some(printsRemoteText)) return [];
  const redirected = command.redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target);
  return [...redirected, ...(command.name === 'tee' ? operands(command) : [])].map(({ text }) => lastName(text));
}

/** The position in a script where each file is first saved from the network, by its last name. */
const downloadsOf = oncePer((script: readonly SimpleCommand[]): ReadonlyMap<string, number> => {
  const positions = new Map<string, number>();
  for (const [position, command] of script.entries()) {
    for (const name of [...savedNames(command), ...savedBehind(command)])
      if (!positions.has(name)) positions.set(name, position);
  }
  return positions;
});

/** A program in a folder that came from the network: `git clone URL t && make -C t`, `curl … | tar xz -C t && t/x`. */
const runsForeignFolder: GuardTest = (command, context, script) => {
  const folders = foreignFolders(script);
  if (folders.length === 0) return false;
  const files = programFiles(command).map((text) => ({ ...command.word, text }));
  return folders.some((folder) => {
    const run = folder.isNamed ? [...files, ...projectOf(command)] : files;
    const paths = run.flatMap((word) => pathOf(word, command, context) ?? []);
    const place = pathOf(folder.word, folder.command, context);
    const isBehind = script.indexOf(folder.command) < script.indexOf(command);
    return place !== null && isBehind && paths.some((path) => `${path}/`.startsWith(`${place}/`));
  });
};

/** The folders that a script unpacks downloads to, or clones from another machine. */
const foreignFolders = oncePer((script: readonly SimpleCommand[]) =>
  script.flatMap((command) => {
    if (/^(git|gh|hg|degit|tiged)$/.test(command.name))
      return clonedInto(command).map((word) => ({ word, command, isNamed: true }));
    if (!/^(bsd|g)?tar$|^unzip$|^7z[az]?$/.test(command.name)) return [];
    const isDownload = command.args.some(({ text }) => downloadsOf(script).has(lastName(text)));
    if (!isDownload && !feeders(command).some(printsRemoteText)) return [];
    const named = optionValues(command, 'C', 'directory', 'd').map((word) => ({ word, command, isNamed: true }));
    // Without a folder it unpacks beside the project: what is run by its path may come from there.
    return named.length > 0 ? named : [{ word: wordOf('.'), command, isNamed: false }];
  }),
);

function clonedInto(command: SimpleCommand): readonly Word[] {
  const words = operands({ name: 'git-clone', args: withoutGlobalOptions(command).args });
  const at = words.findIndex(({ text }) => text === 'clone');
  const [from, folder] = /^(degit|tiged)$/.test(command.name) ? words : at < 0 ? [] : words.slice(at + 1);
  const isForeign = command.name !== 'git' || /^(https?|git|ssh):\/\/|^[\w.-]+@[\w.-]+:/.test(from?.text ?? '');
  if (from === undefined || !isForeign || isLocalHost(from.text)) return [];
  return [folder ?? { ...from, text: lastName(from.text.replace(/^.*:/, '')).replace(/\.git$/, '') }];
}

/** Programs that run what the project in a folder says. */
const PROJECT_RUNNERS =
  /^(make|gmake|just|task|rake|npm|pnpm|yarn|bun|npx|cargo|go|pip[\d.]*|uv|poetry|bundle|mvn|mvnw|gradlew?|cmake|meson|ninja|tox|nox|pytest|composer|dotnet|mix|stack|sbt|docker|docker-compose)$/;

/** The folder of the project that such a program works in. */
function projectOf(command: SimpleCommand): readonly Word[] {
  if (!PROJECT_RUNNERS.test(command.name) || isRehearsal(command) || hasFlag(command, 'version')) return [];
  const named = optionValues(command, 'C', 'directory', 'prefix', 'cwd', 'dir', 'manifest-path', 'project');
  return [...named, ...command.args, wordOf('.')];
}

/** The files that a command runs or installs: its own path, a script, a package. */
function programFiles(command: SimpleCommand): readonly string[] {
  const own = command.word.text.includes('/') ? [command.word.text] : [];
  if (isInterpreter(command)) return [...own, ...textsOf(operands(command)).slice(0, 1)];
  return /^(source|\.|dpkg|rpm|installer|msiexec|make|open)$/.test(command.name)
    ? [...own, ...textsOf(command.args)]
    : own;
}

const FETCHES_IN_CODE =
  /https?:\/\/|urlopen|requests\.get|LWP|open-uri|file_get_contents|fetch\(|http\.get|\b(iwr|irm|Invoke-WebRequest|DownloadString)\b/;
const EVALUATES_IN_CODE =
  /\b(eval|exec|execSync|Function|instance_eval|vm\.run\w*|runInThisContext|loadstring|compile)\s*[( ]|\.then\(eval\)|\beval\b|\b[iI][eE][xX]\b|Invoke-Expression/;

/** `os.system(urlopen(…).read())`. */
const STARTS_FETCHED =
  /\b(system|popen|getoutput|check_output|run|call)\s*\(\s*[^;\n]{0,60}(urlopen|requests\.get|httpx\.get)/;

const evaluatesDownload = forPrograms(INTERPRETERS, (command) =>
  codeOf(command).some(
    (code) => (FETCHES_IN_CODE.test(code) && EVALUATES_IN_CODE.test(code)) || STARTS_FETCHED.test(code),
  ),
);

/** Programs that run the contents of a URL or a foreign repository. */
const RUN_ADDRESSES =
  'deno bun bunx npx pnpx npm pnpm yarn node tsx go uv nix nix-shell uvx pipx jbang php dotnet java osascript ansible-pull mshta regsvr';

const runsAddress = forPrograms(RUN_ADDRESSES, (command) => {
  return (
    programArguments(command).some(({ text }) =>
      /^(https?:\/\/|git\+|github:|gist:|gitlab:|git:\/\/|[\w-]+(\.[\w-]+)+\/[^@]+@)/.test(text),
    ) && !isHarmlessCall(command)
  );
});

/** After a local script, an address is an argument of that script: `node test.js http://…`. */
function programArguments(command: SimpleCommand): SimpleCommand['args'] {
  const packages = optionValues(command, 'p', 'package', 'from', 'spec');
  const words = operands(command);
  const first = words.findIndex(({ text }) => !/^(run|x|exec|dlx|serve|test|eval|install|shell|develop)$/.test(text));
  return first < 0 ? packages : [...packages, ...words.slice(first, first + 1)];
}

function isHarmlessCall(command: SimpleCommand): boolean {
  const [verb = ''] = textsOf(operands(command));
  if (command.name === 'bun' || command.name === 'deno')
    return !/^(run|x|serve|https?:.*|install|test|eval)$/.test(verb);
  if (/^(npm|pnpm|yarn)$/.test(command.name)) return !/^(exec|x|dlx)$/.test(verb);
  if (command.name === 'nix') return !/^(run|shell|develop)$/.test(verb);
  if (command.name === 'go') return verb !== 'run';
  return command.name === 'dotnet' || command.name === 'java';
}

const DECODERS =
  /^(base64|base32|base58|basenc|xxd|openssl|gunzip|gzip|zcat|bzcat|xzcat|bunzip2|unxz|zstd|zstdcat|rev|tr|uudecode|od|gpg|age|hexdump|ascii2binary|qprint|unzip|iconv)$/;

/** Code that is decoded and run at once is hidden from a reader of the command. */
const runsDecoded = forPrograms(
  EVALUATORS,
  (command) =>
    readsProgram(command) &&
    feeders(command).some((feeder) => DECODERS.test(feeder.name) || codeOf(feeder).some((code) => DECODES.test(code))),
);

const DECODES = /\b(pack|unpack|b64decode|decode64|fromhex|unhexlify|atob|fromCharCode|chr|rot13)\b|'(base64|hex)'/;

const evaluatesDecoded = forPrograms(EVALUATORS, (command, _context, script) =>
  sourcesOfWords(command, script).some(({ name }) => DECODERS.test(name) && name !== 'tr'),
);

export const remoteCode: GuardRules = {
  'remote-code/piped': {
    reason: 'This runs code from the network without reading it first.',
    alternative: 'Download it to a file, read it, and report if it is really needed; prefer declared dependencies.',
    matches: anyOf(runsPipe, runsSubstitution, runsLines),
  },
  'remote-code/downloaded': {
    reason: 'This runs a file right after downloading it, without reading it first.',
    alternative: 'Download it, read it, and report if it is really needed; prefer declared dependencies.',
    matches: anyOf(runsDownload, runsForeignFolder),
  },
  'remote-code/address': {
    reason: 'This runs code straight from a URL.',
    alternative: 'Add it as a declared dependency with a version.',
    matches: anyOf(runsAddress, evaluatesDownload, 'ansible-pull *'),
  },
  'remote-code/decoded': {
    reason: 'This runs decoded text, which cannot be read beforehand.',
    alternative: 'Write the commands out in plain text.',
    matches: anyOf(runsDecoded, evaluatesDecoded),
  },
};

const DELICATE: readonly Place[] = ['system', 'home-itself', 'home', 'outside', 'root-itself', 'git-dir', 'protected'];

/** Words after an unknown program that would be harmful with the matching program. */
const DANGEROUS_WORDS =
  /^(--hard|--force|--no-preserve-root|--mirror|--delete|-delete|-exec|push|of=\/dev\/.*|\/dev\/(sd|nvme|vd|hd).*|777|a\+rwx|prune|destroy)$/;

/** `$X -rf /`: the program is unknown, its words look like those of a deletion or similar. */
const destructiveShape: GuardTest = (command, context) => {
  if (command.name !== '' || isKnown(command.word) || command.word.text === '') return false;
  if (hasWord(command, DANGEROUS_WORDS)) return true;
  if (!hasFlag(command, 'r', 'R', 'f')) return false;
  return operands(command).some((word) => liesIn(word, DELICATE, command, context));
};

/** `eval "$(tr … <<< x)"`: the code is the output of a program that transforms text. */
const evaluatesTurnedText = forPrograms(
  'sh bash zsh dash ksh eval',
  (command, _context, script) =>
    sourcesOfWords(command, script).some(({ name }: SimpleCommand) =>
      /^(rev|tr|sed|awk|cut|xxd|base64|printf|fold|paste)$/.test(name),
    ) && command.args.some((word) => !isKnown(word) && word.text.replaceAll(UNKNOWN, '').trim() === ''),
);

/** `awk '{print "rm -rf " $1}' | sh`: the program is known, its target is not. */
const destroysUnseen: GuardTest = (command, context) => {
  if (!command.via.includes(GENERATED)) return false;
  if (!REMOVERS.includes(command.name)) return !command.args.every(isKnown);
  return deletions(command).some(({ target, recursive }) => recursive && liesIn(target, ['unknown'], command, context));
};

export const dynamic: GuardRules = {
  'dynamic/program': {
    reason: 'The program of this command is unknown, and its arguments are those of a destructive one.',
    alternative: "Write the program's name out.",
    matches: destructiveShape,
  },
  'dynamic/generated': {
    reason: 'This runs commands that another program generates, and what they destroy cannot be seen beforehand.',
    alternative: 'Print the commands first, and run them one by one with their paths written out.',
    matches: forPrograms([...REMOVERS, 'dd', 'mkfs'], destroysUnseen),
  },
  'dynamic/turned-text': {
    reason: 'This runs text that is assembled so that it cannot be read beforehand.',
    alternative: 'Write the commands out in plain text.',
    matches: evaluatesTurnedText,
  },
};
