import { words } from '../../text/index.ts';
import { nameOf } from './unwrap.ts';

/** Whether this names a script, target or task that runs tests: `test:unit` does, `test:db:setup` does not. */
export function namesTests(name: string): boolean {
  return !isOtherWork(name) && partsOf(name).some((part) => TEST_WORDS.has(part));
}

/** Whether a part of this name says that it prepares, builds or shows something. */
export function isOtherWork(name: string): boolean {
  return partsOf(name).some((part) => NOT_A_RUN.has(part));
}

function partsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[:.\-_/]+/);
}

const TEST_WORDS: ReadonlySet<string> = new Set(
  words(
    'test tests testing spec specs e2e unit unittest unittests integration jest vitest mocha ava cypress playwright pytest rspec phpunit pest coverage cov tests-all runtests check checks distcheck installcheck selftest smoke regression',
  ),
);

const NOT_A_RUN: ReadonlySet<string> = new Set(
  words(
    'setup seed seeds migrate migration migrations db build compile types type typecheck tsc lint eslint fmt format prettier clean watch list install deps prepare pretest posttest report open data fixtures env up down server serve start stop docs generate gen update helper helpers utils util image docker style spelling spell links size licenses license audit deps deploy preflight health healthcheck doctor backup sync import export bench benchmark',
  ),
);

/** Programs that display, move or compare text, or have nothing to do with tests: their output comes from elsewhere. */
const NAMES = `
cat tac zcat bzcat xzcat zstdcat gzcat zless zmore lnav ccze jless glow mdcat pr split csplit shuf iconv dos2unix
head tail less more most bat batcat nl od xxd hexdump strings wc cut sort uniq tr rev paste column fold fmt
grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq xq gron xmllint fx
diff comm cmp sdiff colordiff delta patch
tar unzip gzip gunzip tee
curl wget http xh ping dig nslookup nc telnet openssl
gh glab hub svn hg jj
vi vim nvim nano emacs ed code open xdg-open
terraform tofu pulumi ansible ansible-playbook helm aws gcloud az heroku fly vercel netlify wrangler
kubectl oc journalctl systemctl logcat adb
psql mysql sqlite3 redis-cli mongosh mongo
hyperfine ab wrk k6 autocannon
`;

/** Builtins, compilers and package managers: they print only their own messages. */
const OWN_WORDS = `
ls ll tree find fd fdfind locate stat file du df which where whereis whatis man apropos help type hash command sudo realpath readlink basename dirname pwd
echo printf yes seq date cal sleep true false : history clear
cp mv rm mkdir rmdir touch ln chmod chown install zip rsync scp dd truncate mktemp shred
test [ [[ expr let read set unset export declare local alias unalias source . shopt trap wait jobs fg bg kill pkill
killall ps top htop lsof netstat ss uname hostname whoami id env printenv locale ulimit umask umount mount
npm pnpm yarn make gmake bmake nmake exit return break continue eval
knip madge depcheck publint
gcc g++ cc c++ clang clang++ ld ar javac kotlinc scalac rustc ghc
webpack rollup esbuild parcel tsup swc babel browserify gulp grunt rolldown ncc
pip pip3 gem brew apt apt-get apt-cache dpkg yum dnf apk pacman snap port conda mamba
`;

/** Checks other than tests. They also print only their own messages. */
const CHECKERS = {
  lint: `
eslint oxlint prettier biome standard xo stylelint tslint jshint jscs rome dprint
flake8 ruff black isort pylint bandit pyflakes pycodestyle autopep8 yapf vulture
rubocop standardrb shellcheck shfmt hadolint yamllint markdownlint actionlint ansible-lint
gofmt goimports golint golangci-lint staticcheck rustfmt clippy vet clang-format clang-tidy cppcheck
phpcs phpcbf php-cs-fixer luacheck ktlint checkstyle detekt spotbugs swiftlint credo`,
  types: 'tsc vue-tsc tsgo flow mypy pyright basedpyright attw tsd phpstan psalm dialyzer sorbet',
  coverage: 'nyc c8 istanbul codecov coveralls check-coverage coverage',
};

export type Checked = keyof typeof CHECKERS;

const CHECKED_BY: ReadonlyMap<string, Checked> = new Map(
  (Object.keys(CHECKERS) as Checked[]).flatMap((checked) => words(CHECKERS[checked]).map((name) => [name, checked])),
);
const CALLED = /\b(?:npm|yarn|pnpm|bun|make|just|composer)\b[^&|;\n]*?\b(lint|typecheck|type-check|types)\b/g;

export function checksIn(command: string): readonly Checked[] {
  const named = command.split(/[\s;&|()'"`]+/).flatMap((word) => CHECKED_BY.get(nameOf(word)) ?? []);
  const called = [...command.matchAll(CALLED)].map(([, name]) => (name === 'lint' ? 'lint' : 'types'));
  return [...named, ...called, ...(/--cov(?:erage)?\b/.test(command) ? (['coverage'] as const) : [])];
}

const WITH_OWN_WORDS: ReadonlySet<string> = new Set([
  ...words(OWN_WORDS),
  ...words(CHECKERS.lint),
  ...words(CHECKERS.types),
]);
const READERS: ReadonlySet<string> = new Set([...words(NAMES), ...WITH_OWN_WORDS]);

export function isReader(name: string): boolean {
  return READERS.has(name);
}

/** Whether it can print another program's output, such as an older test run's summary. */
export function printsOtherOutput(name: string): boolean {
  return name === 'git' || (READERS.has(name) && !WITH_OWN_WORDS.has(name));
}

/** Commands that practically never fail: in a chain with them a non-zero code still means the tests. */
const HARMLESS: ReadonlySet<string> = new Set(
  words(
    'cd pushd popd export set unset echo printf true : sleep mkdir touch rm source . nvm clear date pwd ulimit shopt trap wait kill read',
  ),
);

export function isHarmless(name: string): boolean {
  return HARMLESS.has(name);
}

/** Printers that read TAP from a pipe, and end with a failure if there was one in it. */
export function printsTap(name: string): boolean {
  return /^(?:tap-(?:spec|min|dot|diff|summary|nyan|arc|difflet|nirvana|parser|mocha-reporter|prettify|markdown|out)|faucet|tspec)$/.test(
    name,
  );
}

/** Filters that pass everything on. */
export function showsAll(name: string): boolean {
  return printsTap(name) || /^(?:tee|cat|ts|less|more|sponge|pino-pretty)$/.test(name);
}
