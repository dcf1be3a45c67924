import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { markedProcesses } from '../support/processes.ts';
import { type Ended, makeProject, type Project } from '../support/project.ts';
import { type AgentRequest, type AgentScript, FILES } from './story.ts';

/** What stands in for an agent's provider. */
export interface Provider {
  readonly url: string;
  readonly requests: readonly (AgentRequest & { readonly headers: IncomingHttpHeaders })[];
  close(): Promise<void>;
}

/** How one agent is set up against a provider on loopback. */
export interface AgentSetup {
  readonly name: string;
  serve(script: AgentScript): Promise<Provider>;
  /** Settings of `ralph.config.json` beside the agent's name. */
  settings(provider: Provider): Readonly<Record<string, unknown>>;
  /** Prepares an empty home folder; gives the variables that go with it. A key is made up, or missing. */
  home(home: string, provider: Provider, key: string | null): Promise<Readonly<Record<string, string>>>;
}

export interface AgentProject {
  readonly project: Project;
  readonly provider: Provider;
  run(args?: readonly string[]): Promise<Ended>;
  /** Marked processes that outlived the last run. */
  leftOver(): Promise<readonly unknown[]>;
  remove(): Promise<void>;
}

/** A throw-away project with one story, whose agent is a real client with a home of its own; the caller removes it. */
export async function makeAgentProject(
  setup: AgentSetup,
  script: AgentScript,
  key: string | null = 'made-up-key',
): Promise<AgentProject> {
  const project = await makeProject({
    files: FILES,
    verifyCommands: ['sh check.sh'],
    stories: [{ id: 'US-001', title: 'Greet the world' }],
  });
  const provider = await setup.serve(script);
  const config = { agent: setup.name, transient: { retries: 0 }, onUsageLimit: 'stop', ...setup.settings(provider) };
  await writeFile(join(project.root, 'ralph.config.json'), JSON.stringify(config));
  await project.git('add', '-A');
  await project.git('commit', '-q', '-m', 'configuration');
  const home = join(project.outside, 'home');
  await mkdir(home);
  const env = { HOME: home, ...(await setup.home(home, provider, key)) };
  return {
    project,
    provider,
    run: (args = []) => project.ralph(['run', ...args], env),
    async leftOver() {
      const { run } = JSON.parse(await project.read('.ralph/status.json'));
      return markedProcesses(run);
    },
    async remove() {
      await provider.close();
      await project.remove();
    },
  };
}
