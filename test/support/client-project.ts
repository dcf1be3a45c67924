import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientEnvironment } from './client-environment.ts';
import { type ModelServer, type Script, startModelServer } from './model-server.ts';
import { makeProject, type Project, type ProjectOptions } from './project.ts';

/** A project whose agent is the real client, with a scripted model behind it. */
export interface ClientProject {
  readonly project: Project;
  readonly server: ModelServer;
  /** Environment for `ralph`, and for the client by itself. */
  readonly env: Record<string, string>;
  /** Lines of the loop's ledger. */
  ledger(): Promise<readonly Record<string, unknown>[]>;
  /** Events of the last run. */
  events(): Promise<readonly Record<string, unknown>[]>;
  remove(): Promise<void>;
}

/**
 * Makes one; the caller removes it.
 * @param settings replaces top-level settings of `ralph.config.json`
 */
export async function makeClientProject(
  binary: string,
  script: (root: string) => Script,
  options: ProjectOptions,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<ClientProject> {
  const project = await makeProject(options);
  const server = await startModelServer(script(project.root));
  const config = {
    agent: 'claude',
    model: 'claude-sonnet-5-5',
    agents: { claude: { command: binary } },
    transient: { delay: '10ms' },
    ...settings,
  };
  await writeFile(join(project.root, 'ralph.config.json'), JSON.stringify(config));
  await project.git('add', '-A');
  await project.git('commit', '-q', '-m', 'configuration');
  const lines = async (path: string) =>
    (await project.read(path))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return {
    project,
    server,
    env: await clientEnvironment(project.outside, server.url),
    ledger: () => lines('.git/ralph/ledger.jsonl'),
    async events() {
      const { run } = JSON.parse(await project.read('.ralph/status.json'));
      return lines(`.ralph/runs/${run}/events.jsonl`);
    },
    async remove() {
      await server.close();
      await project.remove();
    },
  };
}
