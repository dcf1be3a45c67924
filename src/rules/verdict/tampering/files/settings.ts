import type { FileChange, TamperFinding } from '../api.ts';
import { lineOf, newMatches, shown, withoutCommentLines } from './finding.ts';

interface Setting {
  readonly files: RegExp;
  /** Flags `gm`. New matches are findings … */
  readonly pattern: RegExp;
  /** … or, with `lost`, matches that are gone. */
  readonly lost?: true;
  readonly effect: string;
  readonly severity: 'high' | 'low';
}

/** Where services and hooks look for what they run. */
export const ciFiles =
  /^\.(?:github\/workflows|gitlab|circleci|buildkite|woodpecker|forgejo\/workflows|gitea\/workflows)\/|(?:^|\/)\.husky\/|(?:^|\/)(?:\.gitlab-ci\.ya?ml|Jenkinsfile|azure-pipelines[^/]*\.ya?ml|\.?appveyor\.yml|\.?lefthook\.ya?ml|\.pre-commit-config\.yaml|cloudbuild\.ya?ml)$|^(?:\.travis|bitbucket-pipelines|\.drone|\.cirrus)\.yml$/;

const compilers = /(?:^|\/)[tj]sconfig[^/]*\.json$/;
const runners =
  /(?:^|\/)(?:package\.json|(?:jest|vitest|vite|karma|playwright|cypress|ava|mocha|wdio)[^/]*|\.mocharc[^/]*)$/;
const python =
  /(?:^|\/)(?:pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|\.flake8|\.coveragerc|conftest\.py)$/;
const linters =
  /(?:^|\/)(?:\.eslintrc[^/]*|eslint\.config\.[^/]*|biome\.jsonc?|\.oxlintrc\.json|tslint\.json|\.jshintrc|\.rubocop\.yml)$/;
const builds =
  /(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?|[^/]*\.csproj|Directory\.Build\.props|phpunit\.xml(?:\.dist)?)$/;

/** Settings of checks that make them refuse less. */
const settings: readonly Setting[] = [
  {
    files: compilers,
    pattern: /"(?:strict\w*|alwaysStrict|no[A-Z]\w+|exactOptionalPropertyTypes|checkJs)"\s*:\s*false/gm,
    effect: 'switches a check of the compiler off',
    severity: 'high',
  },
  {
    files: compilers,
    pattern: /"(?:strict\w*|noImplicit\w+|noUnchecked\w+|exactOptionalPropertyTypes|checkJs)"\s*:\s*true/gm,
    lost: true,
    effect: 'was a check of the compiler',
    severity: 'low',
  },
  {
    files: compilers,
    pattern: /"skip(?:Default)?LibCheck"\s*:\s*true/gm,
    effect: 'leaves declarations unchecked',
    severity: 'low',
  },
  { files: runners, pattern: /\bpassWithNoTests["']?\s*:\s*true/gm, effect: 'passes without tests', severity: 'low' },
  {
    files: runners,
    pattern:
      /\b(?:allowOnly["']?\s*:\s*true|forbidOnly["']?\s*:\s*false|dangerouslyIgnoreUnhandledErrors["']?\s*:\s*true)/gm,
    effect: 'lets a run pass that should not',
    severity: 'high',
  },
  {
    files: runners,
    pattern:
      /\b(?:testPathIgnorePatterns|coveragePathIgnorePatterns|testIgnore|modulePathIgnorePatterns)["']?\s*:\s*\[[^\]]*\]/gm,
    effect: 'decides what is left out',
    severity: 'low',
  },
  {
    files: runners,
    pattern: /\b(?:check-coverage|checkCoverage)["']?\s*:\s*false/gm,
    effect: 'switches the coverage check off',
    severity: 'high',
  },
  {
    files: python,
    pattern: /^[ \t]*addopts\s*=[^\n]*(?:--ignore|--deselect|-k\s+["']?not|--no-cov|\|\|)[^\n]*/gm,
    effect: 'leaves tests out',
    severity: 'high',
  },
  {
    files: python,
    pattern: /\bcollect_ignore(?:_glob)?\s*=[^\n]*|^[ \t]*xfail_strict\s*=\s*false/gim,
    effect: 'leaves tests out',
    severity: 'high',
  },
  {
    files: python,
    pattern:
      /^[ \t]*(?:ignore_errors|ignore_missing_imports)\s*=\s*true|^[ \t]*(?:strict|disallow_\w+|check_untyped_defs|warn_\w+)\s*=\s*false/gim,
    effect: 'switches a check off',
    severity: 'low',
  },
  {
    files: linters,
    pattern: /(?<![\w@/-])[\w@/-]+["']?\s*:\s*\[?\s*(?:["']off["']|0\b)/gm,
    effect: 'switches a rule off',
    severity: 'low',
  },
  {
    files: builds,
    pattern:
      /<(?:skipTests|skip|maven\.test\.skip|testFailureIgnore)>\s*true|\bignoreFailures\s*(?:=|\()?\s*true|\btest\s*\{[^}]*\benabled\s*=\s*false|\bonlyIf\s*\{\s*false/gm,
    effect: 'keeps failing tests from failing the build',
    severity: 'high',
  },
  {
    files: builds,
    pattern: /<TreatWarningsAsErrors>\s*false|\bfailOn\w+="false"|\ballWarningsAsErrors\s*=\s*false/gim,
    effect: 'lets warnings pass',
    severity: 'low',
  },
  {
    files: /(?:^|\/)\.?codecov\.ya?ml$/,
    pattern: /\binformational:\s*true/gm,
    effect: 'switches the coverage check off',
    severity: 'high',
  },
  {
    files: ciFiles,
    pattern: /\bcontinue-on-error:\s*true|\ballow_failure:\s*true|\bcontinueOnError:\s*true|\bsoft_fail:\s*true/gm,
    effect: 'keeps a failure from failing the build',
    severity: 'high',
  },
  {
    files: ciFiles,
    pattern: /^[ \t-]*if:\s*["']?(?:\$\{\{\s*)?false\b/gm,
    effect: 'switches a step off',
    severity: 'high',
  },
  {
    files: ciFiles,
    pattern: /\|\|\s*(?:true\b|:(?=\s|$)|exit\s+0|echo\b)|\bset\s+\+e\b|^[ \t]*exit\s+0\b|--no-verify\b|\bHUSKY=0\b/gm,
    effect: 'hides a failure',
    severity: 'high',
  },
];

/** New lines in configurations of checks that make them refuse less. A new configuration takes nothing away. */
export function loosenedSettings({ path, before, after }: FileChange): TamperFinding[] {
  if (before === null || after === null) return [];
  const [old, now] = [withoutCommentLines(before), withoutCommentLines(after)];
  return settings
    .filter(({ files }) => files.test(path))
    .flatMap(({ pattern, lost, effect, severity }): TamperFinding[] => {
      const [match, ...more] = lost ? newMatches(pattern, now, old) : newMatches(pattern, old, now);
      if (match === undefined) return [];
      const others = more.length === 0 ? '' : ` (and ${more.length} more like it)`;
      const detail = `${shown(match[0])} ${effect}${lost ? ' and is gone' : ''}${others}.`;
      return [{ kind: 'check-neutralised', path, line: lost ? 1 : lineOf(after, match), detail, severity }];
    });
}
