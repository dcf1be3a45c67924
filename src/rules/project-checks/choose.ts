import { type Check, has, type ProjectFiles, Rank } from './files.ts';
import { languageChecks } from './languages.ts';
import { nodeChecks } from './node.ts';
import { pythonChecks } from './python.ts';
import { RUNNERS, targetsOf } from './runners.ts';
import { checksIn, runsTests } from './scripts.ts';

/** Targets of a runner by which a project says "everything": they win over what its languages suggest. */
const EVERYTHING = /^(verify|check|ci|check[:-]all|checks|validate|qa)$/;

/**
 * The checks of a project as commands, cheapest first: a proposal from the files of one folder. What the project itself
 * calls its checks wins over what its tools suggest; the same tests are not named twice.
 */
export function projectChecks(files: ProjectFiles): readonly string[] {
  const node = nodeChecks(files);
  const runner = runnerChecks(files);
  if (runner !== null && (runner.everything || !runsTests(node))) return ordered(runner.checks);
  const languages = [...node, ...pythonChecks(files), ...languageChecks(files)];
  const linted = languages.some(({ rank }) => rank !== Rank.test);
  const hooks = has(files, '.pre-commit-config.yaml') && !linted;
  return ordered([...(hooks ? [{ rank: Rank.lint, command: 'pre-commit run --all-files' }] : []), ...languages]);
}

/** Of the first runner whose targets run tests. */
function runnerChecks(files: ProjectFiles): { readonly checks: readonly Check[]; readonly everything: boolean } | null {
  for (const runner of RUNNERS) {
    const checks = checksIn(targetsOf(runner, files), (target) => `${runner.program} ${target}`);
    if (!runsTests(checks)) continue;
    return { checks, everything: checks.some(({ command }) => EVERYTHING.test(command.split(' ')[1] ?? '')) };
  }
  return null;
}

function ordered(checks: readonly Check[]): readonly string[] {
  const sorted = [...checks].sort((a, b) => a.rank - b.rank);
  return [...new Set(sorted.map(({ command }) => command))];
}
