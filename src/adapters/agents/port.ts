import type { AgentEvent, AgentResult, Config, Mode } from '../../contracts/index.ts';
import type { Command, HomeNeeds, IsolationName, Provider } from '../isolation/index.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface AgentTask {
  readonly prompt: string;
  readonly cwd: string;
  readonly run: string;
  readonly iteration: number;
  readonly mode: Mode;
  readonly storyId: string;
  /** 1 for the first attempt at this story since its review state last changed. */
  readonly attempt: number;
  readonly reviewCount: number;
  /** Starts at 1; grows when a transient error makes the loop start the same iteration again. */
  readonly try: number;
  readonly model: string | null;
  /** US dollars this process may still spend, for agents that can enforce it; null: no limit. */
  readonly budgetUsd: number | null;
  /** The run's environment for agents (allow-listed by the caller); adapters add their own variables. */
  readonly env: Readonly<Record<string, string>>;
  /** A private folder for this agent process that the caller removes afterwards. */
  readonly tempDir: string;
  readonly config: Config;
  /** The run's server for hooks and tools; null when there is none. */
  readonly control: AgentControl | null;
  readonly isolation: IsolationName;
  /** More MCP servers than the run's own; absent: none. */
  readonly servers?: readonly McpServer[];
  /** The project's skills and sub-agents, frozen at the start of the run; absent: none. */
  readonly skills?: readonly ProjectFile[];
}

/** An MCP server that a client starts or calls, in the form of Claude Code's own files. */
export type McpServer = { readonly name: string } & (
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly type: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

/** A file as it was at the start of the run. */
export interface ProjectFile {
  /** Relative to the project: `.claude/skills/deploy/SKILL.md`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

export interface AgentControl {
  /** Without a slash at the end; hooks are at `/hooks`, tools at `/mcp`. */
  readonly url: string;
  /** Bearer token of this process alone. */
  readonly token: string;
  /**
   * Set where the server cannot be reached: a folder that exists inside and on the host, with `hook.cjs` in it; tool
   * calls are appended to `calls.jsonl` there. Absent where the address works.
   */
  readonly spool?: string;
}

type Lenders = Provider | readonly Provider[] | null;

/** What an agent program needs inside an isolation that hides the user's home folder and the network. */
export interface InsideNeeds extends HomeNeeds {
  /** Host patterns of its service, as `Policy.hosts` takes them; the user's endpoints come from the environment. */
  hosts(env: Env): readonly string[];
  /**
   * The provider whose credential can stay outside, or several; null, or absent, where the client cannot be told another
   * address: then its key goes inside.
   * @param args those of the settings, which may name another provider
   */
  provider?(env: Env, args: readonly string[]): Lenders | Promise<Lenders>;
  /** Servers of tools, each with its own host and credential. */
  readonly remotes?: readonly {
    readonly name: string;
    readonly own: Env;
    readonly inside: Pick<InsideNeeds, 'hosts'>;
    readonly providers: readonly Provider[];
  }[];
}

/** Where a client keeps its login, by name: nothing of it is opened. */
interface Login {
  /** Each holds a login, or says where to go without one. */
  readonly variables: readonly string[];
  /** Below the home folder; each holds a login. Without one, a login made inside is not kept. */
  readonly files: readonly string[];
  /** Logs in. */
  readonly command: string;
}

export interface AgentCommand extends Command {
  /** Written to standard input, which is then closed. */
  readonly stdin: string;
}

/** Turns one process's output into events and a result. Depends only on its input; one per process. */
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
  readonly fix: string;
}

/** What an agent can do besides writing files; shown by `doctor`. */
export interface AgentCapabilities {
  readonly hooks: boolean;
  readonly tools: boolean;
  readonly cost: boolean;
  readonly tokens: boolean;
  readonly limits: boolean;
  /** Enforces `budgetUsd` itself. */
  readonly budget: boolean;
  /** Answers in plain text: nothing tells what it does while it works. */
  readonly plain?: true;
}

export interface AgentAdapter {
  readonly name: string;
  readonly capabilities: AgentCapabilities;
  /** Variables that its login and its settings need, in the form that `env.pass` takes: `ANTHROPIC_*`. */
  readonly environment: readonly string[];
  readonly inside: InsideNeeds;
  /** Absent where it may have one that cannot be seen from here. */
  readonly login?: Login;
  /** Program to start, as configured; null when there is none to look for. It must be found inside too. */
  program(config: Config): string | null;
  /** Whether it is installed and can start in that isolation (`none` without one). Runs at most a `--version`. */
  detect(config: Config, isolation?: IsolationName): Promise<AgentAvailability>;
  command(task: AgentTask): Promise<AgentCommand>;
  /**
   * The command line of a request that costs nothing and that the provider refuses without a login that it accepts.
   * Absent, or null in this environment: there is none.
   */
  loginCheck?(env: Env): AgentAdapter['command'] | null;
  translator(task: AgentTask): Translator;
}
