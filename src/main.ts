/** Resolves when the command has ended. */
export const ended = main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  const { runCli } = await import('./commands/cli.ts');
  process.exitCode = await runCli(argv);
}
