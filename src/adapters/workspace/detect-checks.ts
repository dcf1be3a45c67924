import { exists, readText } from '../../platform/files.ts';

/** What `npm init` writes; it only ever fails. */
const NO_TEST = /no test specified/;

/** Scripts worth running as checks, and what a project may call them. */
const SCRIPTS: readonly (readonly string[])[] = [['typecheck', 'type-check', 'types'], ['lint'], ['test']];

/**
 * The project's own checks, cheapest first, as commands for `verifyCommands`: a proposal from the files at the root,
 * for a person to correct. Nothing is run.
 */
export async function detectChecks(root: string): Promise<readonly string[]> {
  const found = await Promise.all([nodeChecks(root), pythonChecks(root), goChecks(root), rustChecks(root)]);
  const checks = found.flat();
  return checks.length > 0 ? checks : makeChecks(root);
}

async function nodeChecks(root: string): Promise<readonly string[]> {
  const scripts = scriptsOf(await readText(`${root}/package.json`));
  const runner = await packageRunner(root);
  return SCRIPTS.flatMap((names) => {
    const name = names.find(
      (candidate) => typeof scripts[candidate] === 'string' && !NO_TEST.test(String(scripts[candidate])),
    );
    if (name === undefined) return [];
    return [name === 'test' && runner !== 'bun' ? `${runner} test` : `${runner} run ${name}`];
  });
}

function scriptsOf(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null ? (scripts as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

async function packageRunner(root: string): Promise<string> {
  if (await exists(`${root}/pnpm-lock.yaml`)) return 'pnpm';
  if (await exists(`${root}/yarn.lock`)) return 'yarn';
  return (await exists(`${root}/bun.lock`)) || (await exists(`${root}/bun.lockb`)) ? 'bun' : 'npm';
}

async function pythonChecks(root: string): Promise<readonly string[]> {
  const project = (await readText(`${root}/pyproject.toml`)) ?? '';
  const usesPytest =
    /\bpytest\b/.test(project) || (await exists(`${root}/pytest.ini`)) || (await exists(`${root}/conftest.py`));
  if (!usesPytest) return [];
  if (await exists(`${root}/uv.lock`)) return ['uv run pytest'];
  return [(await exists(`${root}/poetry.lock`)) ? 'poetry run pytest' : 'pytest'];
}

async function goChecks(root: string): Promise<readonly string[]> {
  return (await exists(`${root}/go.mod`)) ? ['go vet ./...', 'go test ./...'] : [];
}

async function rustChecks(root: string): Promise<readonly string[]> {
  return (await exists(`${root}/Cargo.toml`)) ? ['cargo test'] : [];
}

async function makeChecks(root: string): Promise<readonly string[]> {
  const text = (await readText(`${root}/Makefile`)) ?? '';
  return ['lint', 'test']
    .filter((target) => new RegExp(`^${target}:`, 'm').test(text))
    .map((target) => `make ${target}`);
}
