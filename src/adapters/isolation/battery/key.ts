import { findProgram } from '../../../platform/process/find-program.ts';
import { runCommand } from '../../../platform/process/run-command.ts';

/**
 * System calls by their numbers on x86-64, and on everything newer. A key goes into a session keyring of its own, as a
 * login makes one and as everything in it inherits, and into the user's (-4), from which it goes by itself.
 */
const KEYS = `
use POSIX ();
my ($add, $control) = (POSIX::uname())[4] eq "x86_64" ? (248, 250) : (217, 219);
my $name = shift;
my ($type, $secret, $session) = ("user", "a secret of the person's", "$name");
`;
const PLANT = `${KEYS}
syscall($control, 1, $session);
syscall($add, $type, $name, $secret, length $secret, -3);
my $key = syscall($add, $type, $name, $secret, length $secret, -4);
syscall($control, 15, $key, 120) if $key > 0;
exec @ARGV;`;
const REMOVE = `${KEYS}
my $key = syscall($control, 10, -4, $type, $name, 0);
syscall($control, 9, $key, -4) if $key > 0;`;

/** A command that is started with a key in the kernel, as logins of networks and encrypted folders leave them there. */
export function withKey(
  name: string,
  command: { readonly file: string; readonly args: readonly string[] },
): { readonly file: string; readonly args: readonly string[] } {
  const perl = perlHere();
  return perl === null ? command : { file: perl, args: ['-e', PLANT, name, command.file, ...command.args] };
}

/** Takes the key away again, wherever it is. */
export async function removeKey(name: string): Promise<void> {
  const perl = perlHere();
  if (perl !== null) await runCommand(perl, ['-e', REMOVE, name], { cwd: '/' });
}

/** Only Linux has such keys. */
function perlHere(): string | null {
  return process.platform === 'linux' ? findProgram('perl', process.env['PATH']) : null;
}
