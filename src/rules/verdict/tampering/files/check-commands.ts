/** What a command line does for the quality of a project. */
export type Purpose = 'tests' | 'lint' | 'types' | 'coverage';

const tools: readonly (readonly [Purpose, RegExp])[] = [
  [
    'tests',
    /\b(?:jest|vitest|mocha|ava|tape|tap|jasmine|karma|qunit|playwright|cypress|uvu|lab|pytest|py\.test|unittest|nose\w*|tox|nox|rspec|minitest|phpunit|pest|bats|ctest|prove|testem|wtr)\b|\b(?:npm|yarn|pnpm|bun|node|deno|go|cargo|mix|swift|dotnet|make|just|rails|rake|composer|mvnw?|gradlew?|sbt|bazel|npx)\b[^&|;\n]*\btests?(?:\b|[-:_]\w+)|\bcargo\s+nextest|\bnode\s+(?:\S+\s+)*(?:\S*\/)?tests?(?:\.js|\/|\b)|\b(?:mvnw?|gradlew?)\b[^&|;\n]*\b(?:verify|check|install)\b/,
  ],
  [
    'lint',
    /\b(?:eslint|biome|standard|xo|tslint|jshint|jscs|oxlint|prettier|stylelint|ruff|flake8|pylint|black|isort|golangci-lint|go\s+vet|staticcheck|clippy|rubocop|phpcs|php-cs-fixer|credo|swiftlint|ktlint|detekt|checkstyle|shellcheck|clang-tidy|dprint)\b|\b(?:npm|yarn|pnpm|bun|make|just|composer)\b[^&|;\n]*\blint\b/,
  ],
  [
    'types',
    /\b(?:tsc|vue-tsc|flow|mypy|pyright|basedpyright|attw|phpstan|psalm|dialyzer|sorbet|tsd)\b|\b(?:npm|yarn|pnpm|bun|make|just)\b[^&|;\n]*\b(?:typecheck|type-check|types)\b/,
  ],
  ['coverage', /\b(?:nyc|c8|istanbul|codecov|coveralls|check-coverage|coverage)\b|--cov\b/],
];

export function purposesOf(command: string): ReadonlySet<Purpose> {
  return new Set(tools.filter(([, pattern]) => pattern.test(command)).map(([purpose]) => purpose));
}

export interface Neutraliser {
  readonly pattern: RegExp;
  readonly effect: string;
  readonly severity: 'high' | 'low';
}

/** What makes a check's command say yes, or look at less. Over one command line. */
export const neutralisers: readonly Neutraliser[] = [
  {
    pattern: /\|\|\s*(?:true\b|:(?=\s|$)|exit\s+0\b|echo\b|cd\s+\.|set\s)/g,
    effect: 'hides its failure',
    severity: 'high',
  },
  { pattern: /;\s*(?:true|:|exit\s+0)\s*$/gm, effect: 'hides its failure', severity: 'high' },
  { pattern: /\bset\s+\+e\b/g, effect: 'hides its failure', severity: 'high' },
  { pattern: /(?:^|&&|;)\s*exit\s+0\b/gm, effect: 'ends before it fails', severity: 'high' },
  {
    pattern: /\|\s*(?:cat|tee|head|tail|grep)\b(?!.*pipefail)/g,
    effect: 'takes the exit code of a filter',
    severity: 'low',
  },
  {
    pattern: /--exit-zero\b|--force-exit-zero\b|--no-fail\b|--no-error\b|--soft-fail\b/g,
    effect: 'never fails',
    severity: 'high',
  },
  { pattern: /--no-verify\b|\bHUSKY=0\b|\bSKIP=\S+/g, effect: 'skips hooks', severity: 'high' },
  {
    pattern: /-DskipTests\b|-Dmaven\.test\.\w+(?:\.\w+)?=true|\s-x\s+test\b|-Dmaven\.test\.skip\b/g,
    effect: 'skips the tests',
    severity: 'high',
  },
  {
    pattern:
      /(?:\s-k\s+|-k=)['"]?not\b|--deselect\b|\s-skip[= ]|--ignore(?:-glob)?=|--testPathIgnorePatterns\b|--exclude-tags?\b|--invert\b/g,
    effect: 'leaves tests out',
    severity: 'high',
  },
  {
    pattern: /\b(?:jest|vitest)\b[^&|;]*\s(?:-u|--update|--updateSnapshot)\b/g,
    effect: 'rewrites snapshots instead of comparing them',
    severity: 'high',
  },
  {
    pattern: /--pass-?[wW]ith-?[nN]o-?[tT]ests\b|--allow-?[nN]o-?[tT]ests\b/g,
    effect: 'passes without tests',
    severity: 'low',
  },
  {
    pattern: /--(?:exclude|skip|ignore-pattern|testNamePattern|grep|filter)[= ]|--no-cov\b|--no-coverage\b/g,
    effect: 'looks at less',
    severity: 'low',
  },
];

/** A command that runs nothing. */
export const runsNothing =
  /^\s*@?-?(?:echo\b[^&|;`$]*|printf\b[^&|;`$]*|true|:|exit\s+0|cd\s+\.)?\s*(?:&&\s*exit\s+0)?\s*$/;
