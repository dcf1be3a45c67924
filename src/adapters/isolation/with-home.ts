import type { InsideCommand, IsolationInput, WrappedCommand } from './port.ts';

/** Gives each command a home folder of its own, which goes when it has ended. */
export function withHome(
  { openHome }: Pick<IsolationInput, 'openHome'>,
  wrap: (home: string, command: InsideCommand) => Promise<WrappedCommand>,
): (command: InsideCommand) => Promise<WrappedCommand> {
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
