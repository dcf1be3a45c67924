import type { AgentEvent, AgentResult } from '../../contracts/agent.ts';
import type { Config } from '../../contracts/config.ts';
import type { Mode } from '../../contracts/model.ts';
import type { Command } from '../isolation/port.ts';

/** What the loop asks an agent to do. */
export interface AgentTask {
  readonly prompt: string;
  readonly cwd: string;
  readonly run: string;
  readonly iteration: number;
  readonly mode: Mode;
  readonly storyId: string;
  /** 1 for the first try of this story since its review state last changed. */
  readonly attempt: number;
  readonly reviewCount: number;
  /** 1 at first; grows when a transient error made the loop start the same iteration again. */
  readonly try: number;
  readonly model: string | null;
  /** US dollars this process may still cost, for agents that can keep to it; null is no limit. */
  readonly budgetUsd: number | null;
  /** The run's environment for agents (allow-listed by the caller); adapters add their own variables. */
  readonly env: Readonly<Record<string, string>>;
  /** A private folder for this agent process that the caller removes afterwards. */
  readonly tempDir: string;
  readonly config: Config;
  /** The run's server for hooks and tools; null when nothing stands beside the agent. */
  readonly control: AgentControl | null;
}

/** How an agent reaches the run it belongs to. */
export interface AgentControl {
  /** Without a slash at the end; hooks are at `/hooks`, tools at `/mcp`. */
  readonly url: string;
  /** Bearer token of this one process. */
  readonly token: string;
}

/** How to start one agent process. */
export interface AgentCommand extends Command {
  /** Written to standard input, which is then closed. */
  readonly stdin: string;
}

/** Turns one process's output into events and a result. Pure over its input; one per process. */
export interface Translator {
  /** One line of standard output, without its newline. */
  line(line: string): readonly AgentEvent[];
  /** Called once, after the process ended. `stderr` is its tail. */
  end(exit: { readonly exitCode: number | null; readonly signal: string | null; readonly stderr: string }): AgentResult;
}

export interface AgentAvailability {
  readonly ok: boolean;
  readonly version: string | null;
  readonly detail: string;
  /** How to get or mend it. */
  readonly mend: string;
}

/** What an agent can do beside writing files; shown by `doctor`. */
export interface AgentCapabilities {
  readonly hooks: boolean;
  readonly tools: boolean;
  readonly cost: boolean;
  readonly tokens: boolean;
  readonly limits: boolean;
  /** Keeps to `budgetUsd` itself. */
  readonly budget: boolean;
}

/** One coding agent behind the port. */
export interface AgentAdapter {
  readonly name: string;
  readonly capabilities: AgentCapabilities;
  /** Variables that its login and its settings need, as `env.pass` takes them: `ANTHROPIC_*`. */
  readonly environment: readonly string[];
  /** Is it installed and able to start? Runs at most a `--version`. */
  detect(config: Config): Promise<AgentAvailability>;
  command(task: AgentTask): Promise<AgentCommand>;
  translator(task: AgentTask): Translator;
}
