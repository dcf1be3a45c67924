import { bagOf, sizeOf, surplus } from './bags.ts';
import {
  type FileChange,
  type Finding,
  lineOf,
  newMatches,
  type Severity,
  shown,
  withoutCommentLines,
} from './change.ts';
import { languageOf } from './languages.ts';
import { mask } from './source.ts';

/** Files where CI services and hooks look for what to run. */
export const ciFiles =
  /^\.(?:github\/workflows|gitlab|circleci|buildkite|woodpecker|forgejo\/workflows|gitea\/workflows)\/|(?:^|\/)\.husky\/|(?:^|\/)(?:\.gitlab-ci\.ya?ml|Jenkinsfile|azure-pipelines[^/]*\.ya?ml|\.?appveyor\.yml|\.?lefthook\.ya?ml|\.pre-commit-config\.yaml|cloudbuild\.ya?ml)$|^(?:\.travis|bitbucket-pipelines|\.drone|\.cirrus)\.yml$/;

type Patterns = Readonly<Record<string, RegExp>>;

/** What new text in some files does to a check, by its pattern (with the flags `gm`). */
interface Settings {
  readonly files: RegExp;
  readonly high?: Patterns;
  readonly low?: Patterns;
  /** Text whose removal does it. */
  readonly lost?: Patterns;
}

/** A shell command that always passes. */
export const HIDES_FAILURE =
  /\|\|\s*(?:true\b|:(?=\s|$)|exit\s+0\b|echo\b|cd\s+\.|set\s)|;\s*(?:true|:|exit\s+0)\s*$|\bset\s+\+e\b/gm;
export const SKIPS_HOOKS = /--no-verify\b|\bHUSKY=0\b|\bSKIP=\S+/g;

/** Settings of checks that make them refuse less. */
const settings: readonly Settings[] = [
  {
    files: /(?:^|\/)[tj]sconfig[^/]*\.json$/,
    high: {
      'switches a check of the compiler off':
        /"(?:strict\w*|alwaysStrict|no[A-Z]\w+|exactOptionalPropertyTypes|checkJs)"\s*:\s*false/gm,
    },
    low: { 'leaves declarations unchecked': /"skip(?:Default)?LibCheck"\s*:\s*true/gm },
    lost: {
      'was a check of the compiler':
        /"(?:strict\w*|noImplicit\w+|noUnchecked\w+|exactOptionalPropertyTypes|checkJs)"\s*:\s*true/gm,
    },
  },
  {
    // Test runners
    files:
      /(?:^|\/)(?:package\.json|(?:jest|vitest|vite|karma|playwright|cypress|ava|mocha|wdio)[^/]*|\.mocharc[^/]*)$/,
    high: {
      'lets a failing run pass':
        /\b(?:allowOnly["']?\s*:\s*true|forbidOnly["']?\s*:\s*false|dangerouslyIgnoreUnhandledErrors["']?\s*:\s*true)/gm,
      'switches the coverage check off': /\b(?:check-coverage|checkCoverage)["']?\s*:\s*false/gm,
    },
    low: {
      'passes without tests': /\bpassWithNoTests["']?\s*:\s*true/gm,
      'decides what is left out':
        /\b(?:testPathIgnorePatterns|coveragePathIgnorePatterns|testIgnore|modulePathIgnorePatterns)["']?\s*:\s*\[[^\]]*\]/gm,
    },
  },
  {
    // Python
    files: /(?:^|\/)(?:pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|\.flake8|\.coveragerc|conftest\.py)$/,
    high: {
      'leaves tests out':
        /^[ \t]*addopts\s*=[^\n]*(?:--ignore|--deselect|-k\s+["']?not|--no-cov|\|\|)[^\n]*|\bcollect_ignore(?:_glob)?\s*=[^\n]*|^[ \t]*xfail_strict\s*=\s*false/gim,
    },
    low: {
      'switches a check off':
        /^[ \t]*(?:ignore_errors|ignore_missing_imports)\s*=\s*true|^[ \t]*(?:strict|disallow_\w+|check_untyped_defs|warn_\w+)\s*=\s*false/gim,
    },
  },
  {
    // Linters
    files:
      /(?:^|\/)(?:\.eslintrc[^/]*|eslint\.config\.[^/]*|biome\.jsonc?|\.oxlintrc\.json|tslint\.json|\.jshintrc|\.rubocop\.yml)$/,
    low: { 'switches a rule off': /(?<![\w@/-])[\w@/-]+["']?\s*:\s*\[?\s*(?:["']off["']|0\b)/gm },
  },
  {
    // Builds
    files:
      /(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?|[^/]*\.csproj|Directory\.Build\.props|phpunit\.xml(?:\.dist)?)$/,
    high: {
      'keeps failing tests from failing the build':
        /<(?:skipTests|skip|maven\.test\.skip|testFailureIgnore)>\s*true|\bignoreFailures\s*(?:=|\()?\s*true|\btest\s*\{[^}]*\benabled\s*=\s*false|\bonlyIf\s*\{\s*false/gm,
    },
    low: {
      'lets warnings pass': /<TreatWarningsAsErrors>\s*false|\bfailOn\w+="false"|\ballWarningsAsErrors\s*=\s*false/gim,
    },
  },
  {
    files: /(?:^|\/)\.?codecov\.ya?ml$/,
    high: { 'switches the coverage check off': /\binformational:\s*true/gm },
  },
  {
    files: ciFiles,
    high: {
      'keeps a failure from failing the build':
        /\bcontinue-on-error:\s*true|\ballow_failure:\s*true|\bcontinueOnError:\s*true|\bsoft_fail:\s*true/gm,
      'switches a step off': /^[ \t-]*if:\s*["']?(?:\$\{\{\s*)?false\b/gm,
      'hides a failure': new RegExp(`${HIDES_FAILURE.source}|^[ \\t]*exit\\s+0\\b|${SKIPS_HOOKS.source}`, 'gm'),
    },
  },
];

/** New lines in check configurations that make the checks refuse less. A new configuration removes nothing. */
export function loosenedSettings({ path, before, after }: FileChange): Finding[] {
  if (before === null || after === null) return [];
  const [old, now] = [withoutCommentLines(before), withoutCommentLines(after)];
  const finding = (
    [effect, pattern]: readonly [string, RegExp],
    severity: Severity,
    isLost: boolean,
  ): readonly Finding[] => {
    const [match, ...more] = isLost ? newMatches(pattern, now, old) : newMatches(pattern, old, now);
    if (match === undefined) return [];
    const others = more.length === 0 ? '' : ` (and ${more.length} more like it)`;
    const detail = `${shown(match[0])} ${effect}${isLost ? ' and is gone' : ''}${others}.`;
    return [{ kind: 'check-neutralised', path, line: isLost ? 1 : lineOf(after, match), detail, severity }];
  };
  return settings
    .filter(({ files }) => files.test(path))
    .flatMap(({ high = {}, low = {}, lost = {} }) => [
      ...Object.entries(high).flatMap((row) => finding(row, 'high', false)),
      ...Object.entries(low).flatMap((row) => finding(row, 'low', false)),
      ...Object.entries(lost).flatMap((row) => finding(row, 'low', true)),
    ]);
}

/** A line of an attributes file that hides the named files from diffs, in git or on a code host. */
const HIDING =
  /^[ \t]*(?!\[attr\])\S+(?:[ \t]+\S+)*?[ \t]+(?:-diff|diff=\S+|binary|-text|(?:linguist|gitlab)-(?:generated|vendored)(?:=true)?)(?=[ \t]|$).*$/gm;
/** Files that are not text, regardless of their attributes. */
const NO_TEXT =
  /^[ \t]*\S*\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|zst|7z|jar|war|woff2?|ttf|otf|eot|mp[34]|mov|avi|webm|ogg|wav|exe|dll|so|dylib|wasm|sqlite|db)[ \t]/i;

/** Files that diffs no longer show: a reviewer would not see what is in them. */
export function hiddenFromDiff({ path, before, after }: FileChange): Finding[] {
  if (!/(?:^|\/)\.gitattributes$/.test(path) || after === null) return [];
  return newMatches(HIDING, withoutCommentLines(before ?? ''), withoutCommentLines(after))
    .filter(([line]) => !NO_TEXT.test(line))
    .map((match) => ({
      kind: 'hidden-from-diff',
      path,
      line: lineOf(after, match),
      detail: `${shown(match[0])} hides the changes of these files from differences: read them with \`git diff --text\`.`,
      severity: 'low',
    }));
}

/** Comments that switch a checker off for a whole file. */
const silencer =
  /\b(?:eslint-disable|tslint:disable|oxlint-disable)(?![-:\w])(?=[ \t]*(?:$|--|\*))|@ts-nocheck\b|@no-?check\b|\bbiome-ignore-all\b|\b(?:flake8|ruff):\s*noqa\b|^[ \t]*type:[ \t]*ignore[ \t]*$|\bmypy:\s*ignore-errors\b|\bpylint:\s*(?:skip-file|disable=all)\b|\bpyright:\s*ignore\b|\b(?:istanbul|c8|v8) ignore file\b|\brubocop:disable all\b|\bswiftlint:disable all\b|@phpstan-ignore-file\b|\bphpcs:ignoreFile\b|\bpragma: no cover file\b/gm;

/** The equivalent in code. */
const inCode =
  /#!\[allow\((?:warnings|clippy::all|unused)\)\]|^[ \t]*@SuppressWarnings\("all"\)|^[ \t]*#pragma warning disable[ \t]*$/gm;

/** Whole files that a checker no longer looks at. */
export function silencedFiles({ path, before, after }: FileChange): Finding[] {
  const language = languageOf(path);
  if (language === undefined || after === null) return [];
  const now = mask(after, language.lexis);
  const old = before === null ? null : mask(before, language.lexis);
  return [
    ...newMatches(silencer, old?.comments ?? '', now.comments),
    ...newMatches(inCode, old?.text ?? '', now.text).filter(({ index }) => now.code[index] === after[index]),
  ].map((match) => ({
    kind: 'check-neutralised',
    path,
    line: lineOf(after, match),
    detail: `${shown(match[0])} switches a checker off for the whole file${before === null ? ', which is new' : ''}.`,
    severity: before === null ? 'low' : 'high',
  }));
}

const snapshotFile =
  /(?:^|\/)__snapshots__\/|\.(?:snap|ambr|approved\.\w+|verified\.\w+)$|-snapshots\/|(?:^|\/)__image_snapshots__\//;

/** From this share of its lines on, a snapshot was rewritten rather than updated. */
const wholesale = 0.5;
const fewLines = 10;

/** Snapshots that were removed, or recorded again entirely. */
export function changedSnapshots(changes: readonly FileChange[]): Finding[] {
  const files = changes.filter(({ path }) => snapshotFile.test(path));
  const arrived = new Set(files.filter(({ before }) => before === null).map(({ after }) => after));
  return files.flatMap(({ path, before, after }): Finding[] => {
    if (before === null || (after === null && arrived.has(before))) return [];
    const share = lostShare(before, after ?? '');
    if (after !== null && share < wholesale) return [];
    const detail =
      after === null ? 'A snapshot was deleted.' : `${Math.round(share * 100)} % of a snapshot's lines are gone.`;
    return [{ kind: 'snapshot-changed', path, line: 1, detail, severity: 'low' }];
  });
}

function lostShare(before: string, after: string): number {
  const lines = (text: string) => bagOf(text.split('\n').filter((line) => line.trim() !== ''));
  const total = sizeOf(lines(before));
  return total < fewLines ? 0 : sizeOf(surplus(lines(before), lines(after))) / total;
}
