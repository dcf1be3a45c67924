/** Programs that show, move or compare text, or work on anything but tests: what they print is not theirs. */
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

/** Builtins, linters, compilers and package managers: they print only what they have to say themselves. */
const OWN_WORDS = `
ls ll tree find fd fdfind locate stat file du df which where whereis whatis man apropos help type hash command sudo realpath readlink basename dirname pwd
echo printf yes seq date cal sleep true false : history clear
cp mv rm mkdir rmdir touch ln chmod chown install zip rsync scp dd truncate mktemp shred
test [ [[ expr let read set unset export declare local alias unalias source . shopt trap wait jobs fg bg kill pkill
killall ps top htop lsof netstat ss uname hostname whoami id env printenv locale ulimit umask umount mount
npm pnpm yarn make gmake bmake nmake exit return break continue eval
tsc tsgo eslint oxlint prettier biome standard xo stylelint tslint rome dprint knip madge depcheck publint
flake8 ruff black isort mypy pyright pylint bandit pyflakes pycodestyle autopep8 yapf vulture
rubocop standardrb sorbet shellcheck shfmt hadolint yamllint markdownlint actionlint ansible-lint
gofmt goimports golint golangci-lint staticcheck rustfmt clang-format clang-tidy cppcheck
phpstan psalm phpcs phpcbf php-cs-fixer luacheck ktlint checkstyle detekt spotbugs
gcc g++ cc c++ clang clang++ ld ar javac kotlinc scalac rustc ghc
webpack rollup esbuild parcel tsup swc babel browserify gulp grunt rolldown ncc
pip pip3 gem brew apt apt-get apt-cache dpkg yum dnf apk pacman snap port conda mamba
`;

const WITH_OWN_WORDS: ReadonlySet<string> = new Set(OWN_WORDS.split(/\s+/).filter(Boolean));
const READERS: ReadonlySet<string> = new Set([...NAMES.split(/\s+/).filter(Boolean), ...WITH_OWN_WORDS]);

export function isReader(name: string): boolean {
  return READERS.has(name);
}

/** Can it print what another program wrote, an older test run's summary for one? */
export function showsOthersText(name: string): boolean {
  return name === 'git' || (READERS.has(name) && !WITH_OWN_WORDS.has(name));
}

/** Commands that practically never fail: with them in a chain a code other than 0 still means the tests. */
const HARMLESS: ReadonlySet<string> = new Set(
  'cd pushd popd export set unset echo printf true : sleep mkdir touch rm source . nvm clear date pwd ulimit shopt trap wait kill read'.split(
    ' ',
  ),
);

export function isHarmless(name: string): boolean {
  return HARMLESS.has(name);
}

/** Filters that let everything through. */
export function showsAll(name: string): boolean {
  return (
    name === 'tee' ||
    name === 'cat' ||
    name === 'ts' ||
    name === 'less' ||
    name === 'more' ||
    name === 'sponge' ||
    name === 'pino-pretty' ||
    name === 'tap-spec'
  );
}
