import type { InsideCommand, Isolation, IsolationInput, IsolationRun, WrappedCommand } from './port.ts';

export interface Session {
  wrap(command: InsideCommand): Promise<WrappedCommand>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** An isolation whose `prepare` opens a session. The control server can be reached at its address. */
export function withSession(
  backend: Pick<Isolation, 'name' | 'coversGitDir' | 'lent' | 'probe'>,
  open: (run: IsolationRun) => Promise<Session>,
): Isolation {
  let session: Session | null = null;
  return {
    ...backend,
    reach: 'address',
    prepare: async (run) => {
      session = await open(run);
    },
    wrap: async (command) => {
      if (session === null) throw new Error(`${backend.name}: wrap before prepare`);
      return session.wrap(command);
    },
    dispose: async () => {
      await session?.close();
      session = null;
    },
  };
}

/** Gives each command its own home folder, removed when the command has ended. */
export function withHome(
  { openHome }: Pick<IsolationInput, 'openHome'>,
  wrap: (home: string, command: InsideCommand) => Promise<WrappedCommand>,
): Session['wrap'] {
  return async (command) => {
    const home = await openHome();
    try {
      const wrapped = await wrap(home.path, command);
      return {
        ...wrapped,
        end: async () => {
          await wrapped.end();
          await home.close();
        },
      };
    } catch (error) {
      await home.close();
      throw error;
    }
  };
}
