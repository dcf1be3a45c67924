import { ownValue } from '../../../contracts/index.ts';

/** Words that name a check in the scripts and targets of a project. */
const SCRIPT =
  /^(?:test|tests|unit|integration|e2e|spec|lint|eslint|typecheck|type-check|types|tsc|build|check|ci|verify|validate|qa|coverage|fmt|format|check-all|test-all)(?:[:._-](?:(?!fix|write|watch|dev)[\w.-])+)*$/;
const RUNNERS = /^(?:npm|pnpm|yarn|bun|make|gmake|just|task|rake|composer|deno|nx|turbo|mage|invoke|poe|hatch|pdm)$/;
const LAUNCHERS =
  /^(?:npx|bunx|uvx|pipx|pnpx)$|^(?:python3?|py) -m$|^(?:uv|poetry|pipenv|pdm|hatch|bundle|pnpm|yarn|npm) (?:run|exec|dlx)$/;
const PROGRAMS =
  /^(?:vitest|jest|mocha|ava|tap|tape|pytest|tox|nox|ruff|flake8|pylint|mypy|pyright|unittest|eslint|tsc|vue-tsc|biome|oxlint|prettier|stylelint|rspec|rubocop|phpunit|phpstan|pest|bats|shellcheck|hadolint|golangci-lint|staticcheck|ctest|ktlint|detekt|swiftlint|credo|luacheck|busted|actionlint|yamllint|markdownlint)$/;
/** Programs that check only with certain sub-commands. */
const COMMANDS: Readonly<Record<string, RegExp>> = {
  cargo: /^(?:\+\S+ )?(?:test|check|clippy|build|nextest run|fmt .*--check)\b/,
  go: /^(?:test|vet|build)\b/,
  dotnet: /^(?:test|build)\b/,
  mvn: /^(?:.* )?(?:test|verify|package|compile)\b/,
  gradle: /^(?:.* )?(?:test|check|build)\b/,
  mix: /^(?:test|compile|format .*--check|credo|dialyzer)\b/,
  swift: /^(?:test|build)\b/,
  xcodebuild: /\b(?:test|build)\b/,
  flutter: /^(?:test|analyze|build)\b/,
  dart: /^(?:test|analyze)\b/,
  deno: /^(?:test|lint|check|fmt --check)\b/,
  zig: /^(?:build|test)\b/,
  playwright: /^test\b/,
  cypress: /^run\b/,
  cmake: /^--build\b/,
  terraform: /^(?:validate|fmt .*-check)\b/,
  node: /^--test\b/,
  bun: /^test\b/,
  stack: /^(?:test|build)\b/,
  cabal: /^(?:test|build)\b/,
  sbt: /^(?:test|compile)\b/,
  lein: /^test\b/,
  black: /--check/,
  isort: /--check/,
};
/** "npm test passes on CI" begins like a command and continues in English. */
const ENGLISH =
  /^(?:pass(?:es|ed|ing)?|succeeds?|succeeded|successful|is|are|should|must|and|or|with|without|the|exits|shows|green|clean|ok|has|have|to|runs|on|for|in|from|of|then|plus|suite|locally|manual(?:ly)?|works?|fails?|[+&\u2192/])$/i;
/** Bare words that can follow a command: folders, targets, sub-commands. */
const OPERANDS =
  /^(?:src|libs?|apps?|packages?|pkg|cmd|internal|server|client|web|api|core|backend|frontend|docs|scripts|tests?|specs?|all|clean|run|exec|workspaces?|analy[sz]e|chromium|firefox|webkit|head)$/;

/** Text that would run for ever, write, reach outside the project, or is not meant literally. */
const UNFIT =
  /[;|`<>\n]|\$\(|(?<!&)&(?!&)|--(?:watch|fix|write|ui|headed|update)\b|(?:^|\s)(?:~|\/|\.\.\/|\.\.\.)|\u2026/;

/** In characters. Tested first: a longer text is not a command, and the patterns would take long on it. */
const LONGEST_LINE = 600;

/**
 * Whether a text is a command that checks a project and ends by itself. Servers, `curl`, pipes, paths outside the
 * project, placeholders and prose do not count.
 */
export function isCheckCommand(text: string): boolean {
  const whole = text.trim();
  if (whole.length > LONGEST_LINE) return false;
  const command = whole.replace(/\s+2>&1$/, '');
  if (command === '' || command.length > 300 || UNFIT.test(command)) return false;
  if (isProse(command)) return false;
  const parts = command.split(/\s*&&\s*/);
  return parts.some(isCheck) && parts.every((part) => isCheck(part) || /^cd [\w.][\w./-]*$/.test(part));
}

function isCheck(part: string): boolean {
  const words = unquoted(part).replace(ENVIRONMENT, '').split(/\s+/);
  if (words.slice(1).some((word) => ENGLISH.test(word))) return false;
  const launched = LAUNCHERS.test(words.slice(0, 2).join(' ')) && words.length > 2 ? words.slice(2) : null;
  if (launched && isTool(launched)) return hasOnlyArguments(launched);
  if (LAUNCHERS.test(words[0] ?? '')) {
    const tool = words.slice(1).filter((word) => !/^(?:-y|--yes|--no-install)$/.test(word));
    return isTool(tool) && hasOnlyArguments(tool);
  }
  return (isScript(words) || isTool(words)) && hasOnlyArguments(words);
}

const ENVIRONMENT = /^(?:[A-Z_][A-Z0-9_]*=\S* )+/;

/** Quoted arguments may hold anything: one character replaces each. */
function unquoted(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '_');
}

/** A comma or full stop after a word, brackets around words, and letters that no command has indicate a sentence. */
function isProse(command: string): boolean {
  return /[\p{L}\p{N})][.,:;!?](?=\s|$)|(?:^|\s)[([]|[^\0-\x7f]/u.test(unquoted(command));
}

/** Whether the words after a program can be arguments: flags and their values, paths, patterns, known targets. */
function hasOnlyArguments([program = '', ...rest]: readonly string[]): boolean {
  return rest.every((word, at) => {
    const before = rest[at - 1] ?? '';
    const isArgument = /[^A-Za-z]/.test(word) || OPERANDS.test(word) || SCRIPT.test(word) || /^-[^=]*$/.test(before);
    // The sub-command and its single operand: `cargo test parser`, `npm run build`.
    const isFilter = at === 1 && /^[a-z]+$/.test(word) && (Object.hasOwn(COMMANDS, program) || before === 'run');
    return at === 0 || isArgument || isFilter;
  });
}

/** Programs that run a script or an expression as a check. */
const INTERPRETERS = /^(?:python3?|py|node|ruby|php|perl|bash|sh|zsh|tsx|ts-node|deno|bun|Rscript|lua|java)$/;
/** Small programs that only read files; harmless, and they end. */
const LOOKERS =
  /^(?:test|\[|grep|egrep|rg|diff|cmp|jq|ls|cat|head|tail|wc|find|sort|uniq|true|echo|printf|cd|awk|sed|tr|xargs|file|stat|set|export)$/;
const READING_GIT = /^git (?:diff|status|grep|ls-files|log|show)\b/;
/** Parts of a script's name which say that it never ends or has effects outside the project. */
const ENDLESS = /^(?:dev|start|serve|server|watch|preview|install|i|ci|add|publish|deploy|release|up|push)(?:[:._-]|$)/;

/**
 * Whether a text under a key such as `testCommand` is a shell line of programs that are known or belong to the project.
 * Networks, servers, redirections into files, paths outside the project and placeholders are refused.
 */
export function isCommandLine(text: string): boolean {
  const command = text.trim();
  if (command.length > LONGEST_LINE) return false;
  const bare = unquoted(command).replace(/\s+(?:2>&1|[12&]?>\s*\/dev\/null)/g, '');
  if (command === '' || isProse(bare)) return false;
  if (/[`<>\n]|\$\(|(?<!&)&(?!&)|--(?:watch|fix|write|headed)\b|(?:^|\s)(?:~|\/|\.\.\/|\.\.\.)|\u2026/.test(bare))
    return false;
  return bare.split(/\s*(?:&&|\|\||[|;])\s*/).every((part) => {
    const words = part.replace(ENVIRONMENT, '').replace(/^! /, '').split(/\s+/);
    const [program = '', first = '', second = ''] = words;
    if (!LOOKERS.test(program) && words.slice(1).some((word) => ENGLISH.test(word))) return false;
    if (isCheck(part) || isTool(words) || LOOKERS.test(program) || READING_GIT.test(words.join(' '))) return true;
    if (/^(?:\.\/)?[\w.-]+(?:\/[\w.-]+)+$|^\.\/[\w.-]+$/.test(program)) return true;
    if (RUNNERS.test(program)) return first !== '' && !ENDLESS.test(first === 'run' ? second : first);
    if (LAUNCHERS.test(program) || LAUNCHERS.test(`${program} ${first}`)) return !ENDLESS.test(second);
    return INTERPRETERS.test(program) && first !== '' && !ENDLESS.test(first);
  });
}

function isScript(words: readonly string[]): boolean {
  const [program = '', ...rest] = words;
  if (!RUNNERS.test(program)) return false;
  const operands = rest.filter(
    (word) => !word.startsWith('-') && word !== 'run' && word !== 'workspace' && word !== 'exec',
  );
  const [first = ''] = operands;
  return (
    SCRIPT.test(first) || (/^(?:-C|--filter|--prefix|-w|-F)$/.test(rest[0] ?? '') && SCRIPT.test(operands[1] ?? ''))
  );
}

function isTool(words: readonly string[]): boolean {
  const [path = '', ...rest] = words;
  const program = path
    .replace(/^\.\/(?:vendor\/bin\/|node_modules\/\.bin\/)?|^vendor\/bin\//, '')
    .replace(/w$/, (w) => (/(?:mvnw|gradlew)$/.test(path) ? '' : w));
  if (program === 'prettier') return rest.includes('--check') || rest.includes('-c');
  if (PROGRAMS.test(program)) return program !== 'vitest' || !rest.includes('watch');
  const commands = ownValue(COMMANDS, program);
  return commands?.test(rest.join(' ')) ?? false;
}
