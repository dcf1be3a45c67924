import { version } from './version.ts';

const argv = process.argv.slice(2);

// Used by scripts and by every installer: answered before anything else is loaded.
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  const { runCli } = await import('./commands/cli.ts');
  process.exitCode = await runCli(argv);
}
