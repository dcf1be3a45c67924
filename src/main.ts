import { version } from './version.ts';

/** Resolves when the command has ended. */
export const ended = main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  // Used by scripts and by every installer: answered before anything else is loaded.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return;
  }
  const { runCli } = await import('./commands/cli.ts');
  process.exitCode = await runCli(argv);
}
