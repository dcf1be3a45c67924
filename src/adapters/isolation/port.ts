/** Where agents, checks and commit hooks run, and what they may touch there. Backends beside this file. */

/** The user's environment. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Best boundary first. */
export type IsolationName = 'sbx' | 'container' | 'bwrap' | 'srt' | 'none';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Complete: no other variable is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A host file or folder that is seen inside at `at`. */
export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly writable: boolean;
}

/** A command to run inside, with the mounts that only this command sees. */
export interface InsideCommand extends Command {
  /** Mounted last, in this order: its private folder, the guest git dir over the work tree's own. */
  readonly mounts: readonly Mount[];
}

export interface WrappedCommand extends Command {
  /** Ends what may outlive the host process (a container, a process in a virtual machine). Never rejects. */
  end(): Promise<void>;
}

/** The project as seen inside. Absolute host paths, the same inside; missing ones are skipped. */
export interface InsideWorkspace {
  /** The work tree: writable, except for what follows. */
  readonly root: string;
  /** Read-only files and folders: those that belong to the loop and the user. */
  readonly readOnly: readonly string[];
  /** Writable places below a read-only folder: backlog and log of `.ralph/PRD-N`. */
  readonly writable: readonly string[];
}

export interface Policy {
  /**
   * Hosts that the egress proxy lets through: `api.example.com`, `*.example.com` (any name below it), each with the
   * ports 80 and 443; `example.com:8443` for another port.
   */
  readonly hosts: readonly string[];
  /** Ports of the host's loopback, available inside under the same number. */
  readonly localPorts: readonly number[];
  /** For backends with a gateway: the others let agents reach its hosts themselves, with the credentials. */
  readonly lending?: {
    readonly lent: readonly Lent[];
    /** The part of `Policy.hosts` and `Policy.localPorts` that only those agents need. */
    readonly hosts: readonly string[];
    readonly localPorts: readonly number[];
  };
  /** More host files and folders to read or to write. Absolute. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Bytes of memory for all processes of one wrapped command together. */
  readonly memoryBytes: number;
  /** Processes (and threads) of one wrapped command. */
  readonly processes: number;
  readonly cpus: number | null;
}

/** A model provider that a client can be told to reach at another address (10-trust §6). */
export interface Provider {
  /** The variable that tells the client, or its adapter, another base address. */
  readonly address: string;
  /** The base address without that variable. A login in it stays outside, too. */
  readonly base: string;
  /** Variables that hold a credential, each with the beginning by which the client knows its kind. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The variable that holds more headers, one a line (`Name: value`), each of which may be a credential. */
  readonly headers?: string;
  /** Host patterns that are needed for this provider only; absent: all of the agent's, which has no other provider. */
  readonly hosts?: readonly string[];
}

/** The credentials of one agent's provider, and what its client gets in their place. */
export interface Lent {
  readonly agent: string;
  /** Where requests go. */
  readonly base: string;
  readonly credentials: readonly { readonly standIn: string; readonly secret: string }[];
  /** Replace those of the person in the agent's environment. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface IsolationInput {
  readonly workspace: InsideWorkspace;
  readonly policy: Policy;
  /** The user's environment: PATH, HOME, the places of toolchains and state folders. */
  readonly env: Env;
  /** Makes the home folder of each process inside. It replaces the user's own, at the same path. */
  readonly openHome: OpenHome;
  readonly container: ContainerSettings;
}

/** A host folder that serves as the home folder of one process inside. */
interface Home {
  readonly path: string;
  /** Called once the process has ended: keeps what its agent may keep, and removes the rest. Never rejects. */
  close(): Promise<void>;
}

/** Makes a new one on each call. @throws StateError */
export type OpenHome = () => Promise<Home>;

/** A file in which an agent keeps its login: the only part of a home folder that is kept. */
export interface LoginFile {
  readonly path: string;
  /** The part of its text that is a login, without anything a client would run or obey; null for none. Pure. */
  login(text: string): string | null;
  /** Clients renew it while they work, and all must receive it at once. The file must contain nothing else. */
  readonly renewed?: true;
}

/** What an agent needs of its home folder inside. */
export interface HomeNeeds {
  readonly config: {
    /** Relative to the home folder: `.claude`. */
    readonly folder: string;
    /** Variable that names another folder on the host; it is not set inside. Null when there is none. */
    readonly variable: string | null;
    /** The variable names the parent of this folder, as HOME does. */
    readonly variableNamesHome?: true;
    /** Files and folders in it that are copied from the user's at every start of a run. Never a login. */
    readonly copied: readonly string[];
  } | null;
  /** Files below the home folder in which it keeps its login inside. Its other files end with its process. */
  readonly logins: readonly LoginFile[];
  /** Files below the home folder that it expects, made when they are missing: path → text. */
  readonly seeds: Readonly<Record<string, string>>;
}

export interface ContainerSettings {
  /** The program; null takes the first that works. */
  readonly engine: 'podman' | 'docker' | null;
  /** Image with git, node and the agent in it; null uses the host's own programs, read-only. */
  readonly image: string | null;
}

/** An attempt from inside to reach something that the policy does not name. */
export interface Refusal {
  readonly host: string;
  readonly port: number;
  readonly reason: string;
}

export interface IsolationRun {
  /** Id of the run: names what must be found again after a crash. */
  readonly run: string;
  /** Loopback ports that this run needs inside in addition to the policy's: its control server. */
  readonly localPorts: readonly number[];
  /** Receives every refused connection. Must not throw. */
  readonly onRefusal: (refusal: Refusal) => void;
}

/** One promise of a backend, tested in practice. */
export interface Claim {
  /** Completes "inside …": `a file outside the work tree cannot be written`. */
  readonly claim: string;
  readonly held: boolean;
  readonly detail: string;
}

export interface Probe {
  /** Its program is installed and every claim held. */
  readonly available: boolean;
  /** What it is, with its version; or why it cannot be used. */
  readonly detail: string;
  /** How to get or fix it on this system; empty when it is available. */
  readonly fix: readonly string[];
  /** Empty when no test could run. */
  readonly claims: readonly Claim[];
  /** Limits of the policy that cannot be enforced here; absent for none. */
  readonly unlimited?: readonly Limit[];
}

export type Limit = 'memory' | 'processes';

export interface Isolation {
  readonly name: IsolationName;
  /**
   * The work tree's `.git` can be covered by a guest git dir (`mounts`). Where it cannot, the loop restores the git
   * dir's settings and hooks after every agent.
   */
  readonly coversGitDir: boolean;
  /** Credentials that agents inside get only as stand-ins; those of other agents go inside. */
  readonly lent: readonly Lent[];
  /**
   * How agents reach the control server of the run: at its address, or not at all; then their tool calls go into a
   * spool file that the loop reads when they have ended.
   */
  readonly reach: 'address' | 'spool';
  /** Tests it in practice (the canary). Needs no `prepare`; leaves nothing behind. Never rejects. */
  probe(): Promise<Probe>;
  /** Called once per run, before the first `wrap`. @throws UnavailableError */
  prepare(run: IsolationRun): Promise<void>;
  /** The command that runs it inside; every call gets its own sandbox, torn down with its process. */
  wrap(command: InsideCommand): Promise<WrappedCommand>;
  /** Called once, after the last process has ended; safe without `prepare`. */
  dispose(): Promise<void>;
}

export type Backend = Exclude<IsolationName, 'none'>;
