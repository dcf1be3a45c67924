import type { Command, Redirection } from 'unbash';
import type { TestRunStep } from './recognition.ts';
import { lessSeen } from './scope.ts';

/** The words of a command, quotes off; what the shell would expand stands as it is. */
export function wordsOf(command: Command): readonly string[] {
  if (command.name === undefined) return [];
  return [command.name.value, ...command.args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))];
}

/** How much of a command's output still arrives after its redirections, and the files that got the rest. */
export function redirected(
  seen: TestRunStep['seen'],
  redirects: readonly Redirection[],
): { readonly seen: TestRunStep['seen']; readonly files: readonly string[] } {
  let [out, err] = ['shown', 'shown'];
  const files: string[] = [];
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect' || redirect.operator.startsWith('<')) continue;
    const target = redirect.target?.value ?? '';
    const from = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : 1;
    if (redirect.operator === '>&' && /^\d$|^-$/.test(target)) {
      if (from === 2) err = target === '1' ? out : target;
      else if (from === 1 && target === '2') out = err;
      continue;
    }
    if (redirect.operator.startsWith('&') || redirect.operator === '>&') [out, err] = [target, target];
    else if (from === 2) err = target;
    else out = target;
    if (target !== '/dev/null' && !target.startsWith('/dev/tty')) files.push(target);
  }
  const shown = [out, err].filter((end) => end === 'shown').length;
  return { seen: lessSeen(seen, shown === 2 ? 'all' : shown === 1 ? 'part' : 'nothing'), files };
}
