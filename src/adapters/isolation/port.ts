/** Where agents, checks and commit hooks run, and what they may touch there. Backends beside this file. */

/** Best boundary first. */
export type IsolationName = 'sbx' | 'container' | 'bwrap' | 'srt' | 'none';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Complete: nothing is inherited beside it. */
  readonly env: Readonly<Record<string, string>>;
}

/** A host file or folder that is seen inside at `at`. */
export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly writable: boolean;
}

/** A command that is to run inside, with what it alone may see beside what everything inside sees. */
export interface InsideCommand extends Command {
  /** Over everything else, in this order: its private folder, the guest git dir over the work tree's own. */
  readonly mounts: readonly Mount[];
}

/** The command that a host process is started with. */
export interface WrappedCommand extends Command {
  /** Ends what may outlive the host process (a container, a process in a virtual machine). Never rejects. */
  end(): Promise<void>;
}

/** The project as it is seen inside. Absolute host paths, the same inside; those that do not exist are passed over. */
export interface InsideWorkspace {
  /** The work tree: writable, but for what follows. */
  readonly root: string;
  /** Files and folders that are read-only: what belongs to the loop and to the person. */
  readonly readOnly: readonly string[];
  /** Below a read-only folder, and writable all the same: backlog and log of `.ralph/PRD-N`. */
  readonly writable: readonly string[];
}

/** What the inside may reach and use. */
export interface Policy {
  /**
   * Hosts that the egress proxy lets through: `api.example.com`, `*.example.com` (any name below it), each with the
   * ports 80 and 443; `example.com:8443` for another port.
   */
  readonly hosts: readonly string[];
  /** Ports of the host's loopback that are there under the same number inside. */
  readonly localPorts: readonly number[];
  /** More host files and folders to read, and to write. Absolute. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Bytes of memory that everything in one wrapped command may use together. */
  readonly memoryBytes: number;
  /** Processes (and threads) of one wrapped command. */
  readonly processes: number;
  /** Processors; null is no limit. */
  readonly cpus: number | null;
}

/** What a backend is opened with. */
export interface IsolationInput {
  readonly workspace: InsideWorkspace;
  readonly policy: Policy;
  /** The person's environment: PATH, HOME, where toolchains and state folders are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Makes the home folder of each process inside. It takes the place of the person's own, at the same path. */
  readonly openHome: OpenHome;
  readonly container: ContainerSettings;
}

/** A host folder that is the home folder inside, of one process. */
export interface Home {
  readonly path: string;
  /** Once the process has ended: keeps what its agent may keep, and removes the rest. Never rejects. */
  close(): Promise<void>;
}

/** A new one each time. @throws StateError */
export type OpenHome = () => Promise<Home>;

/** A file in which an agent keeps its login: all that stays of a home folder. */
export interface LoginFile {
  /** Below the home folder. */
  readonly path: string;
  /** What of its text is a login, and nothing that a client would run or obey; null where there is none. Pure. */
  login(text: string): string | null;
  /** Clients renew it while they work, and all have to know of it at once. Nothing else may be in the file. */
  readonly renewed?: true;
}

export interface ContainerSettings {
  /** Which program; null takes the first that works. */
  readonly engine: 'podman' | 'docker' | null;
  /** Image with git, node and the agent in it; null uses the host's own programs, read-only. */
  readonly image: string | null;
  /** Arguments added to `run`. */
  readonly args: readonly string[];
}

/** Something inside tried to reach what the policy does not name. */
export interface Refusal {
  readonly host: string;
  readonly port: number;
  readonly reason: string;
}

/** A run that begins. */
export interface IsolationRun {
  /** Id of the run: names what has to be found again after a crash. */
  readonly run: string;
  /** Ports of the loopback that this run needs inside beside those of the policy: its control server. */
  readonly localPorts: readonly number[];
  /** Every refused connection. Must not throw. */
  readonly onRefusal: (refusal: Refusal) => void;
}

/** One thing that a backend promises, tried in reality. */
export interface Claim {
  /** Completes "inside …": `a file outside the work tree cannot be written`. */
  readonly claim: string;
  readonly held: boolean;
  /** What was seen. */
  readonly detail: string;
}

export interface Probe {
  /** Its program is there and every claim held. */
  readonly available: boolean;
  /** What it is, with the version; or why it cannot be used. */
  readonly detail: string;
  /** How to get or mend it on this system; empty when it is available. */
  readonly mend: readonly string[];
  /** Empty when it could not even be tried. */
  readonly claims: readonly Claim[];
  /** Limits of the policy that cannot be held here; absent for none. */
  readonly unlimited?: readonly Limit[];
}

export type Limit = 'memory' | 'processes';

/** One way to isolate. */
export interface Isolation {
  readonly name: IsolationName;
  /**
   * The work tree's `.git` can be covered by a guest git dir (`mounts`). Where it cannot, the loop puts the git dir's
   * settings and hooks back after every agent.
   */
  readonly coversGitDir: boolean;
  /**
   * How agents reach the control server of the run: at its own address, or not at all, and then their tool calls go
   * into a spool file that the loop reads when they have ended.
   */
  readonly reach: 'address' | 'spool';
  /** Tries it in reality (the canary). Needs no `prepare`; leaves nothing behind. Never rejects. */
  probe(): Promise<Probe>;
  /** Once per run, before the first `wrap`. @throws UnavailableError */
  prepare(run: IsolationRun): Promise<void>;
  /** The command that runs it inside; every call a sandbox of its own, torn down with its process. */
  wrap(command: InsideCommand): Promise<WrappedCommand>;
  /** Once, after the last process has ended; safe without `prepare`. */
  dispose(): Promise<void>;
}

/** What isolates. */
export type Backend = Exclude<IsolationName, 'none'>;
